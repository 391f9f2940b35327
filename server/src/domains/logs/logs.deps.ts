import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import type { Keys } from '../keys/keys.ts';

/** The injected dependencies of the domain. */
export interface LogDeps {
  readonly db: Database;
  readonly keys: Pick<Keys, 'open'>;
  readonly clock: Clock;
}
