import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '@notevault/sync/engine/ports.ts';

/** Returns the clock of this machine. */
export function nodeClock(): Clock {
  return {
    now: () => Date.now(),
    ticks: () => performance.now(),
    sleep: (ms, signal) => wait(ms, undefined, signal === undefined ? {} : { signal }),
    uuid: () => randomUUID(),
  };
}
