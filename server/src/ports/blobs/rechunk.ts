import { withSpaceFor } from '../gc/gc.ts';

/** A stream of at most this length takes no provided buffer, which may have megabytes. */
const SHORT_BYTES = 32 * 1024;

/** A part of a stream, in one of the provided buffers; all of a short stream in one of its own. */
export interface Chunk {
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

/**
 * Splits a stream into parts as long as the buffers that `buffer` returns. The last part is shorter, or empty for an
 * empty stream. A full part is held back until more bytes arrive, because only then it is known not to be the last.
 *
 * @param buffer returns the buffer for the next part, of at least 32 KB: a new one, or one whose part is no longer used.
 */
export async function* rechunk(
  source: AsyncIterable<Uint8Array>,
  buffer: () => Buffer | Promise<Buffer>,
): AsyncGenerator<Chunk> {
  let into: Buffer = Buffer.alloc(0);
  let filled = 0;
  let isShort = true;
  for await (const piece of source) {
    if (isShort && filled + piece.length > SHORT_BYTES) {
      isShort = false;
      const begun = into.subarray(0, filled);
      into = await buffer();
      into.set(begun);
    } else if (isShort) into = withSpaceFor(into, filled + piece.length, SHORT_BYTES);
    for (let at = 0; at < piece.length; ) {
      if (filled === into.length) {
        yield { bytes: into, isLast: false };
        into = await buffer();
        filled = 0;
      }
      const part = piece.subarray(at, at + into.length - filled);
      into.set(part, filled);
      filled += part.length;
      at += part.length;
    }
  }
  yield { bytes: into.subarray(0, filled), isLast: true };
}
