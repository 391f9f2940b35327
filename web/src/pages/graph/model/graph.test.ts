import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOrder } from '@notevault/note-text/names/order.ts';
import fc from 'fast-check';
import { GraphIndex } from './graph-index.ts';
import { groupPlaces, groupsOf, isInGroup } from './groups.ts';
import { Layout, startPositions } from './layout.ts';
import { boxOf, mainPart } from './main-part.ts';

const paths = ['Garden/Beans.md', 'Garden/Peas.md', 'Kitchen/Soup.md', 'Alone.md'];
const graph = new GraphIndex({
  change_seq: 1,
  nodes: paths.map((path, at) => ({ id: String(at), path, title: at === 0 ? 'Broad beans' : null })),
  edges: [
    ['0', '1'],
    ['1', '0'],
    ['1', '2'],
    ['2', 'gone'],
  ],
});
const names = (notes: readonly { readonly name: string }[]) => notes.map(({ name }) => name);

test('the graph names notes by their title, or their file, and counts neighbours once', () => {
  assert.deepEqual(names(graph.notes), ['Broad beans', 'Peas', 'Soup', 'Alone']);
  assert.deepEqual(
    graph.notes.map(({ degree }) => degree),
    [1, 2, 1, 0],
  );
  assert.equal(graph.linkCount, 3);
});

test('the graph knows which notes a note links to, and which link to it', () => {
  const { to, from } = graph.neighboursOf('1', nameOrder('en'));
  assert.deepEqual([names(to), names(from)], [['Broad beans', 'Soup'], ['Broad beans']]);
  assert.deepEqual(graph.neighboursOf('none', nameOrder('en')), { to: [], from: [] });
  assert.equal(graph.byId('none'), null);
});

test('the graph finds notes by words of their names and folders, most linked first', () => {
  assert.deepEqual(names(graph.find('garden')), ['Peas', 'Broad beans']);
  assert.deepEqual(names(graph.find('garden BROAD')), ['Broad beans']);
  assert.deepEqual(graph.find('none'), []);
});

test('the graph lists the notes with most links, and none without a link', () => {
  assert.deepEqual(names(graph.mostLinked(2)), ['Peas', 'Broad beans']);
  assert.deepEqual(names(graph.mostLinked(10)), ['Peas', 'Broad beans', 'Soup']);
});

test('the part around a note grows with the steps, has the links within it, and ends at a limit', () => {
  const around = (steps: number, most = 10) => {
    const { notes, edges } = graph.around('0', steps, most);
    return [names(notes), [...edges]];
  };
  assert.deepEqual(around(1), [
    ['Broad beans', 'Peas'],
    [0, 1, 1, 0],
  ]);
  assert.deepEqual(around(2), [
    ['Broad beans', 'Peas', 'Soup'],
    [0, 1, 1, 0, 1, 2],
  ]);
  assert.deepEqual(around(2, 2), around(1));
  assert.deepEqual(graph.around('none', 2, 10).notes, []);
});

test('the whole graph can leave out notes without links', () => {
  assert.equal(graph.whole(false).notes.length, 4);
  assert.deepEqual(names(graph.whole(true).notes), ['Broad beans', 'Peas', 'Soup']);
});

test('the layout draws linked notes nearer to each other than others', () => {
  // Two triangles.
  const edges = Uint32Array.from([0, 1, 1, 2, 2, 0, 3, 4, 4, 5, 5, 3]);
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  const layout = new Layout({ positions: startPositions(ids, edges, new Map()), edges });
  for (let step = 0; step < 200; step++) layout.step();
  const places = layout.positions();
  const apart = (one: number, other: number) =>
    Math.hypot(
      (places[one * 2] ?? 0) - (places[other * 2] ?? 0),
      (places[one * 2 + 1] ?? 0) - (places[other * 2 + 1] ?? 0),
    );
  assert.ok(Math.max(apart(0, 1), apart(1, 2), apart(3, 4)) < Math.min(apart(0, 3), apart(1, 4), apart(2, 5)));
});

test('the layout of any graph has a finite place for each note', () => {
  const graphs = fc.integer({ min: 0, max: 30 }).chain((count) =>
    fc.record(
      {
        count: fc.constant(count),
        edges: fc.array(fc.tuple(fc.nat(Math.max(0, count - 1)), fc.nat(Math.max(0, count - 1)))),
      },
      { noNullPrototype: true },
    ),
  );
  fc.assert(
    fc.property(graphs, ({ count, edges }) => {
      const flat = Uint32Array.from(edges.filter(([from, to]) => from !== to).flat());
      const ids = Array.from({ length: count }, (_, at) => String(at));
      const layout = new Layout({ positions: startPositions(ids, flat, new Map()), edges: flat });
      for (let step = 0; step < 20; step++) layout.step();
      assert.equal(layout.positions().length, count * 2);
      assert.ok(layout.positions().every(Number.isFinite));
    }),
  );
});

test('notes begin where they were, and new ones beside their neighbours', () => {
  const before = new Map([['a', [500, 500]]] as const);
  const [ax, ay, bx = 0, by = 0] = startPositions(['a', 'b'], Uint32Array.of(1, 0), before);
  assert.deepEqual([ax, ay], [500, 500]);
  assert.ok(Math.hypot(bx - 500, by - 500) < 50);
});

test('notes are grouped by root folder or by the first part of their tags, the largest groups first', () => {
  const note = (path: string, tags: string[] = []) => ({ id: path, path, name: path, tags, degree: 0 });
  const notes = [
    note('A/x/1.md', ['plan/2027', 'Plan']),
    note('B/2.md', ['plan', 'soil']),
    note('3.md'),
    note('B/4.md'),
  ];
  const folders = groupsOf(notes, 'folder', 2);
  assert.deepEqual(folders, [
    { name: 'B', count: 2 },
    { name: '', count: 1 },
  ]);
  assert.deepEqual(groupPlaces(notes, 'folder', folders), [-1, 0, 1, 0]);
  const tags = groupsOf(notes, 'tag', 8);
  assert.deepEqual(tags, [
    { name: 'plan', count: 2 },
    { name: 'soil', count: 1 },
  ]);
  assert.deepEqual(groupPlaces(notes, 'tag', tags), [0, 0, -1, -1]);
  assert.ok(isInGroup(notes[1] ?? assert.fail(), 'tag', 'soil'));
  assert.deepEqual(groupsOf(notes, 'none', 8), []);
});

test('the picture is fitted to the largest part that is linked together, without its outermost notes', () => {
  const edges = Uint32Array.of(0, 1, 1, 2, 4, 3);
  assert.deepEqual(mainPart(6, edges), [0, 1, 2]);
  const positions = Float32Array.of(0, 0, 10, 4, 5, 2, 500, 500, -500, 0, 900, 0);
  assert.deepEqual(boxOf([0, 1, 2], positions), { x: [0, 10], y: [0, 4] });
  assert.equal(boxOf([0], positions), null);
  const many = Array.from({ length: 200 }, (_, at) => at);
  const line = Float32Array.from({ length: 400 }, (_, at) => (at === 0 ? -1e6 : at >> 1));
  assert.deepEqual(boxOf(many, line)?.x, [2, 197]);
});
