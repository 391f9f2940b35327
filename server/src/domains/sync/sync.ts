import type { VaultId } from '@notevault/protocol/ids.ts';
import { currentOwner } from '../../concurrency/owner.ts';
import { FairSemaphore } from '../../concurrency/semaphore.ts';
import type { WriteHandle } from '../../engines/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { changesPage, type PageQuery, pageAsked } from './changes.ts';
import { hotAttachmentsOf } from './hot-attachments.ts';
import { createManifests, type Manifests } from './manifest.ts';
import type { SyncParts } from './parts.ts';
import { dropExpired } from './retention.ts';
import type { SyncChanges } from './sync.schema.ts';
import * as store from './sync.store.ts';

/** How clients follow a vault (docs/sync-spec.md). */
export interface Sync extends Manifests {
  /** One page of the vault's changes; `device` is `X-Device-Id`. Throws `invalid_cursor`, `history_expired`, `note_unreadable`, `attachment_unreadable`, a validation
   * error. */
  changes(vault: OpenVault, query: PageQuery, device: string | null): Promise<SyncChanges>;
  /** Drops tombstones past their time, and what lists at rest hold of them; resolves to how many tombstones. */
  dropExpired(): Promise<number>;
  /** Puts lists at rest of which enough has changed, so that whoever looks first after a start has little to open. */
  keepLists(): Promise<void>;
  /** Deletes a purged vault's rows; true when more may be left. */
  eraseSlice(handle: WriteHandle, vaultId: VaultId): Promise<boolean>;
}

/**
 * Manifests, trees and pages that are made at once, and how many may wait for their turn: devices that catch up would else
 * take every connection to the database from those that write.
 */
const BUILDS = { units: 4, unitsPerOwner: 2, waiting: 400, waitingPerOwner: 100 };

export function createSync(parts: SyncParts): Sync {
  const builds = new FairSemaphore(BUILDS);
  const { vaults, hot, notes } = parts;
  const attachments = hotAttachmentsOf(parts.attachments);
  return {
    ...createManifests(parts, attachments, builds),
    async changes(vault, query, device) {
      const asked = pageAsked(query);
      return builds.run(currentOwner(), () => changesPage(parts, vault, asked, device));
    },
    dropExpired: () => dropExpired(parts, [notes, parts.attachments]),
    async keepLists() {
      for (const id of hot.takeOverdue()) {
        const vault = await vaults.openForWork(id);
        if (vault === null) continue;
        await hot.look(vault, async (look) => {
          await look.rows(notes.hot);
          await look.rows(attachments);
        });
      }
      await hot.keep();
    },
    eraseSlice: async (handle, vault) => (await handle.run(store.eraseDevices, { vault })) > 0,
  };
}
