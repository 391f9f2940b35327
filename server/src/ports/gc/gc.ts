import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Garbage that streams may make between two collections. */
const COLLECT_EVERY_BYTES = 8 * 1024 * 1024;

/** How long a thread must be idle before its garbage is collected. */
const IDLE_MS = 5000;

/** Collecting the garbage of a thread that keeps nothing takes a few milliseconds: little beside work as long as this. */
const LONG_WORK_MS = 100;

type Collect = (options: { type: 'minor' | 'major' }) => void;

let streamedBytes = 0;
let collect: Collect | null = null;

/**
 * Reports that a stream made `bytes` of garbage outside V8's heap, such as buffers from a socket. V8 collects these
 * only after 64 MB, so every process that streams would grow by that much. A collection of the young generation now and
 * then, about a millisecond each, keeps it at a few MB.
 */
export function countStreamed(bytes: number): void {
  streamedBytes += bytes;
  if (streamedBytes < COLLECT_EVERY_BYTES) return;
  streamedBytes = 0;
  collect ??= collector();
  collect({ type: 'minor' });
}

/**
 * Returns a function to call after each piece of work: when `idleMs` have passed without a call, this thread's garbage
 * is collected. Otherwise a thread with bursts of work would keep the garbage of one burst until the next.
 */
export function collectWhenIdle(idleMs = IDLE_MS): () => void {
  const timer = setTimeout(() => {
    collect ??= collector();
    collect({ type: 'major' });
  }, idleMs).unref();
  return () => void timer.refresh();
}

/**
 * Returns a function to call after each piece of work, with the processor time it took: like `collectWhenIdle`, and
 * after long work this thread's garbage is collected at once. For threads that keep nothing between two pieces of work:
 * a large text leaves 100 MB of garbage, and the next one would come on top of it.
 */
export function collectAfterWork(longMs = LONG_WORK_MS, idleMs = IDLE_MS): (cpuMs: number) => void {
  const later = collectWhenIdle(idleMs);
  return (cpuMs) => {
    if (cpuMs < longMs) return later();
    collect ??= collector();
    collect({ type: 'major' });
  };
}

/** Frees the memory of a buffer that is no longer used at once, instead of at the next collection. */
export function freeBuffer({ buffer, byteLength }: Buffer): void {
  // Small buffers share their memory with others.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

function collector(): Collect {
  // The only way to the garbage collector from inside the process: contexts created while the flag is set have `gc`.
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  return typeof gc === 'function' ? (options) => gc(options) : () => undefined;
}
