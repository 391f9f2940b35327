import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { copiesOf, fromOpened } from './opened-pieces.ts';
import { whilePermitted } from './while-permitted.ts';

/** Pieces that are open, as a file is, from now until `return`. */
function openPieces() {
  const state = { isOpen: true };
  const pieces: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => pieces,
    next: async () => ({ done: false, value: Buffer.from('piece') }),
    async return() {
      state.isOpen = false;
      return { done: true, value: undefined };
    },
  };
  return { pieces, state };
}

const allowed = async () => undefined;

const wrappers = {
  copiesOf,
  whilePermitted: (pieces: AsyncIterable<Uint8Array>) => whilePermitted(pieces, allowed, () => 0),
  'fromOpened, before its generator comes to the pieces': (pieces: AsyncIterable<Uint8Array>) =>
    fromOpened(pieces, async function* late(opened) {
      yield Buffer.from('before');
      yield* opened;
    }),
};

for (const [name, wrap] of Object.entries(wrappers)) {
  for (const reads of [0, 1, 2]) {
    test(`${name} closes the pieces when it is destroyed after ${reads} reads`, async () => {
      const { pieces, state } = openPieces();
      const iterator = wrap(pieces);
      for (let i = 0; i < reads; i++) assert.equal((await iterator.next()).done, false);
      await iterator.return?.();
      assert.equal(state.isOpen, false);
      assert.equal((await iterator.next()).done, true);
    });
  }

  test(`${name} closes the pieces when a stream over it is destroyed before its first read`, async () => {
    const { pieces, state } = openPieces();
    const stream = Readable.from(wrap(pieces), { objectMode: false });
    stream.destroy();
    await once(stream, 'close');
    assert.equal(state.isOpen, false);
  });
}
