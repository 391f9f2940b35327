import { randomBytes } from 'node:crypto';
import type { EpochMs } from '@notevault/protocol/ids.ts';
import { type Clock, uuidSource } from '../../src/ports/clock/clock.ts';

/** A clock that advances only when told to. Its randomness is real; tests must not depend on it. */
export interface TestClock extends Clock {
  advance(by: { days?: number; hours?: number; minutes?: number; seconds?: number; ms?: number }): void;
}

const START = Date.UTC(2026, 0, 15, 12);

export function testClock(start: number = START): TestClock {
  let at = start;
  const now = () => at as EpochMs;
  return {
    now,
    random: randomBytes,
    uuid: uuidSource(now, randomBytes),
    advance({ days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0 }) {
      at += (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + ms;
    },
  };
}
