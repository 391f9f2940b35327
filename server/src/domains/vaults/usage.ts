import type { Principal } from '../access/access.ts';
import { type Plan, planOf } from '../plans/plans.ts';
import type { VaultDeps } from './vaults.deps.ts';
import * as store from './vaults.store.ts';

/** The totals of an account over its active vaults, and its plan. */
export interface StorageUsage {
  readonly vaults: number;
  readonly notes: number;
  readonly attachments: number;
  /** Bytes of the attachments, as uploaded. */
  readonly bytes: number;
  readonly plan: Plan;
  readonly tier: string;
}

export interface UsageQueries {
  storage(principal: Principal): Promise<StorageUsage>;
}

export function createUsage({ db, plans }: VaultDeps): UsageQueries {
  return {
    async storage({ userId, tier }) {
      const sums = await db.get(store.sumActive, { userId });
      return {
        vaults: sums?.vaults ?? 0,
        notes: sums?.notes ?? 0,
        attachments: sums?.attachments ?? 0,
        bytes: sums?.attachmentBytes ?? 0,
        plan: planOf(plans, tier),
        tier,
      };
    },
  };
}
