import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RecentTexts } from '../../src/live/texts.ts';

it('a text was made from the one that has its lines, also where letters were typed into each of them', () => {
  const before = '---\nkind: note\n---\n# Title\n\nfirst line\n';
  const after = '---\nkind: note\np丁: x\n---\n# Title\n\nfirst line\n';
  const recent = new RecentTexts(before, () => 0);
  recent.add(before);
  recent.add(after);
  // Line by line, more of the later one than of the earlier one is another text now.
  const text = '一---\nkind: no丅te\n丆p丁: x\n---\n# Title\n\nfirst lin万e\n丂';
  assert.equal(recent.baseOf(text), after);
  assert.equal(recent.baseOf(`${before}last\n`), before);
});

it('a text of which nothing is left was made from what the file has', () => {
  const recent = new RecentTexts('on the disk\n', () => 0);
  recent.add(`${'a'.repeat(1000)}\n`);
  assert.equal(recent.baseOf('b'.repeat(500)), 'on the disk\n');
});
