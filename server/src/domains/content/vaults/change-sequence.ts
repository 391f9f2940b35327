import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Seq, VaultId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle, WriteHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../foundation/access/access.ts';
import { capExceeded, capOf, planOf } from '../../foundation/plans/plans.ts';
import { markChecked } from '../../foundation/rights/rights.ts';
import { checkRights } from './rights.ts';
import { announcedTo, EMPTY_TRASH, NO_TOTALS, type Totals, type TrashContents } from './usage.ts';
import * as feeds from './vault-feeds.store.ts';
import * as store from './vaults.store.ts';
import type { VaultDeps } from './vaults.ts';

/** The effect of a write on its vault's counters. */
export interface SequenceAdvance {
  readonly seqs: number;
  readonly notes: number;
  readonly attachments?: number;
  readonly attachmentBytes?: number;
  /** Id of the upload that reserved the bytes; null for none. */
  readonly announced?: string | null;
  readonly trash?: TrashContents;
}

/** The part of vaults that other domains use while they write. */
export type ChangeSequence = ReturnType<typeof createChangeSequence>;

export function createChangeSequence({ db, accounts, plans, events, hooks }: VaultDeps) {
  const announcedBytes = announcedTo.bind(null, hooks);

  /** The owner's totals over their active vaults. */
  async function usage(handle: ReadHandle, { ownerId }: Pick<OpenVault, 'ownerId'>): Promise<Totals> {
    return (await handle.get(store.sumActive, { userId: ownerId })) ?? NO_TOTALS;
  }

  return {
    /**
     * Takes seqs and updates the counts, as the first step of a transaction. From here to its end no other writer of this
     * vault can interleave, so that seqs become visible in order. Resolves to the first seq taken. Throws
     * `limit_exceeded` when growth would exceed the owner's cap of notes or attachment bytes, `vault_header_not_found`
     * when the vault does not exist any more, `RightsChanged` when a right was taken away since it was opened.
     */
    async advance(handle: WriteHandle, vault: OpenVault, by: SequenceAdvance): Promise<Seq> {
      const { seqs, notes, attachments = 0, attachmentBytes = 0, announced = null, trash = EMPTY_TRASH } = by;
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
        callerId: vault.standing?.userId ?? vault.ownerId,
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
      if (vault.standing !== undefined) {
        const { caller_rights_version: account, rights_version: version } = feed;
        checkRights(vault.standing, { account, vault: version });
        markChecked();
      }
      if (seqs > 0) {
        const { change_seq: changeSeq } = feed;
        handle.onCommit(() => events.emit('vaultChanged', { vaultId: vault.id, changeSeq, seqs }));
      }
      if (total !== null) {
        const plan = planOf(plans, tier);
        for (const [key, counted, grown] of growth) {
          const others = key === 'notes_cap' ? 0 : await announcedBytes(handle, vault, announced);
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
  readonly changeSeq: Seq;
  /** The seq of the last dropped tombstone; 0 when there is none. */
  readonly floorSeq: Seq;
  /** Live notes. */
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
