import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Seq, UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle, WriteHandle } from '../../ports/database/database.ts';
import type { OpenVault, Principal } from '../access/access.ts';
import { capExceeded, capOf, type Plan, planOf } from '../plans/plans.ts';
import * as feeds from './vault-feeds.store.ts';
import * as store from './vaults.store.ts';
import type { VaultFeedRow } from './vaults.tables.ts';
import type { VaultDeps } from './vaults.ts';

/** The effect of a write on its vault's counters. */
export interface SequenceAdvance {
  /** How many seqs it takes. */
  readonly seqs: number;
  readonly notes: number;
  readonly attachments?: number;
  readonly attachmentBytes?: number;
  /** How many of the bytes were announced, and are kept free. */
  readonly announced?: number;
  readonly trash?: TrashContents;
}

/** The part of vaults that other domains use while they write. */
export type ChangeSequence = ReturnType<typeof createChangeSequence>;

export function createChangeSequence({ db, accounts, plans, events, hooks }: VaultDeps) {
  /** The owner's totals over their active vaults. */
  async function usage(handle: ReadHandle, { ownerId }: Pick<OpenVault, 'ownerId'>): Promise<Totals> {
    return (await handle.get(store.sumActive, { userId: ownerId })) ?? NO_TOTALS;
  }

  /** The bytes that are announced for the owner's vaults and have not become attachments yet. */
  async function announcedBytes(handle: ReadHandle, { ownerId }: Pick<OpenVault, 'ownerId'>): Promise<number> {
    const rows = await handle.all(store.findActiveIds, { userId: ownerId });
    return hooks.announcedBytes(
      handle,
      rows.map(({ id }) => id),
    );
  }

  return {
    /**
     * Takes seqs and updates the counts, as the first step of a transaction. From here to its end no other writer of this
     * vault can interleave, so that seqs become visible in order. Resolves to the first seq taken. Throws
     * `limit_exceeded` when growth would exceed the owner's cap of notes or attachment bytes, `vault_header_not_found`
     * when the vault does not exist any more.
     */
    async advance(handle: WriteHandle, vault: OpenVault, by: SequenceAdvance): Promise<Seq> {
      const { seqs, notes, attachments = 0, attachmentBytes = 0, announced = 0, trash = EMPTY_TRASH } = by;
      const growth = (
        [
          ['notes_cap', 'notes', notes],
          ['attachment_bytes_cap', 'bytes', attachmentBytes],
        ] as const
      ).filter(([key, , by]) => by > 0 && vault.plan[key] !== null);
      // Without the user's lock, two vaults of one user that grow at once would each see the other's old count. Every
      // operation locks users before vaults, so there is no deadlock.
      const grows = growth.length > 0;
      const locking = grows ? accounts.lockUser(handle, vault.ownerId) : vault;
      const advancing = handle.get(feeds.advanceFeed, {
        vaultId: vault.id,
        seqs,
        notes,
        attachments,
        attachmentBytes,
        trashNotes: trash.notes,
        trashTextBytes: trash.textBytes,
        trashAttachmentBytes: trash.attachmentBytes,
      });
      const [{ tier }, feed, total] = await Promise.all([locking, advancing, grows ? usage(handle, vault) : null]);
      if (feed === undefined) throw new NotevaultError('vault_header_not_found');
      if (seqs > 0) {
        const { change_seq: changeSeq } = feed;
        handle.onCommit(() => events.emit('vaultChanged', { vaultId: vault.id, changeSeq, seqs }));
      }
      if (total !== null) {
        const plan = planOf(plans, tier);
        for (const [key, counted, grown] of growth) {
          const others = key === 'notes_cap' ? 0 : (await announcedBytes(handle, vault)) - announced;
          const used = total[counted] + others;
          if (used > capOf(plan, key)) throw capExceeded(key, { tier, plan, role: vault.role }, used - grown);
        }
      }
      return (feed.change_seq - seqs + 1) as Seq;
    },
    /** The last seq taken; while it is unchanged, so is the vault. */
    currentSeq: async (handle: ReadHandle, vault: OpenVault) => (await changeFeeds.feed(handle, vault)).changeSeq,
    /** The last seq taken in each of the vaults that exist. */
    async changeSeqs(ids: readonly VaultId[]): Promise<ReadonlyMap<VaultId, Seq>> {
      const rows = await db.allMany(feeds.findFeeds, {}, ids);
      return new Map(rows.map((row) => [row.vault_id, row.change_seq as Seq]));
    },
    usage,
    announcedBytes,
  };
}

/** The range of a vault's changes that can be followed. */
export interface FeedState {
  /** The last seq taken. */
  readonly changeSeq: Seq;
  /** The seq of the last dropped tombstone; 0 when there is none. */
  readonly floorSeq: Seq;
  /** How many live notes the vault has. */
  readonly noteCount: number;
}

export type ChangeFeeds = typeof changeFeeds;

export const changeFeeds = {
  /** Throws `vault_header_not_found` when the vault does not exist any more. */
  async feed(handle: ReadHandle, vault: Pick<OpenVault, 'id'>): Promise<FeedState> {
    const row = await handle.get(feeds.findFeed, { vaultId: vault.id });
    if (row === undefined) throw new NotevaultError('vault_header_not_found');
    return { changeSeq: row.change_seq as Seq, floorSeq: row.floor_seq as Seq, noteCount: row.note_count };
  },
  /** Blocks other writers of the vault until the end of the transaction; false when the vault does not exist any more. */
  lockFeed: async (handle: WriteHandle, vaultId: VaultId) => (await handle.run(feeds.lockFeed, { vaultId })) > 0,
  /** Records that tombstones up to a seq were dropped. */
  async raiseFloor(handle: WriteHandle, vaultId: VaultId, seq: Seq): Promise<void> {
    await handle.run(feeds.raiseFloor, { vaultId, seq });
  },
};

/** Totals over active vaults. */
export interface Totals {
  readonly vaults: number;
  readonly notes: number;
  readonly attachments: number;
  /** Bytes of the attachments, as uploaded. */
  readonly bytes: number;
}

/** The totals of an account, and its plan. */
export interface StorageUsage extends Totals {
  readonly plan: Plan;
  readonly tier: string;
}

export const NO_TOTALS: Totals = { vaults: 0, notes: 0, attachments: 0, bytes: 0 };

export function createUsage({ db, plans }: VaultDeps) {
  return {
    async storage({ userId, tier }: Principal): Promise<StorageUsage> {
      return { ...((await db.get(store.sumActive, { userId })) ?? NO_TOTALS), plan: planOf(plans, tier), tier };
    },
    /** The totals of each account whose id is from `first` to `last`; accounts without vaults are left out. */
    async totalsOfUsers(first: UserId, last: UserId): Promise<ReadonlyMap<UserId, Totals>> {
      const rows = await db.all(store.sumActiveOfUsers, { first, last });
      return new Map(rows.map(({ userId, ...sums }) => [userId, sums]));
    },
    totals: async (): Promise<Totals> => (await db.get(store.sumActiveOfAll, {})) ?? NO_TOTALS,
  };
}

/** How much the trash of a vault has, or by how much that changes. */
export interface TrashContents {
  readonly notes: number;
  /** Bytes of the notes' texts. */
  readonly textBytes: number;
  readonly attachmentBytes: number;
}

export const EMPTY_TRASH: TrashContents = { notes: 0, textBytes: 0, attachmentBytes: 0 };

/** The counts of what the trash of each vault has. */
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
