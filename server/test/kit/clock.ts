import { randomBytes } from 'node:crypto';
import type { EpochMs } from '@notevault/protocol/values/ids.ts';
import { type Clock, uuidSource } from '../../src/ports/clock/clock.ts';

/** A clock that advances only when told to. Its randomness is real; tests must not depend on it. */
export interface TestClock extends Clock {
  /** Moves the time, and calls what was scheduled up to then, in order and each at its time. */
  advance(by: { days?: number; hours?: number; minutes?: number; seconds?: number; ms?: number }): void;
  /** Sets the wall-clock time forward or back, as an operator or NTP does; nothing that was scheduled comes earlier. */
  shiftWall(by: { days?: number; hours?: number }): void;
  /** How many functions are scheduled. */
  readonly scheduled: number;
}

const START = Date.UTC(2026, 0, 15, 12);

interface Timer {
  readonly at: number;
  run(): void;
}

export function testClock(start: number = START): TestClock {
  let at = start;
  let shift = 0;
  const timers = new Set<Timer>();
  const now = () => (at + shift) as EpochMs;
  const next = () =>
    [...timers].reduce<Timer | undefined>((a, b) => (a !== undefined && a.at <= b.at ? a : b), undefined);
  return {
    now,
    elapsed: () => at,
    schedule(ms, run) {
      const timer = { at: at + Math.max(0, ms), run };
      timers.add(timer);
      return { [Symbol.dispose]: () => void timers.delete(timer) };
    },
    get scheduled() {
      return timers.size;
    },
    shiftWall({ days = 0, hours = 0 }) {
      shift += (days * 24 + hours) * 3_600_000;
    },
    random: randomBytes,
    uuid: uuidSource(now, randomBytes),
    advance({ days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0 }) {
      const end = at + (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + ms;
      for (let timer = next(); timer !== undefined && timer.at <= end; timer = next()) {
        at = Math.max(at, timer.at);
        timers.delete(timer);
        timer.run();
      }
      at = end;
    },
  };
}
