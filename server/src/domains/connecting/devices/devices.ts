import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import { type Database, deleteUntil, type WriteHandle } from '../../../ports/database/database.ts';
import type { Accounts } from '../../content/accounts/accounts.ts';
import type { Vaults } from '../../content/vaults/vaults.ts';
import type { Keys } from '../../foundation/keys/keys.ts';
import type { Credentials } from '../credentials/credentials.ts';
import { DeviceAuthorization } from './authorization.ts';
import * as store from './devices.store.ts';
import { LinkPage } from './link-page.ts';
import { DeviceTokens } from './tokens.ts';

export interface DeviceDeps {
  readonly db: Database;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly accounts: Pick<Accounts, 'lockUser' | 'me' | 'identify' | 'identifyBySecondFactor' | 'identifyByToken'>;
  readonly vaults: Pick<Vaults, 'list' | 'create' | 'openVault' | 'rolesIn' | 'confirmRights'>;
  readonly credentials: Pick<Credentials, 'insert' | 'end' | 'existed' | 'recordFirstUse'>;
  readonly publicUrl: string;
}

export type { DeviceAuthorization } from './authorization.ts';
export type { DeviceConsentRequest, LinkPage } from './link-page.ts';
export type { DeviceTokens } from './tokens.ts';

const SWEEP_BATCH = 500;

/** Devices: linking them to a vault, and their tokens. */
export class Devices {
  readonly tokens: DeviceTokens;
  readonly authorization: DeviceAuthorization;
  readonly linkPage: LinkPage;
  readonly #deps: DeviceDeps;

  constructor(deps: DeviceDeps) {
    this.#deps = deps;
    this.tokens = new DeviceTokens(deps);
    this.authorization = new DeviceAuthorization(deps, this.tokens);
    this.linkPage = new LinkPage(deps, this.authorization);
  }

  /** Deletes expired links, and ends devices that were offline too long. */
  async sweep(): Promise<void> {
    const { db, clock } = this.#deps;
    const now = clock.now();
    await deleteUntil(db, store.deleteExpiredLinks, now);
    while (await this.#endSome(now));
  }

  /** Voids the links of a user to a vault that wait for their device. */
  async forgetVault(handle: WriteHandle, userId: UserId, vaultId: VaultId): Promise<void> {
    await handle.run(store.deleteLinksTo, { user_id: userId, vault_id: vaultId });
  }

  /** Voids approved links that no device has fetched: the device would outlive the session that approved it. */
  async forgetApproved(handle: WriteHandle, userId: UserId): Promise<void> {
    await handle.run(store.deleteLinksIn, { user_id: userId, state: 'approved' });
  }

  async #endSome(until: number): Promise<boolean> {
    const { db } = this.#deps;
    const families = await db.all(store.findExpiredFamilies, { until, limit: SWEEP_BATCH });
    await db.transact(async (handle) => {
      for (const family of families) await this.tokens.end(handle, family);
    });
    return families.length === SWEEP_BATCH;
  }
}
