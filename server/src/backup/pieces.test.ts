import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { Random } from '../../test/kit/random.ts';
import { sha256 } from './format.ts';
import { cutRows } from './pieces.ts';

async function* inChunks(rows: readonly string[], random: Random): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(rows.map((row) => `${row}\n`).join(''));
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + random.below(200_000);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function piecesOf(rows: readonly string[], random: Random): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  for await (const piece of cutRows(inChunks(rows, random))) pieces.push(Buffer.from(piece));
  return pieces;
}

test('cutRows cuts equal rows alike, however they arrive, and a new row changes only the piece it is in', async () => {
  const random = new Random(7);
  const filler = random.noise(300);
  const rows = Array.from(
    { length: 60_000 },
    (_, at) => `${at}\t${filler.slice(random.below(300))}${random.noise(12)}`,
  );
  const pieces = await piecesOf(rows, random);
  assert.equal(Buffer.concat(pieces).toString(), rows.map((row) => `${row}\n`).join(''));
  assert.ok(pieces.length > 5, `${pieces.length} pieces`);
  const hashes = (some: readonly Buffer[]) => new Set(some.map((piece) => sha256(piece)));
  assert.deepEqual(hashes(await piecesOf(rows, random)), hashes(pieces));
  const changed = await piecesOf([...rows.slice(0, 30_000), 'a new row', ...rows.slice(30_000)], random);
  assert.ok(hashes(changed).difference(hashes(pieces)).size <= 2, 'more than two pieces are new');
});

test('cutRows bounds the length of a piece of endless rows', async () => {
  const pieces = await piecesOf(['x'.repeat(9_000_000)], new Random(1));
  assert.ok(pieces.every(({ length }) => length <= 8 * MB));
  assert.equal(Buffer.concat(pieces).length, 9_000_001);
});

test('cutRows yields nothing for an empty table', async () => {
  assert.deepEqual(await piecesOf([], new Random(1)), []);
});
