import { applyEdits, type Edit } from '../packages/note-text/src/diff/diff.ts';
import type { Insertion, Run } from '../packages/note-text/src/diff/runs.ts';
import { clientEdits } from '../packages/note-text/src/diff/three-way.ts';

// How long does a three-way merge take: two lines of each side in 50 KB and 100 KB, a pasted text that the client goes
// on from, and many writes at one place? Aim: 50 ms.
const ROUNDS = 20;

/** Lines of a text, none of them rare: names of an object's own properties among them. */
const line = (at: number) =>
  ['constructor', '__proto__', '- milk', '}', '', `a line of words ${at % 40}`][at % 6] ?? '';
const textOf = (bytes: number) => {
  let text = '';
  for (let at = 0; text.length < bytes; at++) text += `${line(at)}\n`;
  return text;
};

interface Merge {
  readonly base: string;
  /** Insertions of the stored side, each a write of its own, in order. */
  readonly stored: readonly Edit[];
  readonly client: string;
}

function merge({ base, stored: edits, client }: Merge): number {
  const stored = applyEdits(base, edits);
  const runs: Run[] = [];
  const insertions: Insertion[] = [];
  let [baseStart, shift] = [0, 0];
  for (const [index, { at, insert }] of edits.entries()) {
    if (at > baseStart) runs.push({ baseStart, length: at - baseStart, nowStart: baseStart + shift, alive: true });
    insertions.push({ from: at + shift, to: at + shift + insert.length, write: `${index}` });
    [baseStart, shift] = [at, shift + insert.length];
  }
  runs.push({ baseStart, length: base.length - baseStart, nowStart: baseStart + shift, alive: true });
  const started = performance.now();
  clientEdits({ base, stored, client, runs, insertions });
  return performance.now() - started;
}

const insertion = (at: number, insert: string): Edit => ({ at, remove: 0, insert });

function cases(bytes: number): Record<string, Merge> {
  const base = textOf(bytes);
  const middle = base.indexOf('\n', bytes / 2) + 1;
  const own = (name: string) => [
    insertion(middle, `constructor ${name}\n__proto__\n`),
    insertion(base.length, `${name}\n`),
  ];
  const many = Array.from({ length: bytes / 20 }, (_, at) => `line ${at} of somebody\n`);
  return {
    'two lines each': { base, stored: own('theirs'), client: applyEdits(base, own('ours')) },
    'pasted, and gone on from': {
      base: 'base\n',
      stored: [insertion(5, base), insertion(5, 'theirs\n')],
      client: `base\n${applyEdits(base, own('ours'))}`,
    },
    'two unlike pasted texts': {
      base: 'base\n',
      stored: [insertion(5, base)],
      client: `base\n${base.split('\n').reverse().join('\n')}\n`,
    },
    'a line a write, every second the client’s': {
      base: 'base\n',
      stored: many.map((each) => insertion(5, each)),
      client: `base\n${many.filter((_, at) => at % 2 === 0).join('constructor\n')}`,
    },
  };
}

const rows: Record<string, Record<string, number>> = {};
for (const kilobytes of [50, 100]) {
  for (const [name, each] of Object.entries(cases(kilobytes * 1024))) {
    const times = Array.from({ length: ROUNDS }, () => merge(each)).sort((a, b) => a - b);
    const [median = 0, longest = 0] = [times[ROUNDS / 2], times.at(-1)];
    rows[`${name}, ${kilobytes} KB`] = {
      'median ms': Number(median.toFixed(1)),
      'longest ms': Number(longest.toFixed(1)),
    };
  }
}
console.table(rows);
