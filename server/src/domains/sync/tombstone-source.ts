import type { Seq, VaultId } from '@notevault/protocol/ids.ts';
import type { WriteHandle } from '../../ports/database/database.ts';

/** A tombstone that is old enough to go. */
export interface ExpiredTombstone {
  readonly vaultId: VaultId;
  readonly id: string;
  readonly seq: Seq;
  /** Epoch milliseconds. */
  readonly deletedAt: number;
}

/** Where one kind of tombstones goes by their age. */
export interface TombstoneSource {
  /** Tombstones of all vaults that were deleted until a moment, oldest first, then by id; those behind `after`. */
  expired(until: number, after: Pick<ExpiredTombstone, 'deletedAt' | 'id'>, limit: number): Promise<ExpiredTombstone[]>;
  /**
   * Drops those of these tombstones of one vault that still are what they were, with all that hangs on them. A slice:
   * resolves to those it dropped, and whether it must be called again for the rest.
   */
  dropExpired(
    handle: WriteHandle,
    vaultId: VaultId,
    tombstones: readonly ExpiredTombstone[],
  ): Promise<{ readonly dropped: readonly ExpiredTombstone[]; readonly more: boolean }>;
}
