import type { VaultId } from '@notevault/protocol/ids.ts';
import type { ChangesQuery, SyncChanges } from '@notevault/protocol/sync.ts';
import { currentOwner } from '../../concurrency/owner.ts';
import { FairSemaphore } from '../../concurrency/semaphore.ts';
import type { WriteHandle } from '../../ports/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { changesPage, pageRequest } from './changes.ts';
import { createManifestQueries, type ManifestQueries } from './manifest.ts';
import type { SyncDeps } from './sync.deps.ts';
import * as store from './sync.store.ts';
import { dropExpired } from './tombstone-retention.ts';

/** How clients follow a vault (docs/sync-spec.md). */
export interface Sync extends ManifestQueries {
  /** One page of the vault's changes; `device` is `X-Device-Id`. Throws `invalid_cursor`, `history_expired`, `note_unreadable`, `attachment_unreadable`, a validation
   * error. */
  changes(vault: OpenVault, query: ChangesQuery, device: string | null): Promise<SyncChanges>;
  /** Drops tombstones past their time, and what persisted lists hold of them; resolves to how many tombstones. */
  dropExpired(): Promise<number>;
  /** Persists lists of which enough has changed, so that whoever looks first after a start has little to open. */
  persistCache(): Promise<void>;
  /** Deletes a purged vault's rows; true when more may be left. */
  purgeSlice(handle: WriteHandle, vaultId: VaultId): Promise<boolean>;
}

/**
 * Manifests, trees and pages that are made at once, and how many may wait for their turn: devices that catch up would else
 * take every connection to the database from those that write.
 */
const READS_AT_ONCE = { units: 4, unitsPerOwner: 2, waiting: 400, waitingPerOwner: 100 };

export function createSync(deps: SyncDeps): Sync {
  const semaphore = new FairSemaphore(READS_AT_ONCE);
  const { vaults, cache, notes, attachments } = deps;
  return {
    ...createManifestQueries(deps, semaphore),
    async changes(vault, query, device) {
      const request = pageRequest(query);
      return semaphore.run(currentOwner(), () => changesPage(deps, vault, request, device));
    },
    dropExpired: () => dropExpired(deps),
    async persistCache() {
      for (const id of cache.takeStale()) {
        const vault = await vaults.openAsSystem(id);
        if (vault === null) continue;
        await cache.snapshot(vault, async (snapshot) => {
          await snapshot.rows(notes.cache);
          await snapshot.rows(attachments.cache);
        });
      }
      await cache.persist();
    },
    purgeSlice: async (handle, vault) => (await handle.run(store.purgeDevices, { vault })) > 0,
  };
}
