import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import fc from 'fast-check';
import { base64Length, decodeBase64, encodeBase64 } from '../base64.ts';
import { streamField } from './streamed-json.ts';

async function* pieces(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, nth = 0; at < bytes.length; nth++) {
    const size = Math.max(1, sizes[nth % Math.max(1, sizes.length)] ?? bytes.length);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** The result of reading a body, or the code of its error. */
async function read(body: string | Buffer, sizes: readonly number[] = []) {
  try {
    const field = await streamField(pieces(Buffer.from(body), sizes), 'long');
    const before = field.fields();
    const text = Buffer.concat(await Array.fromAsync(field.text)).toString();
    return { found: field.found, before, text, fields: field.fields() };
  } catch (error) {
    if (error instanceof NotevaultError) return error.code;
    throw error;
  }
}

test('streamField returns what JSON.parse returns, for any object in any pieces', async () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const objects = fc.record({
    before: fc.dictionary(fc.string(), value),
    text: fc.string({ unit: 'grapheme' }),
    after: fc.dictionary(fc.string(), value),
    indent: fc.integer({ min: 0, max: 3 }),
    sizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
  });
  await fc.assert(
    fc.asyncProperty(objects, async ({ before, text, after, indent, sizes }) => {
      const object = { ...before, long: text, ...after, __proto__: null };
      // A field of that name is left out, at any depth.
      if (Object.hasOwn(after, 'long') || JSON.stringify([before, after]).includes('"__proto__":')) return;
      const got = await read(JSON.stringify(object, null, indent), sizes);
      assert.ok(typeof got === 'object');
      const { __proto__: _, ...plain } = object;
      assert.deepEqual([got.found, got.text], [true, text.toWellFormed()]);
      assert.deepEqual(got.fields, JSON.parse(JSON.stringify({ ...plain, long: '' })));
    }),
    { numRuns: 300 },
  );
});

test('streamField returns fields that come before the text before the text is read', async () => {
  const got = await read('{"a":{"long":"x"},"path":"p","long":"text","b":2}');
  assert.deepEqual(got, {
    found: true,
    text: 'text',
    before: { a: { long: 'x' }, path: 'p', long: '' },
    fields: { a: { long: 'x' }, path: 'p', long: '', b: 2 },
  });
});

test('streamField reads the whole body when the field is missing or not a text', async () => {
  for (const body of [
    '{}',
    '{"long":7}',
    '{"long":null}',
    '{"a":"long"}',
    '[{"long":"x"}]',
    '{"a":["long",":","x"]}',
  ]) {
    const got = await read(body);
    assert.ok(typeof got === 'object', body);
    assert.deepEqual([got.found, got.text], [false, ''], body);
  }
});

test('streamField refuses invalid JSON, a duplicate field, and more than a megabyte beside the text', async () => {
  for (const body of [
    ...['', '{', '{"long":"x', '{"long":"x"', '{"long":"x"}}', '{"long":"x"} 1', '{"long" "x"}', '{"a":1 "long":"x"}'],
    ...['{"long":"x","long":"y"}', '{"long":"\\x"}', '{"long":"\\u12"}', '{"a":"\u0000","long":"x"}'],
  ]) {
    assert.equal(await read(body), 'invalid_json', body);
  }
  assert.equal(await read(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), 'invalid_json');
  assert.equal(await read(`{"a":"${'x'.repeat(1_100_000)}","long":"x"}`), 'body_too_large');
});

test('streamField and decodeBase64 decode base64 in any pieces, and refuse anything else', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      async (bytes, sizes) => {
        const text = Buffer.from(bytes).toString('base64');
        const decoded = Buffer.concat(await Array.fromAsync(decodeBase64(pieces(Buffer.from(text), sizes))));
        assert.ok(decoded.equals(bytes));
        const encoded = (await Array.fromAsync(encodeBase64(pieces(Buffer.from(bytes), sizes)))).join('');
        assert.equal(encoded, text);
        assert.equal(base64Length(bytes.length), text.length);
      },
    ),
  );
  const wrong = ['A', 'AA', 'AAA', 'AA=', '=AAA', 'AA==AAAA', 'AAA=A', 'AA A', 'AAA\n', 'A-AA', 'A_AA', 'AAAé', '===='];
  // In the last group, and in one before it.
  for (const text of [...wrong, ...wrong.map((text) => `${text}AAAA`)]) {
    await assert.rejects(Array.fromAsync(decodeBase64(pieces(Buffer.from(text), [3]))), /invalid base64/, text);
  }
});
