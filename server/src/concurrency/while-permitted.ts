const FRESH_MS = 1000;

/**
 * Passes on pieces as long as they are permitted: before a piece, when the last check is over a second old, it is checked
 * again. Throws the error of a check, so that the bytes end as cut off.
 */
export function whilePermitted<Piece>(
  pieces: AsyncIterable<Piece>,
  check: () => Promise<void>,
  now: () => number,
): AsyncIterableIterator<Piece> {
  const iterator = pieces[Symbol.asyncIterator]();
  let checkedAt = now();
  // No generator: one that was not begun would not pass `return` on, and the pieces would stay open.
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const piece = await iterator.next();
      if (piece.done === true || now() - checkedAt < FRESH_MS) return piece;
      checkedAt = now();
      try {
        await check();
      } catch (error) {
        await iterator.return?.();
        throw error;
      }
      return piece;
    },
    async return() {
      await iterator.return?.();
      return { done: true, value: undefined };
    },
  };
}
