import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Seq, VaultId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle, WriteHandle } from '../../ports/database/database.ts';
import type { OpenVault } from '../access/access.ts';
import * as feeds from './vault-feeds.store.ts';

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
