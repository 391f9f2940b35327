import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { PlanTable } from '../plans/plans.ts';
import type { Vaults } from '../vaults/vaults.ts';

/** The injected dependencies of the domain. */
export interface AdminDeps {
  readonly db: Pick<Database, 'engine'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly accounts: Pick<
    Accounts,
    | 'listUsers'
    | 'updateUser'
    | 'deleteUser'
    | 'countAccounts'
    | 'createInvite'
    | 'listInvites'
    | 'deleteInvite'
    | 'bootstrap'
  >;
  readonly vaults: Pick<Vaults, 'totals' | 'totalsOfUsers'>;
  readonly plans: PlanTable;
  readonly version: string;
  /** When the last backup that ended well was taken; null before the first one. */
  readonly lastBackup: () => Promise<number | null>;
}
