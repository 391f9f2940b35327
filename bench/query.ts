import { analyze } from '@notevault/search-index/analysis/analyzer.ts';
import { VaultIndex } from '@notevault/search-index/index/vault-index.ts';
import { packLinks, unpackLinks } from '@notevault/search-index/properties/note-links.ts';
import { type PropertyQuery, runQuery } from '@notevault/search-index/properties/query.ts';
import { listTasks } from '@notevault/search-index/properties/task-list.ts';

// What does a query over properties cost the search thread, and its columns in memory, among 10,000 and 100,000 notes?
// Sizes can be given: `npm run bench -- query 10000`. Each note has six properties, two tags, four links and every third
// a task; texts are short, because queries do not read them.
const sizes = process.argv
  .slice(2)
  .map(Number)
  .filter((size) => size > 0);
/** The best time of each query counts; the others were disturbed by other work on the machine. */
const rounds = 7;
const words = ['river', 'lantern', 'harbour', 'stone', 'letter', 'garden', 'bridge', 'winter'];
const wordAt = (at: number) => words[at % words.length] ?? '';
const idOf = (at: number) => `01900000-0000-7000-8000-${String(at).padStart(12, '0')}`;

function indexOf(size: number): VaultIndex {
  const index = new VaultIndex();
  for (let at = 0; at < size; at++) {
    const day = new Date(Date.UTC(2020, 0, 1 + (at % 2500))).toISOString().slice(0, 10);
    const yaml = [
      `status: ${wordAt(at)}`,
      `due: ${day}`,
      `rating: ${at % 10}`,
      `people: [${wordAt(at + 1)}, ${wordAt(at + 3)} ${at % 500}]`,
      `done: ${at % 2 === 0}`,
      `summary: ${wordAt(at)} ${wordAt(at + 2)} of note ${at}`,
    ];
    const task = at % 3 === 0 ? `\n- [ ] ${wordAt(at)} 📅 ${day} #${wordAt(at)}` : '';
    const path = `${wordAt(at)}/${wordAt(at >> 3)}/Note ${at}.md`;
    const tags = [wordAt(at), `${wordAt(at + 1)}/${at % 100}`];
    const plain = { title: `Note ${at}`, aliases: [], tags, type: null, created: null, timestamp: null };
    const file = { created: at * 1000, modified: at * 2000, size: 300 };
    const content = `---\n${yaml.join('\n')}\n---\n${wordAt(at)}${task}`;
    index.put(analyze({ id: idOf(at), seq: at + 1, version: 1, path, ...plain, file, content }));
    if (at % 20_000 === 19_999) freeze(index);
  }
  freeze(index);
  return index;
}

function freeze(index: VaultIndex): void {
  index.startSegment();
  for (const _ of index.compact());
}

const plain: PropertyQuery = {
  where: [],
  match: 'all',
  folder: null,
  tags: null,
  columns: ['status', 'due', 'rating'],
  sort: [{ by: 'file.path', descending: false }],
  zone: 'UTC',
};
const status = { property: 'status', op: 'is', value: 'lantern' } as const;
const queries: Readonly<Record<string, PropertyQuery>> = {
  'one property of all, by path': plain,
  'one condition, by a date': { ...plain, where: [status], sort: [{ by: 'due', descending: true }] },
  'three conditions, in Berlin': {
    ...plain,
    where: [
      status,
      { property: 'due', op: 'lt', value: '2024-01-01' },
      { property: 'people', op: 'contains', value: '77' },
    ],
    sort: [{ by: 'due', descending: false }],
    zone: 'Europe/Berlin',
  },
  'by a text that all have': { ...plain, sort: [{ by: 'summary', descending: false }] },
  'most linked': { ...plain, columns: ['file.backlinks'], sort: [{ by: 'file.backlinks', descending: true }] },
};

interface Cost {
  readonly ms: number;
  /** The longest step, which no other request interrupts. */
  readonly stepMs: number;
}

function run(steps: Generator<void, unknown>): Cost {
  const began = performance.now();
  let [last, stepMs] = [began, 0];
  for (let done = false; !done; ) {
    done = steps.next().done === true;
    const now = performance.now();
    stepMs = Math.max(stepMs, now - last);
    last = now;
  }
  return { ms: last - began, stepMs };
}

const best = (costs: readonly Cost[]) => ({
  'best ms': round(Math.min(...costs.map(({ ms }) => ms))),
  'longest step ms': round(Math.min(...costs.map(({ stepMs }) => stepMs))),
});
const round = (ms: number) => Math.round(ms * 10) / 10;
const times = <Result>(work: () => Result) => Array.from({ length: rounds }, work);

for (const size of sizes.length > 0 ? sizes : [10_000, 100_000]) {
  const index = indexOf(size);
  const edges = Array.from({ length: size * 4 }, (_, at) => [idOf(at >> 2), idOf((at * 7919) % size)] as const);
  const links = () => {
    const steps = packLinks(edges);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  };
  const packed = links();
  function* queried(query: PropertyQuery): Generator<void, unknown> {
    const needsLinks = query.columns.includes('file.backlinks');
    const of = needsLinks ? yield* unpackLinks(packed, index) : null;
    return yield* runQuery(index, query, { after: null, limit: 50 }, of);
  }
  const all = { state: 'open', dueUntil: null, tag: null, folder: null } as const;
  console.table([
    ...Object.entries(queries).map(([query, asked]) => ({
      ...{ notes: size, query },
      ...best(times(() => run(queried(asked)))),
    })),
    {
      ...{ notes: size, query: 'tasks by day' },
      ...best(times(() => run(listTasks(index, all, { after: null, limit: 100 })))),
    },
  ]);
  console.table(memoryOf(index, size));
}

/** Bytes of the arrays of frozen segments: the columns of queries, the tasks, and all of the index. */
function memoryOf(index: VaultIndex, size: number) {
  const arrays = index.frozenSegments.map((segment) => Object.entries(segment.arrays));
  const mb = (isCounted: (name: string) => boolean) => {
    const bytes = arrays.flat().map(([name, { byteLength }]) => (isCounted(name) ? byteLength : 0));
    return round(bytes.reduce((sum, count) => sum + count, 0) / 2 ** 20);
  };
  const isTask = (name: string) => name.startsWith('task');
  const isColumn = (name: string) => /^(file|column|value|path)/.test(name);
  return [{ notes: size, 'columns MB': mb(isColumn), 'tasks MB': mb(isTask), 'index MB': mb(() => true) }];
}
