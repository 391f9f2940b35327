import { fromOpened } from './opened-pieces.ts';

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
  let checkedAt = now();
  return fromOpened(pieces, async function* permitted(opened) {
    for await (const piece of opened) {
      if (now() - checkedAt >= FRESH_MS) {
        checkedAt = now();
        await check();
      }
      yield piece;
    }
  });
}
