import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allNotes } from '../../../server/test/kit/content/test-vault.ts';
import { assertAgreement, assertSpans } from './markdown-it.ts';

/** Text with each kind of block that may contain text that only looks like a link. */
const fixture = [
  '---\ntitle: T\n---\n# A `code` [b](b.md)\n',
  '> [!note] Callout\n> - a `x`\n>   ```js\n>   [no](no.md)\n>   ```\n>\n>       [no](no.md)\n\n1. [c](<c d.md>)\n\n   ![e](e.png "t")',
  '| `a\\|b` | [f](f.md) |\n|---|---|\n| `g` | ![h](h.png) |\n\n~~~\n[no](no.md)\n~~~\n[i][r] [r]\n\n[r]: j.md\n',
].join('\n');

test('markdown-it and the scanner agree on what is code, a markdown link and a heading in the test vault', () => {
  assert.equal(assertAgreement(new Map([['fixture', fixture]])), 7);
  assert.ok(assertAgreement(allNotes()) > 150);
});

test('every link span in the test vault matches its link, and only intentionally bad YAML is degraded', () => {
  const degraded = assertSpans(allNotes());
  assert.ok(degraded.length > 0);
  for (const path of degraded) assert.match(path, /^\w\w\/Diary\/2026-01-(?:06|07|08|14|15|16)\.md$/);
});
