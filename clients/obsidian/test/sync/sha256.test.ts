import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mock, test } from 'node:test';
import { hashing } from '../../src/sync/sha256.ts';

const TEXTS = [[], [''], ['one piece'], ['one', ' piece'], ['', 'after nothing'], ['a'.repeat(100_000), 'b']];

async function hashesOf(pieces: readonly string[]): Promise<readonly string[]> {
  const hash = hashing.begin();
  for (const piece of pieces) hash.add(new TextEncoder().encode(piece));
  return [await hash.end(), createHash('sha256').update(pieces.join('')).digest('hex')];
}

test('the plugin’s SHA-256 is that of all pieces, of one and of none', async () => {
  for (const pieces of TEXTS) {
    const [found, expected] = await hashesOf(pieces);
    assert.equal(found, expected);
  }
});

test('the plugin’s SHA-256 is the same in a page that is not secure', async () => {
  mock.getter(globalThis.crypto, 'subtle', () => undefined);
  try {
    for (const pieces of TEXTS) {
      const [found, expected] = await hashesOf(pieces);
      assert.equal(found, expected);
    }
  } finally {
    mock.restoreAll();
  }
});
