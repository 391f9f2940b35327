import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { EventSink } from '../../events.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Keys } from '../keys/keys.ts';
import type { PlanTable } from '../plans/plans.ts';

/** Effects of vaults in later domains; bound in app/. */
export interface VaultHooks {
  /**
   * Erases a bounded part of a vault's rows and blobs in other domains; resolves to true while some are left. Called
   * again after a crash, so it must continue where it stopped. The vault's key is destroyed by then, so nothing can be
   * opened.
   */
  purgeSlice(vaultId: VaultId): Promise<boolean>;
  /** The suggestions of a pending device-link code; null when the user cannot claim it. */
  deviceLink(userId: UserId, userCode: string): Promise<DeviceLink | null>;
}

export interface DeviceLink {
  readonly vaultName: string | null;
  readonly deviceName: string | null;
}

/** The injected dependencies of the domain. */
export interface VaultDeps {
  readonly db: Database;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly accounts: Pick<Accounts, 'lockUser'>;
  readonly plans: PlanTable;
  /** Days during which a deleted vault can be restored. */
  readonly purgeAfterDays: number;
  readonly hooks: VaultHooks;
  readonly events: EventSink;
}
