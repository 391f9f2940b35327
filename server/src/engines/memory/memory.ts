import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** As much garbage as streams may make between two collections. */
const BYTES_A_COLLECTION = 8 * 1024 * 1024;

let passed = 0;
let collect: (() => void) | null = null;

/**
 * Tells that a stream of large values has made so many bytes of garbage outside of V8's heap, such as the pieces that a
 * socket gives. V8 looks at them only when 64 MB have piled up, so every process that streams grows by so much, however
 * small the pieces are. A collection of the young objects now and then, a millisecond each, keeps it to a few MB.
 */
export function streamed(bytes: number): void {
  passed += bytes;
  if (passed < BYTES_A_COLLECTION) return;
  passed = 0;
  collect ??= youngCollection();
  collect();
}

/** Lets go at once of a buffer that nobody will look at again, rather than when it is collected. */
export function free({ buffer, byteLength }: Buffer): void {
  // Small buffers share their memory with others.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

function youngCollection(): () => void {
  // The only way to the collector from inside: contexts made while the flag is set have it.
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  return typeof gc === 'function' ? () => gc({ type: 'minor' }) : () => undefined;
}
