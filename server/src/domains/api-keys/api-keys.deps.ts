import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Credentials } from '../credentials/credentials.ts';
import type { Keys } from '../keys/keys.ts';
import type { PlanTable } from '../plans/plans.ts';

/** The injected dependencies of the domain. */
export interface ApiKeyDeps {
  readonly db: Database;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly accounts: Pick<Accounts, 'lockUser'>;
  readonly credentials: Pick<Credentials, 'insert' | 'remove' | 'count' | 'list'>;
  readonly plans: PlanTable;
}
