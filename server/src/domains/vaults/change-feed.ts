import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Seq, VaultId } from '@notevault/protocol/ids.ts';
import type { ReadHandle, WriteHandle } from '../../ports/database/database.ts';
import type { OpenVault } from '../access/access.ts';
import * as store from './vaults.store.ts';

/** How far a vault's changes go, and from where they can be followed. */
export interface FeedState {
  /** The last seq taken. */
  readonly changeSeq: Seq;
  /** The seq of the last tombstone dropped; 0 when none was. */
  readonly floorSeq: Seq;
}

export interface ChangeFeeds {
  /** Throws `vault_header_not_found` when the vault is gone. */
  feed(handle: ReadHandle, vault: Pick<OpenVault, 'id'>): Promise<FeedState>;
  /** Keeps other writers of the vault out until the end of the transaction; false when the vault is gone. */
  lockFeed(handle: WriteHandle, id: VaultId): Promise<boolean>;
  /** Says that tombstones up to a seq were dropped. */
  raiseFloor(handle: WriteHandle, id: VaultId, seq: Seq): Promise<void>;
}

export const changeFeeds: ChangeFeeds = {
  async feed(handle, vault) {
    const row = await handle.get(store.findFeed, { vaultId: vault.id });
    if (row === undefined) throw new NotevaultError('vault_header_not_found');
    return { changeSeq: row.change_seq as Seq, floorSeq: row.floor_seq as Seq };
  },
  lockFeed: async (handle, vaultId) => (await handle.run(store.lockFeed, { vaultId })) > 0,
  async raiseFloor(handle, vaultId, seq) {
    await handle.run(store.raiseFloor, { vaultId, seq });
  },
};
