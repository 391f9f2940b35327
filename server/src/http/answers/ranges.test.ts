import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptsJson, dispositionOf, rangeOf } from './ranges.ts';

test('Content-Disposition is one header line for file names in any script and with any character', () => {
  for (const [name, expected] of [
    ['a.png', `inline; filename="a.png"; filename*=UTF-8''a.png`],
    ['a "b"\\%.png', `inline; filename="a _b___.png"; filename*=UTF-8''a%20%22b%22%5C%25.png`],
    ["it's (1)*.png", `inline; filename="it's (1)*.png"; filename*=UTF-8''it%27s%20%281%29%2a.png`],
    ['日本.png', `inline; filename="__.png"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.png`],
    ['\u{1f600}\u200b.png', `inline; filename="___.png"; filename*=UTF-8''%F0%9F%98%80%E2%80%8B.png`],
  ] as const) {
    assert.equal(dispositionOf('inline', name), expected);
  }
});

test('ranges of an empty file and with huge numbers are handled', () => {
  assert.equal(rangeOf(null, 0), null);
  assert.throws(() => rangeOf('bytes=0-', 0), /range_not_satisfiable/);
  assert.deepEqual(rangeOf('bytes=0-999999999999999', 5), { start: 0, end: 5 });
  assert.deepEqual(rangeOf(`bytes=0-${'9'.repeat(400)}`, 5), { start: 0, end: 5 });
  assert.deepEqual(rangeOf(`bytes=-${'9'.repeat(400)}`, 5), { start: 0, end: 5 });
  assert.throws(() => rangeOf(`bytes=${'9'.repeat(400)}-`, 5), /range_not_satisfiable/);
  assert.deepEqual(rangeOf('BYTES= 1 - 2 ', 5), { start: 1, end: 3 });
});

test('acceptsJson parses a list of media types', () => {
  assert.deepEqual(
    ['', 'text/html', 'application/json; q=0', '*/*;q=0.000', '*/*;q=0.1', 'image/*, Application/JSON'].map(
      acceptsJson,
    ),
    [false, false, false, false, true, true],
  );
  // A rule for JSON itself takes precedence over one for any type.
  assert.equal(acceptsJson('*/*, application/json;q=0'), false);
  assert.equal(acceptsJson('*/*;q=0, application/json'), true);
});
