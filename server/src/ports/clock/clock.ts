import { randomBytes } from 'node:crypto';
import type { EpochMs } from '@notevault/protocol/values/ids.ts';

/** Time, timers, randomness and ids in one port, so that a test can control all of them. */
export interface Clock {
  /** Wall-clock time in milliseconds since the Unix epoch. */
  now(): EpochMs;
  /** Milliseconds since some moment; unlike `now`, never set back or forward: for measuring how long something takes. */
  elapsed(): number;
  /** Calls `run` once, after some milliseconds, unless disposed of before. Does not keep the process alive. */
  schedule(ms: number, run: () => void): Disposable;
  random(count: number): Buffer;
  /** A new UUIDv7 (RFC 9562, section 5.7) in lower case; within one process each is greater than the one before. */
  uuid(): string;
}

/** Makes UUIDv7s of one clock: 48 bits of time, a 12-bit counter that orders ids of one millisecond, 62 random bits. */
export function uuidSource(now: () => number, random: (count: number) => Buffer): () => string {
  let lastMs = 0;
  let counter = 0;
  return () => {
    const ms = now();
    if (ms > lastMs) {
      lastMs = ms;
      counter = random(2).readUInt16BE() & 0x7ff;
    } else if (++counter > 0xfff) {
      // The counter is full or the wall clock went back: use the next millisecond, to keep ids ascending.
      lastMs += 1;
      counter = 0;
    }
    const bytes = Buffer.concat([Buffer.alloc(8), random(8)]);
    bytes.writeUIntBE(lastMs, 0, 6);
    bytes.writeUInt16BE(0x7000 | counter, 6);
    bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
    const hex = bytes.toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  };
}

/** Each call of `randomBytes` costs a system call; one for the pool serves hundreds of IVs and ids. */
function pooledRandom(poolBytes: number): (count: number) => Buffer {
  let pool = Buffer.alloc(0);
  let used = 0;
  return (count) => {
    if (count > poolBytes / 4) return randomBytes(count);
    if (used + count > pool.length) {
      pool = randomBytes(poolBytes);
      used = 0;
    }
    // Bytes of a pool are handed out once: a used pool is replaced, not refilled.
    const bytes = pool.subarray(used, used + count);
    used += count;
    return bytes;
  };
}

export function systemClock(): Clock {
  const now = () => Date.now() as EpochMs;
  const random = pooledRandom(8192);
  return { now, elapsed: () => performance.now(), schedule, random, uuid: uuidSource(now, random) };
}

function schedule(ms: number, run: () => void): Disposable {
  const timer = setTimeout(run, Math.max(0, ms)).unref();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

/** Maximum difference between clocks, in milliseconds, before one counts as wrong. */
const TOLERANCE_MS = 2 * 3_600_000;

/**
 * Returns the latest plausible stored time; a later one, of a clock that was ahead, would delay work until that date.
 * @param spanMs how far ahead such a time is stored; 0 for times in the past.
 */
export function latestPlausible(now: number, spanMs = 0): number {
  return now + spanMs + TOLERANCE_MS;
}
