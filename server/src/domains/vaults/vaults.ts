import type { Seq, UserId, VaultId } from '@notevault/protocol/ids.ts';
import type { WriteHandle } from '../../engines/database/database.ts';
import type { SealingKey } from '../../engines/keyring/keyring.ts';
import type { Plan } from '../plans/plans.ts';

/** A vault a caller may use, with its keys open. */
export interface OpenVault {
  readonly id: VaultId;
  readonly userId: UserId;
  readonly level: 'read' | 'write';
  readonly key: SealingKey;
  /** Grows when a backup is restored: cursors and client ids of another epoch are void. */
  readonly feedEpoch: number;
  /** The owner's plan. */
  readonly plan: Plan;
  readonly tier: string;
}

/** What a write does to its vault. */
export interface Advance {
  /** How many seqs it takes. */
  readonly seqs: number;
  /** By how much the number of live notes grows (or shrinks). */
  readonly notes: number;
}

/** What other rooms use of vaults while they write. */
export interface VaultWriting {
  /**
   * Takes seqs and counts notes, first thing in a transaction: from here to its end no other writer of this vault comes
   * between, so that seqs become visible in their order. Resolves to the first seq taken. Throws `limit_exceeded` when
   * the owner's notes cap would be passed, `vault_header_not_found` when the vault is gone.
   */
  advance(handle: WriteHandle, vault: OpenVault, by: Advance): Promise<Seq>;
}
