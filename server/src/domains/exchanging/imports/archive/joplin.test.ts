import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joplinItem } from '../../../../../test/kit/content/joplin.ts';
import { JoplinIndex, parseItem } from './joplin.ts';

const COUNT = 500;
const idOf = (number: number) => number.toString(16).padStart(32, '0');

test('notes of one title are numbered with work in proportion to their number', (t) => {
  const index = new JoplinIndex();
  const ids = Array.from({ length: COUNT }, (_, at) => idOf(at));
  // One title is what a number makes of the others.
  for (const [at, id] of ids.entries()) {
    const item = parseItem(
      joplinItem('note', { id, title: at === 3 ? 'same 3' : at % 2 === 0 ? 'Same' : 'same' }).data,
    );
    assert.ok(item !== null);
    index.add(item);
  }
  const has = t.mock.method(Set.prototype, 'has');
  index.assignPaths();
  const looked = has.mock.callCount();
  t.mock.restoreAll();
  assert.ok(looked < 4 * COUNT, `${looked} looks for ${COUNT} notes`);
  assert.deepEqual(
    ids.slice(0, 6).map((id) => index.pathOf(id)),
    ['Same.md', 'same 2.md', 'Same 3.md', 'same 3 2.md', 'Same 4.md', 'same 5.md'],
  );
  assert.equal(new Set(ids.map((id) => index.pathOf(id)?.toLowerCase())).size, COUNT);
});
