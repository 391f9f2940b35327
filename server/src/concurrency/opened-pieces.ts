/** Iterates a generator over opened pieces, and closes them even if the generator has not begun. */
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
