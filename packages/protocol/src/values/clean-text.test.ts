import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanText } from './clean-text.ts';

test("cleanText returns a stranger's text on one line, shortened, without characters that reverse it", () => {
  assert.equal(cleanText(' a\n\tb\u202ec\u2066\u200bd '), 'a b c d');
  assert.equal(cleanText('x'.repeat(300)), 'x'.repeat(255));
  assert.equal(cleanText('\ud800'), '\ufffd');
  for (const nothing of ['', ' \n', undefined, 7, null]) assert.equal(cleanText(nothing), null);
});
