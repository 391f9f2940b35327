import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import type { Keys } from '../keys/keys.ts';

/** The injected dependencies of the domain. */
export interface IdempotencyDeps {
  readonly db: Database;
  readonly keys: Pick<Keys, 'open'>;
  readonly clock: Clock;
  /** How long a call waits for another one with the same key. */
  readonly waitMs?: number;
}
