import { fromOpened } from './opened-pieces.ts';

const FRESH_MS = 1000;

/** Passes on pieces, and checks every second that they are still permitted. Throws the error of a check. */
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
