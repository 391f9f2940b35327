import type { EpochMs } from '@notevault/protocol/values/ids.ts';
import { type Clock, uuidSource } from './clock.ts';

/**
 * The clock of servers that share a database: the database's own, so that all of them have the same time although the
 * clocks of their machines differ. Until the database was asked, it is the machine's.
 */
export class DatabaseClock implements Clock {
  readonly #machine: Clock;
  /** Milliseconds to add to the elapsed time; null before the database was asked. */
  #offset: number | null = null;
  readonly elapsed: Clock['elapsed'];
  readonly schedule: Clock['schedule'];
  readonly random: Clock['random'];
  readonly uuid: Clock['uuid'];

  constructor(machine: Clock) {
    this.#machine = machine;
    this.elapsed = machine.elapsed;
    this.schedule = machine.schedule;
    this.random = machine.random;
    this.uuid = uuidSource(this.now, machine.random);
  }

  readonly now = (): EpochMs =>
    (this.#offset === null ? this.#machine.now() : Math.round(this.elapsed() + this.#offset)) as EpochMs;

  /** Takes the database's time over, unless the difference may come from the round trip that read it. */
  readonly adjust = (now: number, roundTripMs: number): void => {
    const offset = now + roundTripMs / 2 - this.elapsed();
    if (this.#offset === null || Math.abs(offset - this.#offset) > roundTripMs / 2 + 1) this.#offset = offset;
  };
}
