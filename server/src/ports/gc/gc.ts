import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** As much garbage as streams may make between two collections. */
const COLLECT_EVERY_BYTES = 8 * 1024 * 1024;

/** So long a thread has nothing to do before its garbage is collected. */
const IDLE_MS = 5000;

type Collect = (options: { type: 'minor' | 'major' }) => void;

let streamedBytes = 0;
let collect: Collect | null = null;

/**
 * Tells that a stream of large values has made so many bytes of garbage outside of V8's heap, such as the pieces that a
 * socket gives. V8 looks at them only when 64 MB have piled up, so every process that streams grows by so much, however
 * small the pieces are. A collection of the young objects now and then, a millisecond each, keeps it to a few MB.
 */
export function countStreamed(bytes: number): void {
  streamedBytes += bytes;
  if (streamedBytes < COLLECT_EVERY_BYTES) return;
  streamedBytes = 0;
  collect ??= collector();
  collect({ type: 'minor' });
}

/**
 * Gives a function to call after each piece of work: once `idleMs` have passed without any, this thread's garbage is
 * collected. A thread that works by fits and starts would else keep the garbage of one until the next.
 */
export function collectWhenIdle(idleMs = IDLE_MS): () => void {
  const timer = setTimeout(() => {
    collect ??= collector();
    collect({ type: 'major' });
  }, idleMs).unref();
  return () => void timer.refresh();
}

/** Lets go at once of a buffer that nobody will look at again, rather than when it is collected. */
export function freeBuffer({ buffer, byteLength }: Buffer): void {
  // Small buffers share their memory with others.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

function collector(): Collect {
  // The only way to the collector from inside: contexts made while the flag is set have it.
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  return typeof gc === 'function' ? (options) => gc(options) : () => undefined;
}
