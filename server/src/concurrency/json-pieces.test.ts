import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonPieces, shortJson } from './json-pieces.ts';
import { loopSlices } from './yield.ts';

const written = async (value: unknown) => Buffer.concat(await jsonPieces(value)).toString('utf8');

test('jsonPieces writes what JSON.stringify writes, for any value', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), async (value) => {
      assert.equal(await written(value), JSON.stringify(value));
    }),
  );
});

test('shortJson writes what JSON.stringify writes, and nothing of values that are long or many', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const json = shortJson(value);
      assert.ok(json === null || json === JSON.stringify(value));
    }),
  );
  const note = { content: 'a'.repeat(60_000), tags: ['b'], none: undefined };
  assert.equal(shortJson(note), JSON.stringify(note));
  assert.equal(shortJson({ content: 'a'.repeat(70_000) }), null);
  assert.equal(shortJson({ list: Array.from({ length: 10_000 }, () => ({ n: 1 })) }), null);
});

test('jsonPieces writes long texts whole, with surrogate pairs at every piece boundary', async () => {
  for (const shift of [0, 1, 2, 3]) {
    const value = { list: [{ content: `${'x'.repeat(shift)}${'😀\n"\\'.repeat(60_000)}`, none: undefined }] };
    assert.equal(await written(value), JSON.stringify(value));
  }
  const broken = `\ud800${'\udc00'.repeat(70_000)}`;
  assert.deepEqual(JSON.parse(await written({ broken })), { broken });
});

test('jsonPieces writes a large value in slices between which other work runs', async (t) => {
  let now = performance.now();
  // A clock that advances by more than a slice at each reading.
  t.mock.method(performance, 'now', () => (now += 6));
  const before = loopSlices.resumed;
  const pieces = await jsonPieces({ list: Array.from({ length: 50 }, () => ({ content: 'a'.repeat(100_000) })) });
  assert.ok(pieces.length >= 50, `${pieces.length} pieces`);
  assert.ok(loopSlices.resumed - before >= 50, `${loopSlices.resumed - before} turns`);
});
