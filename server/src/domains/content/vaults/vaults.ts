import { type EpochMs, NIL_UUID, type UserId, type VaultId } from '@notevault/protocol/values/ids.ts';
import type { EventSink } from '../../../events.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import { type Database, type ReadHandle, rowsOf, type WriteHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../foundation/access/access.ts';
import type { Keys } from '../../foundation/keys/keys.ts';
import type { PlanTable } from '../../foundation/plans/plans.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { createAccess } from './access.ts';
import { changeFeeds, createChangeSequence } from './change-sequence.ts';
import { create, register } from './create.ts';
import { createSharing, remove, restore, update } from './lifecycle.ts';
import { createPeople } from './people.ts';
import { purge, purgeAllOf, purgeDue } from './purge.ts';
import { createQueries } from './queries.ts';
import { confirmRights, holdRightsIn, isSuspended, raiseAccountRights, raiseVaultRights } from './rights.ts';
import { createTrashUsage, createUsage } from './usage.ts';
import * as feeds from './vault-feeds.store.ts';
import * as store from './vaults.store.ts';

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
  /** Bytes reserved by uploads into some vaults, except those of one upload. */
  announcedBytes(handle: ReadHandle, vaultIds: readonly VaultId[], except: string | null): Promise<number>;
}

export interface DeviceLink {
  readonly vaultName: string | null;
  readonly deviceName: string | null;
}

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

export type { OpenVault } from '../../foundation/access/access.ts';
export type { CachedCollection, CachedRow, CacheSnapshot, VaultCache } from './cache/vault-cache.ts';
export type { ChangeFeeds, ChangeSequence, FeedState } from './change-sequence.ts';
export type { SharedRow } from './lifecycle.ts';
export type { SharedVault } from './queries.ts';
export type { Totals, TrashContents, TrashUsage } from './usage.ts';

export type Vaults = ReturnType<typeof createVaults>;

export function createVaults(deps: VaultDeps) {
  return {
    ...createAccess(deps),
    create: create.bind(null, deps),
    register: register.bind(null, deps),
    ...createQueries(deps),
    update: update.bind(null, deps),
    remove: remove.bind(null, deps),
    restore: restore.bind(null, deps),
    purge: purge.bind(null, deps),
    purgeDue: purgeDue.bind(null, deps),
    purgeAllOf: purgeAllOf.bind(null, deps),
    ...createUsage(deps),
    ...createPeople(deps),
    ...createSharing(deps),
    ...createChangeSequence(deps),
    ...changeFeeds,
    ...linksVersions,
    ...createTrashUsage(deps),
    confirmRights: confirmRights.bind(null, deps.db),
    isSuspended: isSuspended.bind(null, deps.db),
    holdRightsIn,
    raiseAccountRights,
    raiseVaultRights,
  };
}

/**
 * Begins another feed epoch in every vault, so that cursors and other knowledge of clients become void. Resolves to the number of vaults.
 */
export async function beginFeedEpochs(handle: WriteHandle, clock: Pick<Clock, 'now'>): Promise<number> {
  // Derived from the clock, so that restoring one backup twice does not lead to the same epoch twice.
  const epoch = Math.floor(clock.now() / 1000);
  return handle.run(feeds.beginEpochs, { epoch });
}

/** When a backup was last restored or another database server took over, which began the latest feed epoch; long ago if never. */
export async function lastRestoredAt(db: Database): Promise<EpochMs> {
  const epoch = (await db.get(feeds.findLatestEpoch, {}))?.epoch ?? 0;
  return (epoch * 1000) as EpochMs;
}

const IDS_A_PAGE = 1000;

/** The ids of all active vaults of all users, for checks of a whole database. */
export async function* activeVaultIds(db: Database): AsyncGenerator<VaultId> {
  const after = (last?: { id: VaultId }) => ({ after: last?.id ?? (NIL_UUID as VaultId), limit: IDS_A_PAGE });
  for await (const { id, deleted_at } of rowsOf(db, store.listIds, after)) if (deleted_at === null) yield id;
}

const LINKS_PAGE = 100;

/** Tracks which version of the link parser read the links of a vault. */
const linksVersions = {
  /** Returns the present version for a vault that does not exist any more: there is nothing to read. */
  linksVersion: async (handle: ReadHandle, { id }: Pick<OpenVault, 'id'>): Promise<number> =>
    (await handle.get(feeds.findLinksVersion, { vaultId: id }))?.links_version ?? Number.POSITIVE_INFINITY,
  setLinksVersion: (handle: WriteHandle, { id }: Pick<OpenVault, 'id'>, version: number) =>
    handle.run(feeds.setLinksVersion, { vaultId: id, version }),
  /** Returns the active vaults whose links an older version has read. */
  async *behindInLinks(db: Database, version: number): AsyncGenerator<VaultId> {
    const after = (last?: { vault_id: VaultId }) => ({ version, after: last?.vault_id ?? NIL_UUID, limit: LINKS_PAGE });
    for await (const { vault_id: id } of rowsOf(db, feeds.findBehindInLinks, after)) yield id;
  },
};
