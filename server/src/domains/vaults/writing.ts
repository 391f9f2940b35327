import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Seq } from '@notevault/protocol/ids.ts';
import type { ReadHandle, WriteHandle } from '../../engines/database/database.ts';
import { capExceeded, capOf, planOf } from '../plans/plans.ts';
import type { OpenVault } from './access.ts';
import type { VaultParts } from './parts.ts';
import * as store from './vaults.store.ts';

/** What a write does to its vault. */
export interface Advance {
  /** How many seqs it takes. */
  readonly seqs: number;
  /** By how much the number of live notes grows (or shrinks). */
  readonly notes: number;
  /** By how much the number of live attachments grows (or shrinks). */
  readonly attachments?: number;
}

/** What other rooms use of vaults while they write. */
export interface VaultWriting {
  /**
   * Takes seqs and counts notes, first thing in a transaction: from here to its end no other writer of this vault comes
   * between, so that seqs become visible in their order. Resolves to the first seq taken. Throws `limit_exceeded` when
   * the owner's notes cap would be passed, `vault_header_not_found` when the vault is gone.
   */
  advance(handle: WriteHandle, vault: OpenVault, by: Advance): Promise<Seq>;
  /** The last seq taken: while it stands, nothing in the vault has changed. */
  currentSeq(handle: ReadHandle, vault: OpenVault): Promise<Seq>;
}

export function createWriting({ accounts, plans }: VaultParts): VaultWriting {
  return {
    async advance(handle, vault, { seqs, notes, attachments = 0 }) {
      const capped = notes > 0 && vault.plan.notes_cap !== null;
      // Two vaults of one user that grow at once would each see the other's notes as they were. Users before vaults:
      // everybody locks in this order, so nobody waits in a circle.
      const tier = capped ? (await accounts.lockUser(handle, vault.userId)).tier : vault.tier;
      const feed = await handle.get(store.advanceFeed, { vaultId: vault.id, seqs, notes, attachments });
      if (feed === undefined) throw new NotevaultError('vault_header_not_found');
      if (capped) {
        const plan = planOf(plans, tier);
        const total = (await handle.get(store.sumActive, { userId: vault.userId }))?.notes ?? 0;
        if (total > capOf(plan, 'notes_cap')) throw capExceeded('notes_cap', tier, plan, total - notes);
      }
      return (feed.change_seq - seqs + 1) as Seq;
    },
    async currentSeq(handle, vault) {
      const feed = await handle.get(store.findFeed, { vaultId: vault.id });
      if (feed === undefined) throw new NotevaultError('vault_header_not_found');
      return feed.change_seq as Seq;
    },
  };
}
