import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { rechunk } from './rechunk.ts';

const PART = 100_000;
const SHORT = 32 * 1024;
const noise = randomBytes(3 * PART + 1);

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function parts(bytes: Buffer, pieceBytes: number) {
  let provided = 0;
  const found: { bytes: Buffer; isLast: boolean }[] = [];
  const buffer = () => {
    provided += 1;
    return Buffer.alloc(PART);
  };
  for await (const part of rechunk(pieces(bytes, pieceBytes), buffer)) found.push(part);
  return { found, provided };
}

test('rechunk splits a stream into parts as long as the buffers, whatever its pieces', async () => {
  for (const size of [0, 1, SHORT - 1, SHORT, SHORT + 1, PART - 1, PART, PART + 1, 2 * PART, 3 * PART + 1]) {
    for (const pieceBytes of [1000, SHORT, PART + 7, 4 * PART]) {
      const { found } = await parts(noise.subarray(0, size), pieceBytes);
      assert.ok(Buffer.concat(found.map(({ bytes }) => bytes)).equals(noise.subarray(0, size)), `${size} bytes`);
      assert.equal(found.length, Math.max(1, Math.ceil(size / PART)), `${size} bytes`);
      assert.deepEqual(
        found.map(({ isLast }) => isLast),
        found.map((_, index) => index === found.length - 1),
      );
    }
  }
});

test('rechunk asks for no buffer for a stream of at most 32 KB', async () => {
  assert.equal((await parts(noise.subarray(0, SHORT), 1000)).provided, 0);
  assert.equal((await parts(noise.subarray(0, SHORT + 1), 1000)).provided, 1);
});
