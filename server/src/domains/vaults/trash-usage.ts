import type { VaultId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle, WriteHandle } from '../../ports/database/database.ts';
import { type Plan, planOf } from '../plans/plans.ts';
import * as feeds from './vault-feeds.store.ts';
import type { VaultDeps } from './vaults.ts';

/** How much the trash of a vault has, or by how much that changes. */
export interface TrashContents {
  readonly notes: number;
  /** Bytes of the notes' texts. */
  readonly textBytes: number;
  readonly attachmentBytes: number;
}

export const EMPTY_TRASH: TrashContents = { notes: 0, textBytes: 0, attachmentBytes: 0 };

export interface VaultTrash extends TrashContents {
  readonly vaultId: VaultId;
  readonly plan: Plan;
}

/** The counts of what the trash of each vault has. */
export interface TrashUsage {
  /** Changes the counts of a vault without a change of its feed, under the vault's lock. */
  countTrash(handle: WriteHandle, id: VaultId, change: TrashContents): Promise<void>;
  trashOf(handle: ReadHandle, id: VaultId): Promise<TrashContents>;
  /** Returns at most `limit` active vaults ordered by id, starting after `after`. */
  trashes(after: VaultId, limit: number): Promise<VaultTrash[]>;
}

export function createTrashUsage({ db, plans }: Pick<VaultDeps, 'db' | 'plans'>): TrashUsage {
  return {
    async countTrash(handle, vaultId, change) {
      await handle.run(feeds.countTrash, { vaultId, ...change });
    },
    async trashOf(handle, vaultId) {
      const row = await handle.get(feeds.findTrash, { vaultId });
      return row === undefined ? EMPTY_TRASH : contentsOf(row);
    },
    async trashes(after, limit) {
      const rows = await db.all(feeds.findTrashes, { after, limit });
      return rows.map((row) => ({ vaultId: row.vault_id, ...contentsOf(row), plan: planOf(plans, row.tier) }));
    },
  };
}

interface TrashColumns {
  readonly trash_notes: number;
  readonly trash_text_bytes: number;
  readonly trash_attachment_bytes: number;
}

function contentsOf(row: TrashColumns): TrashContents {
  return { notes: row.trash_notes, textBytes: row.trash_text_bytes, attachmentBytes: row.trash_attachment_bytes };
}
