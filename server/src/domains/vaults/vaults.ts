import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import { type Access, createAccess } from './access.ts';
import { type ChangeFeeds, changeFeeds } from './change-feed.ts';
import { type ChangeSequence, createChangeSequence } from './change-sequence.ts';
import { type Creation, createCreation } from './create.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import { createPurgeOperations, type PurgeOperations } from './purge.ts';
import { createQueries, type VaultQueries } from './queries.ts';
import { createTrashUsage, type TrashUsage } from './trash-usage.ts';
import { createUsage, type UsageQueries } from './usage.ts';
import * as feeds from './vault-feeds.store.ts';
import type { VaultDeps } from './vaults.deps.ts';

export type { OpenVault } from '../access/access.ts';
export type { CachedCollection, CachedRow, CacheSnapshot, VaultCache } from './cache/vault-cache.ts';
export type { ChangeFeeds, FeedState } from './change-feed.ts';
export type { ChangeSequence } from './change-sequence.ts';
export type { TrashContents, TrashUsage } from './trash-usage.ts';
export type { Totals } from './usage.ts';

/** Vaults: creation, access, queries and deletion. */
export interface Vaults
  extends UsageQueries,
    Access,
    Creation,
    VaultQueries,
    Lifecycle,
    PurgeOperations,
    ChangeSequence,
    ChangeFeeds,
    TrashUsage {}

export function createVaults(deps: VaultDeps): Vaults {
  return {
    ...createAccess(deps),
    ...createCreation(deps),
    ...createQueries(deps),
    ...createLifecycle(deps),
    ...createPurgeOperations(deps),
    ...createUsage(deps),
    ...createChangeSequence(deps),
    ...changeFeeds,
    ...createTrashUsage(deps),
  };
}

/**
 * Begins another feed epoch in every vault, so that cursors and other knowledge of clients become void. Resolves to the
 * number of vaults.
 */
export function beginFeedEpochs(db: Database, clock: Clock): Promise<number> {
  // Derived from the clock, so that restoring one backup twice does not lead to the same epoch twice.
  const epoch = Math.floor(clock.now() / 1000);
  return db.transact((handle) => handle.run(feeds.beginEpochs, { epoch }), 'bulk');
}
