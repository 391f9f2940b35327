import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { Principal } from '../access/access.ts';
import { type Plan, planOf } from '../plans/plans.ts';
import * as store from './vaults.store.ts';
import type { VaultDeps } from './vaults.ts';

/** Totals over active vaults. */
export interface Totals {
  readonly vaults: number;
  readonly notes: number;
  readonly attachments: number;
  /** Bytes of the attachments, as uploaded. */
  readonly bytes: number;
}

/** The totals of an account, and its plan. */
export interface StorageUsage extends Totals {
  readonly plan: Plan;
  readonly tier: string;
}

export const NO_TOTALS: Totals = { vaults: 0, notes: 0, attachments: 0, bytes: 0 };

export function createUsage({ db, plans }: VaultDeps) {
  return {
    async storage({ userId, tier }: Principal): Promise<StorageUsage> {
      return { ...((await db.get(store.sumActive, { userId })) ?? NO_TOTALS), plan: planOf(plans, tier), tier };
    },
    /** The totals of each account whose id is from `first` to `last`; accounts without vaults are left out. */
    async totalsOfUsers(first: UserId, last: UserId): Promise<ReadonlyMap<UserId, Totals>> {
      const rows = await db.all(store.sumActiveOfUsers, { first, last });
      return new Map(rows.map(({ userId, ...sums }) => [userId, sums]));
    },
    totals: async (): Promise<Totals> => (await db.get(store.sumActiveOfAll, {})) ?? NO_TOTALS,
  };
}
