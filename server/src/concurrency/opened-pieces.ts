/**
 * Passes on what a generator makes of pieces that are open. `return` closes them also when the generator has not come to
 * them: one that was not begun ends without a word to its source, and a file would stay open.
 */
export function fromOpened<In, Out>(
  opened: AsyncIterable<In>,
  make: (pieces: AsyncIterable<In>) => AsyncGenerator<Out>,
): AsyncIterableIterator<Out> {
  const source = opened[Symbol.asyncIterator]();
  const made = make({ [Symbol.asyncIterator]: () => source });
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => made.next(),
    async return() {
      try {
        return await made.return(undefined);
      } finally {
        await source.return?.();
      }
    },
  };
}

/** Copies each piece, because a store may overwrite it when the next one is read. */
export function copiesOf(opened: AsyncIterable<Uint8Array>): AsyncIterableIterator<Buffer> {
  return fromOpened(opened, async function* copy(pieces) {
    for await (const piece of pieces) yield Buffer.from(piece);
  });
}
