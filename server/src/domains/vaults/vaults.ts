import type { Clock } from '../../engines/clock/clock.ts';
import type { Database } from '../../engines/database/database.ts';
import { type Access, createAccess } from './access.ts';
import { type Creation, createCreation } from './create.ts';
import { type VaultFeeds, vaultFeeds } from './feed.ts';
import { createManagement, type Management } from './manage.ts';
import type { VaultParts } from './parts.ts';
import { createPurging, type Purging } from './purge.ts';
import { createReading, type Reading } from './reading.ts';
import { createStorage, type Storage } from './storage.ts';
import * as store from './vaults.store.ts';
import { createWriting, type VaultWriting } from './writing.ts';

export type { OpenVault } from './access.ts';
export type { Feed, VaultFeeds } from './feed.ts';
export type { HotChange, HotKind, HotLook, HotRow, HotRows, HotVaults } from './hot.ts';
export type { Advance, Usage, VaultWriting } from './writing.ts';

/** Vaults: who may use which, how many there are, and how they end. */
export interface Vaults extends Storage, Access, Creation, Reading, Management, Purging, VaultWriting, VaultFeeds {}

export function createVaults(parts: VaultParts): Vaults {
  return {
    ...createAccess(parts),
    ...createCreation(parts),
    ...createReading(parts),
    ...createManagement(parts),
    ...createPurging(parts),
    ...createStorage(parts),
    ...createWriting(parts),
    ...vaultFeeds,
  };
}

/**
 * Every vault's feed enters another epoch: what clients know of the one before, such as cursors, counts no more. Resolves
 * to how many vaults there are.
 */
export function beginFeedEpochs(db: Database, clock: Clock): Promise<number> {
  // By the clock, so that data restored twice from one backup does not come to the same epoch twice.
  const epoch = Math.floor(clock.now() / 1000);
  return db.transact((handle) => handle.run(store.beginEpochs, { epoch }), 'long');
}
