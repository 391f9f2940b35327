/** A part of a stream, in one of the buffers that were given for it. */
export interface Chunk {
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

/**
 * A stream in parts, each as long as the buffer it is put into; the last is shorter, or empty for an empty stream. A full
 * part waits until more comes: only then is it known not to be the last.
 *
 * @param buffer gives what the next part goes into: a new buffer, or one whose part is done with.
 */
export async function* rechunk(
  source: AsyncIterable<Uint8Array>,
  buffer: () => Buffer | Promise<Buffer>,
): AsyncGenerator<Chunk> {
  let into = await buffer();
  let filled = 0;
  for await (const piece of source) {
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
