import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  closeSplit,
  closeTab,
  existingTabs,
  focusedOf,
  moveTab,
  NO_TABS,
  placeTab,
  readTabs,
  reopenTab,
  showTab,
  type Tabs,
  tabAfter,
} from './tabs.ts';

/** Tabs of single letters: `a [b] c` shows b; `a [b|(c)]` shows both, with the focus in c. */
function drawn({ ids, shown, at }: Tabs): string {
  return `${ids.join('')} ${shown.map((id, place) => (place === at ? `(${id})` : id)).join('|')}`;
}

const three: Tabs = { ids: ['a', 'b', 'c'], shown: ['b'], at: 0, closed: [] };
const split = placeTab(three, 'c', 'beside');

test('A note that is opened takes the place of the one that has the focus, or has a tab of its own', () => {
  assert.equal(drawn(showTab(NO_TABS, 'a')), 'a (a)');
  assert.equal(drawn(showTab(three, 'x')), 'axc (x)');
  assert.equal(drawn(showTab(three, 'a')), 'abc (a)');
  assert.equal(drawn(placeTab(three, 'x', 'tab')), 'abxc (x)');
  assert.equal(drawn(placeTab(three, 'x', 'behind')), 'abcx (b)');
  assert.equal(drawn(placeTab(NO_TABS, 'x', 'behind')), 'x ');
  assert.equal(showTab(three, 'b'), three);
});

test('Two notes are shown beside each other, and the address says which has the focus', () => {
  assert.equal(drawn(split), 'abc b|(c)');
  assert.equal(drawn(showTab(split, 'b')), 'abc (b)|c');
  assert.equal(drawn(showTab(split, 'a')), 'abc b|(a)');
  assert.equal(drawn(showTab(split, 'x')), 'abx b|(x)');
  assert.equal(drawn(placeTab(split, 'x', 'beside')), 'abcx b|(x)');
  assert.equal(drawn(placeTab(split, 'b', 'beside')), 'abc (b)|c');
  assert.equal(drawn(closeSplit(split)), 'abc (c)');
});

test('Closing shows what is beside, else the next tab, and in the end none', () => {
  assert.equal(drawn(closeTab(split, 'c')), 'ab (b)');
  assert.equal(drawn(closeTab(three, 'b')), 'ac (c)');
  assert.equal(drawn(closeTab(three, 'c')), 'ab (b)');
  const none = ['a', 'b', 'c'].reduce(closeTab, three);
  assert.deepEqual([drawn(none), focusedOf(none)], [' ', undefined]);
});

test('Closed tabs come back where they were, the last one first, unless their notes are gone', () => {
  const closed = closeTab(closeTab(three, 'a'), 'c');
  const first = reopenTab(closed, () => true);
  assert.deepEqual([first?.id, first?.tabs.ids], ['c', ['b', 'c']]);
  assert.deepEqual(reopenTab(closed, (id) => id !== 'c')?.tabs.ids, ['a', 'b']);
  assert.equal(
    reopenTab(three, () => true),
    null,
  );
});

test('Tabs are moved within the row, and gone through around its end', () => {
  assert.deepEqual(moveTab(three, 'a', 2).ids, ['b', 'c', 'a']);
  assert.deepEqual(moveTab(three, 'c', -4).ids, ['c', 'a', 'b']);
  assert.equal(moveTab(three, 'b', 1), three);
  assert.deepEqual([tabAfter(three, 1), tabAfter(three, 2), tabAfter(three, -2)], ['c', 'a', 'c']);
});

test('Tabs of notes that are gone vanish, except where they are shown', () => {
  assert.equal(drawn(existingTabs(three, () => false)), 'b (b)');
  assert.equal(
    existingTabs(three, () => true),
    three,
  );
});

test('There are at most sixty tabs; the first one that is not shown gives way', () => {
  let tabs = showTab(NO_TABS, 'first');
  for (let note = 0; note < 100; note++) tabs = placeTab(tabs, `${note}`, 'behind');
  assert.equal(tabs.ids.length, 60);
  assert.ok(tabs.ids.includes('first') && tabs.ids.includes('99'));
});

test('Stored tabs are read, and what makes no sense is left out', () => {
  assert.deepEqual(readTabs({ ...split, closed: [] }), { ...split, closed: [] });
  for (const wrong of [null, 'x', { ids: 'x' }, { ids: [1, null], shown: ['a'] }])
    assert.deepEqual(readTabs(wrong), NO_TABS);
  assert.equal(drawn(readTabs({ ids: ['a', 'b', 'a'], shown: ['x'], at: 1 })), 'ab (a)');
});
