import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MB } from '@notevault/protocol/values/byte-units.ts';

/** Garbage that streams may make between two collections. */
const COLLECT_EVERY_BYTES = 8 * MB;

/** How long a thread must be idle before its garbage is collected. */
const IDLE_MS = 5000;

/** A thread with more in memory than this after its work would come near its limit if the next work came on top of it. */
const LARGE_BYTES = 128 * MB;

/**
 * Interval at which `collectWhileIdle` checks, and the share of that time for which an idle thread may have been busy.
 */
const INTERVAL_MS = 5000;
const IDLE_SHARE = 0.1;
/** Garbage that is worth a collection of an idle thread. */
const GROWTH_BYTES = 8 * MB;
/** A collection stops the thread for about two milliseconds per MB, which requests would notice with a larger heap. */
const IDLE_HEAP_MAX_BYTES = 128 * MB;
/** The share of the time that collections of an idle thread may take, so that hardly a request meets one. */
const COLLECT_SHARE = 0.005;

type Collect = (options: { type: 'minor' | 'major'; flavor?: 'last-resort' }) => void;

let streamedBytes = 0;
let made: Collect | null = null;

const collect: Collect = (options) => {
  made ??= collector();
  made(options);
};

/**
 * Reports that a stream made `bytes` of garbage outside V8's heap, such as buffers from a socket. V8 collects these
 * only after 64 MB, so every process that streams would grow by that much. A collection of the young generation now and
 * then, about a millisecond each, keeps it at a few MB.
 */
export function countStreamed(bytes: number): void {
  streamedBytes += bytes;
  if (streamedBytes < COLLECT_EVERY_BYTES) return;
  streamedBytes = 0;
  collect({ type: 'minor' });
}

/**
 * Returns a function to call after each piece of work: when `idleMs` have passed without a call, this thread's garbage
 * is collected. Otherwise a thread with bursts of work would keep the garbage of one burst until the next.
 */
export function collectWhenIdle(idleMs = IDLE_MS): () => void {
  const timer = setTimeout(() => collect({ type: 'major' }), idleMs).unref();
  return () => void timer.refresh();
}

/**
 * Returns a function to call after each piece of work: like `collectWhenIdle`, and when more than `largeBytes` are in use,
 * this thread's garbage is collected at once. For threads that keep nothing between two pieces of work: a large text
 * leaves 100 MB of garbage, and the next one would come on top of it.
 *
 * Not after every long work: a collection drops compiled code too, without which the next takes twice the time.
 */
export function collectAfterWork(largeBytes = LARGE_BYTES, idleMs = IDLE_MS): () => void {
  const later = collectWhenIdle(idleMs);
  return () => {
    if (usedBytes() < largeBytes) later();
    else collect({ type: 'major' });
  };
}

/**
 * Collects the garbage of this thread whenever it has been idle for a while and its memory has grown. V8 collects only
 * when a heap grows, so an idle server would keep the garbage of its start or last work: 20 MB and more.
 *
 * @returns a handle that stops it.
 */
export function collectWhileIdle(intervalMs = INTERVAL_MS): Disposable {
  let looked = performance.eventLoopUtilization();
  let keptBytes = 0;
  let notBefore = 0;
  const timer = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(looked);
    const bytes = usedBytes();
    const isWorth = bytes - keptBytes >= GROWTH_BYTES && bytes <= IDLE_HEAP_MAX_BYTES;
    if (isWorth && utilization <= IDLE_SHARE && performance.now() >= notBefore) {
      // Processor time: on a busy machine a collection takes longer without costing more.
      const before = process.threadCpuUsage();
      // Others leave the pages that they freed in a pool of V8.
      collect({ type: 'major', flavor: 'last-resort' });
      keptBytes = usedBytes();
      const { user, system } = process.threadCpuUsage(before);
      notBefore = performance.now() + (user + system) / 1000 / COLLECT_SHARE;
    }
    looked = performance.eventLoopUtilization();
  }, intervalMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Returns the bytes that this thread uses, garbage included. */
function usedBytes(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}

/** Frees the memory of a buffer that is no longer used at once, instead of at the next collection. */
export function freeBuffer({ buffer, byteLength }: Buffer): void {
  // Small buffers share their memory with others.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/**
 * Returns a buffer with the content of the given one and space for `bytes`: the same buffer if it is large enough.
 * `max` is the maximum it may ever need.
 *
 * Use it for contents that are usually short: V8 runs a full collection after every 64 MB of buffers, used or not, and
 * that takes longer with more cached vaults.
 */
export function withSpaceFor(buffer: Buffer, bytes: number, max: number): Buffer {
  if (buffer.length >= bytes) return buffer;
  const larger = Buffer.alloc(Math.min(max, Math.max(bytes, 2 * buffer.length)));
  larger.set(buffer);
  return larger;
}

function collector(): Collect {
  // The only way to the garbage collector from inside the process: contexts created while the flag is set have `gc`.
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  return typeof gc === 'function' ? (options) => gc(options) : () => undefined;
}
