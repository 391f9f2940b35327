import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle, WriteHandle } from '../../../ports/database/database.ts';
import type { OpenVault, Principal } from '../../foundation/access/access.ts';
import { type Plan, planOf } from '../../foundation/plans/plans.ts';
import * as feeds from './vault-feeds.store.ts';
import * as store from './vaults.store.ts';
import type { VaultFeedRow } from './vaults.tables.ts';
import type { VaultDeps, VaultHooks } from './vaults.ts';

/** Totals over active vaults. */
export interface Totals {
  readonly vaults: number;
  readonly notes: number;
  readonly attachments: number;
  /** Bytes of the attachments, as uploaded. */
  readonly bytes: number;
}

export interface StorageUsage extends Totals {
  /** Bytes for which uploads keep room. */
  readonly reservedBytes: number;
  readonly plan: Plan;
  readonly tier: string;
}

export const NO_TOTALS: Totals = { vaults: 0, notes: 0, attachments: 0, bytes: 0 };

/** Returns the bytes reserved by uploads into an owner's vaults, except those of one upload. */
export async function announcedTo(
  hooks: Pick<VaultHooks, 'announcedBytes'>,
  handle: ReadHandle,
  { ownerId }: Pick<OpenVault, 'ownerId'>,
  except: string | null,
): Promise<number> {
  const rows = await handle.all(store.findActiveIds, { userId: ownerId });
  return hooks.announcedBytes(
    handle,
    rows.map(({ id }) => id),
    except,
  );
}

export function createUsage({ db, plans, hooks }: VaultDeps) {
  return {
    async storage({ userId, tier }: Principal): Promise<StorageUsage> {
      const sums = (await db.get(store.sumActive, { userId })) ?? NO_TOTALS;
      const reservedBytes = await announcedTo(hooks, db, { ownerId: userId }, null);
      return { ...sums, reservedBytes, plan: planOf(plans, tier), tier };
    },
    /** Returns the totals of each account with an id from `first` to `last`; accounts without vaults are left out. */
    async totalsOfUsers(first: UserId, last: UserId): Promise<ReadonlyMap<UserId, Totals>> {
      const rows = await db.all(store.sumActiveOfUsers, { first, last });
      return new Map(rows.map(({ userId, ...sums }) => [userId, sums]));
    },
    totals: async (): Promise<Totals> => (await db.get(store.sumActiveOfAll, {})) ?? NO_TOTALS,
  };
}

/** The contents of a vault's trash in numbers, or a change of them. */
export interface TrashContents {
  readonly notes: number;
  readonly textBytes: number;
  readonly attachmentBytes: number;
}

export const EMPTY_TRASH: TrashContents = { notes: 0, textBytes: 0, attachmentBytes: 0 };

export type TrashUsage = ReturnType<typeof createTrashUsage>;

export function createTrashUsage({ db, plans }: Pick<VaultDeps, 'db' | 'plans'>) {
  return {
    /** Changes the counts of a vault without a change of its feed, under the vault's lock. */
    async countTrash(handle: WriteHandle, vaultId: VaultId, change: TrashContents): Promise<void> {
      await handle.run(feeds.countTrash, { vaultId, ...change });
    },
    async trashOf(handle: ReadHandle, vaultId: VaultId): Promise<TrashContents> {
      const row = await handle.get(feeds.findTrash, { vaultId });
      return row === undefined ? EMPTY_TRASH : contentsOf(row);
    },
    /** Returns at most `limit` active vaults ordered by id, starting after `after`. */
    async trashes(after: VaultId, limit: number) {
      const rows = await db.all(feeds.findTrashes, { after, limit });
      return rows.map((row) => ({ vaultId: row.vault_id, ...contentsOf(row), plan: planOf(plans, row.tier) }));
    },
  };
}

function contentsOf(row: Pick<VaultFeedRow, 'trash_notes' | 'trash_text_bytes' | 'trash_attachment_bytes'>) {
  return { notes: row.trash_notes, textBytes: row.trash_text_bytes, attachmentBytes: row.trash_attachment_bytes };
}
