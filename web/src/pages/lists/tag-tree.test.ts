import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TagNode, tagTree } from './tag-tree.ts';

const shown = (nodes: readonly TagNode[]): unknown[] =>
  nodes.map(({ name, label, count, inner }) => [`${name} ${label} ${count}`, ...shown(inner)]);

test('tagTree nests tags in those that begin their names, also where nobody has these, in order', () => {
  const tags = [
    { name: 'plan/2027/spring', count: 1 },
    { name: 'garden', count: 5 },
    { name: 'Plan', count: 2 },
    { name: 'plan/10', count: 1 },
    { name: 'plan/9', count: 3 },
  ];
  assert.deepEqual(shown(tagTree(tags, 'en')), [
    ['garden garden 5'],
    ['Plan Plan 2', ['plan/9 9 3'], ['plan/10 10 1'], ['plan/2027 2027 null', ['plan/2027/spring spring 1']]],
  ]);
});
