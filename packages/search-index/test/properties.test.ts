import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze, type SearchableNote } from '../src/analysis/analyzer.ts';
import { FrozenSegment } from '../src/index/frozen-segment.ts';
import { decodeSegment, encodeSegment } from '../src/index/segment-codec.ts';
import { VaultIndex } from '../src/index/vault-index.ts';
import type { Condition } from '../src/properties/condition.ts';
import type { NoteLinks } from '../src/properties/note-reader.ts';
import { type PropertyQuery, type QueryPage, runQuery } from '../src/properties/query.ts';
import { listTasks, type TaskFilter, type TaskPosition } from '../src/properties/task-list.ts';
import { idOf, indexOf, noteOf } from './kit/notes.ts';

const everything: PropertyQuery = {
  where: [],
  match: 'all',
  folder: null,
  tags: null,
  columns: [],
  sort: [{ by: 'file.path', descending: false }],
  zone: 'UTC',
};

function done<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function ask(index: VaultIndex, query: Partial<PropertyQuery>, limit = 50, links: NoteLinks | null = null): QueryPage {
  return done(runQuery(index, { ...everything, ...query }, { after: null, limit }, links));
}

const paths = (page: QueryPage) => page.rows.map(({ path }) => path.replace('.md', ''));

/** Returns the paths of the notes that pass one condition. */
function having(
  index: VaultIndex,
  property: string,
  op: Condition['op'],
  value: Condition['value'] = null,
  zone = 'UTC',
) {
  return paths(ask(index, { where: [{ property, op, value }], zone })).join(' ');
}

const withProperties = (number: number, yaml: string, more: Partial<SearchableNote> = {}) =>
  noteOf(number, `---\n${yaml}\n---\ntext`, { path: `${String.fromCharCode(97 + number)}.md`, ...more });

test('a query compares texts, numbers, booleans and lists, and never unlike types', () => {
  const index = indexOf([
    withProperties(0, 'v: 5'),
    withProperties(1, 'v: "5"'),
    withProperties(2, 'v: Five'),
    withProperties(3, 'v: true'),
    withProperties(4, 'v: [4, five, x]'),
    withProperties(5, 'w: 1'),
    withProperties(6, 'v:'),
  ]);
  assert.equal(having(index, 'v', 'is', 5), 'a');
  assert.equal(having(index, 'v', 'is', '5'), 'b');
  assert.equal(having(index, 'v', 'is', 'FIVE'), 'c e');
  assert.equal(having(index, 'v', 'is', true), 'd');
  assert.equal(having(index, 'v', 'is', 4), 'e');
  assert.equal(having(index, 'v', 'is_not', 5), 'e f g');
  assert.equal(having(index, 'v', 'is_not', 'five'), 'b f g');
  assert.equal(having(index, 'v', 'contains', 'IV'), 'c e');
  assert.equal(having(index, 'v', 'contains', 4), 'e');
  assert.equal(having(index, 'v', 'lt', 5), 'e');
  assert.equal(having(index, 'v', 'lte', 5), 'a e');
  assert.equal(having(index, 'v', 'gt', 'fa'), 'c e');
  assert.equal(having(index, 'v', 'exists'), 'a b c d e');
  assert.equal(having(index, 'v', 'missing'), 'f g');
});

test('a query compares dates as days and instants of the zone of the query', () => {
  const index = indexOf([
    withProperties(0, 'd: 2026-03-01'),
    withProperties(1, 'd: 2026-03-01T23:30:00'),
    withProperties(2, 'd: 2026-03-01T23:30:00Z'),
    withProperties(3, 'd: "2026-03-02"'),
    withProperties(4, 'd: soon'),
  ]);
  assert.equal(having(index, 'd', 'is', '2026-03-01'), 'a b c');
  assert.equal(having(index, 'd', 'is', '2026-03-01', 'Asia/Tokyo'), 'a b');
  assert.equal(having(index, 'd', 'is', '2026-03-02', 'Asia/Tokyo'), 'c d');
  assert.equal(having(index, 'd', 'lt', '2026-03-02'), 'a b c');
  assert.equal(having(index, 'd', 'lte', '2026-03-01'), 'a b c');
  assert.equal(having(index, 'd', 'gt', '2026-03-01'), 'd');
  assert.equal(having(index, 'd', 'gte', '2026-03-01T23:30:00Z'), 'b c d');
  assert.equal(having(index, 'd', 'gt', '2026-03-01T23:30:00+01:00'), 'b c d');
  assert.equal(having(index, 'd', 'is_not', '2026-03-02'), 'a b c');
  const summer = indexOf([withProperties(0, 'd: 2026-07-01T00:30:00+02:00')]);
  assert.equal(having(summer, 'd', 'is', '2026-07-01', 'Europe/Berlin'), 'a');
  assert.equal(having(summer, 'd', 'is', '2026-06-30'), 'a');
});

test('a query sorts the commonest type first, then others, then notes without one, in both directions', () => {
  const index = indexOf([
    withProperties(0, 'p: 2'),
    withProperties(1, 'p: 10'),
    withProperties(2, 'p: high'),
    withProperties(3, 'q: 1'),
    withProperties(4, 'p: [3, 1]'),
  ]);
  const by = (descending: boolean) => paths(ask(index, { sort: [{ by: 'p', descending }] })).join(' ');
  assert.equal(by(false), 'a e b c d');
  assert.equal(by(true), 'b e a c d');
});

test('a query returns pages without gaps or repetitions, in any order, whatever was asked of a limit', () => {
  const notes = Array.from({ length: 40 }, (_, at) =>
    noteOf(at, `---\nrank: ${at % 3 === 0 ? 'none' : at % 5}\nname: n${at % 4}\n---\n`),
  );
  const index = indexOf(notes);
  for (const sort of [
    [
      { by: 'rank', descending: true },
      { by: 'name', descending: false },
    ],
    everything.sort,
  ]) {
    const query = { ...everything, sort };
    const whole = done(runQuery(index, query, { after: null, limit: 100 }, null));
    for (const limit of [1, 7, 39, 40]) {
      const seen: string[] = [];
      let after: QueryPage['next'] = null;
      do {
        const page: QueryPage = done(runQuery(index, query, { after: structuredClone(after), limit }, null));
        assert.equal(page.total, 40);
        seen.push(...page.rows.map(({ id }) => id));
        after = page.next;
      } while (after !== null);
      assert.deepEqual(
        seen,
        whole.rows.map(({ id }) => id),
      );
    }
  }
});

test('a query knows of files: name, path, folder, times, size, tags and links', () => {
  const created = Date.UTC(2026, 0, 2);
  const file = { created, modified: created + 1000, changed: created + 2000, size: 77 };
  const index = indexOf([
    noteOf(0, 'x', { path: 'Work/Plan.md', tags: ['Home/garden', 'todo'], file }),
    noteOf(1, 'y', { path: 'Work/Sub/Other.md' }),
  ]);
  const columns = ['name', 'path', 'folder', 'created', 'modified', 'size', 'tags', 'links', 'backlinks'];
  const links: NoteLinks = {
    links: new Map([[idOf(0), [idOf(1)]]]),
    backlinks: new Map([[idOf(1), [idOf(0)]]]),
    pathOf: (id) => (id === idOf(0) ? 'Work/Plan.md' : 'Work/Sub/Other.md'),
  };
  const all = { columns: columns.map((name) => `file.${name}`) };
  assert.deepEqual(ask(index, { ...all, tags: ['home'] }, 50, links).rows, [
    {
      id: idOf(0),
      path: 'Work/Plan.md',
      values: [
        ...['Plan', 'Work/Plan.md', 'Work', '2026-01-02T00:00:00.000Z', '2026-01-02T00:00:01.000Z', 77],
        ...[['Home/garden', 'todo'], ['Work/Sub/Other.md'], null],
      ],
    },
  ]);
  const found = (property: string, op: Condition['op'], value: Condition['value']) =>
    paths(ask(index, { where: [{ property, op, value }] }, 50, links)).join(' ');
  assert.equal(found('file.name', 'is', 'plan.md'), 'Work/Plan');
  assert.equal(found('file.folder', 'is', 'work'), 'Work/Plan');
  assert.equal(found('file.created', 'gte', '2026-01-02'), 'Work/Plan');
  assert.equal(found('file.size', 'gt', 50), 'Work/Plan');
  assert.equal(found('file.tags', 'is', '#TODO'), 'Work/Plan');
  assert.equal(found('file.links', 'is', 'work/sub/other'), 'Work/Plan');
  assert.equal(found('file.backlinks', 'gte', 1), 'Work/Sub/Other');
  assert.equal(found('file.backlinks', 'missing', null), 'Work/Plan');
  assert.deepEqual(paths(ask(index, { folder: 'Work' })), ['Work/Plan', 'Work/Sub/Other']);
  assert.deepEqual(paths(ask(index, { folder: 'Work/Sub' })), ['Work/Sub/Other']);
});

test('a query joins its conditions by all or any', () => {
  const index = indexOf([withProperties(0, 'a: 1\nb: 1'), withProperties(1, 'a: 1'), withProperties(2, 'c: 1')]);
  const where: Condition[] = [
    { property: 'a', op: 'is', value: 1 },
    { property: 'b', op: 'is', value: 1 },
  ];
  assert.deepEqual(paths(ask(index, { where })), ['a']);
  assert.deepEqual(paths(ask(index, { where, match: 'any' })), ['a', 'b']);
});

test('facts depend on the notes alone: not on segments, merges, or on being stored and read back', () => {
  let index = new VaultIndex();
  const put = (note: SearchableNote) => index.put(analyze(note));
  const freeze = () => {
    index.startSegment();
    for (const _ of index.compact());
  };
  for (let round = 0; round < 3; round++) {
    for (let at = 0; at < 30; at++)
      put(withProperties(at % 26, `v: ${round * 100 + at}\nk${round}: x`, { id: idOf(at), path: `${at}.md` }));
    freeze();
  }
  index.remove(idOf(3));
  put(noteOf(4, '- [ ] task 📅 2026-01-01', { path: '4.md' }));
  freeze();
  index = VaultIndex.fromSegments(
    index.frozenSegments.map(({ arrays }) => new FrozenSegment(decodeSegment(encodeSegment(arrays)))),
    1,
  );
  const { rows, total } = ask(index, { columns: ['v', 'k0', 'k2'] }, 100);
  assert.equal(total, 29);
  for (const { id, values } of rows) {
    const number = Number(id.slice(-12));
    assert.deepEqual(values, number === 4 ? [null, null, null] : [200 + number, null, 'x']);
  }
  const { tasks } = done(listTasks(index, allTasks, { after: null, limit: 10 }));
  assert.deepEqual(tasks, [
    { id: idOf(4), path: '4.md', line: 1, text: 'task 📅 2026-01-01', state: 'open', due: '2026-01-01', tags: [] },
  ]);
});

test('a query answers as of the moment it began while notes are written between its steps', () => {
  const index = indexOf(Array.from({ length: 600 }, (_, at) => noteOf(at, '---\nv: 1\n---\n')));
  const steps = runQuery(
    index,
    { ...everything, where: [{ property: 'v', op: 'is', value: 1 }] },
    { after: null, limit: 5 },
    null,
  );
  steps.next();
  for (let at = 0; at < 600; at++) index.put(analyze(noteOf(at, '---\nv: 2\n---\n')));
  index.startSegment();
  for (const _ of index.compact());
  const page = done(steps);
  assert.deepEqual([page.total, page.rows.length], [600, 5]);
});

test('values are cut to 1 KB, and frontmatter cannot stand for what is known of files', () => {
  const long = 'ä'.repeat(2000);
  const index = indexOf([noteOf(0, `---\nlong: ${long}\nlist: [${'abcdefghi, '.repeat(400)}]\nfile.size: 9\n---\n`)]);
  const [row] = ask(index, { columns: ['long', 'list', 'file.size'] }).rows;
  assert.deepEqual(row?.values, ['ä'.repeat(512), Array.from({ length: 113 }, () => 'abcdefghi'), 0]);
});

const allTasks: TaskFilter = { state: null, dueUntil: null, tag: null, folder: null };

test('tasks are listed by day, then by note and line, in pages', () => {
  const index = indexOf([
    noteOf(0, '- [ ] a due:: 2026-02-01\n- [x] b\n- [ ] c #home/garden', { path: 'x/n0.md' }),
    noteOf(1, '- [ ] d 📅 2026-01-01\n- [ ] e'),
  ]);
  const list = (filter: Partial<TaskFilter>) =>
    done(listTasks(index, { ...allTasks, ...filter }, { after: null, limit: 50 }))
      .tasks.map(({ text }) => text[0])
      .join('');
  assert.equal(list({}), 'dabce');
  assert.equal(list({ state: 'open' }), 'dace');
  assert.equal(list({ state: 'done' }), 'b');
  assert.equal(list({ dueUntil: '2026-01-31' }), 'd');
  assert.equal(list({ dueUntil: '2026-02-01' }), 'da');
  assert.equal(list({ tag: '#Home' }), 'c');
  assert.equal(list({ tag: 'hom' }), '');
  assert.equal(list({ folder: 'x' }), 'abc');
  const seen: string[] = [];
  for (let after: TaskPosition | null = null; ; ) {
    const page: ReturnType<typeof listTasks> extends Generator<void, infer Page> ? Page : never = done(
      listTasks(index, allTasks, { after, limit: 2 }),
    );
    seen.push(...page.tasks.map(({ text }) => text[0] ?? ''));
    after = page.tasks.at(-1) ?? null;
    if (!page.hasMore) break;
  }
  assert.equal(seen.join(''), 'dabce');
});
