import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inAscii } from './bundle.ts';

test('a bundled file in ASCII means the same', () => {
  const code =
    'const text = "Zürich 😀", words = [/^[à-ÿ]+$/u.test("é"), /😀/u.exec("a😀")?.index, `„Zürich“`, "\\\\é"];';
  const ascii = inAscii(code, 'a.js');
  assert.match(ascii, /^[\0-\x7f]+$/);
  const run = (source: string): unknown => new Function(`${source} return [text, words];`)();
  assert.deepEqual(run(ascii), run(code));
});

test('a bundled file is refused where an escape would change the meaning of its text', () => {
  assert.throws(() => inAscii('const a = /\\é/;', 'a.js'), /a\.js has text/);
  assert.throws(() => inAscii('const a = String.raw`ü`;', 'a.js'), /a\.js has text/);
});
