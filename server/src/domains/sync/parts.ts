import type { Seq, VaultId } from '@notevault/protocol/ids.ts';
import type { Clock } from '../../engines/clock/clock.ts';
import type { Database, WriteHandle } from '../../engines/database/database.ts';
import type { Attachments } from '../attachments/attachments.ts';
import type { Folders } from '../folders/folders.ts';
import type { Notes } from '../notes/notes.ts';
import type { HotVaults, VaultFeeds, Vaults } from '../vaults/vaults.ts';

/** A tombstone that is old enough to go. */
export interface Expired {
  readonly vaultId: VaultId;
  readonly id: string;
  readonly seq: Seq;
  /** Epoch milliseconds. */
  readonly deletedAt: number;
}

/** Where one kind of tombstones goes by their age. */
export interface Expiring {
  /** Tombstones of all vaults that were deleted until a moment, oldest first, then by id; those behind `after`. */
  expired(until: number, after: Pick<Expired, 'deletedAt' | 'id'>, limit: number): Promise<Expired[]>;
  /**
   * Drops those of these tombstones of one vault that still are what they were, with all that hangs on them. A slice:
   * resolves to those it dropped, and whether it must be called again for the rest.
   */
  dropExpired(
    handle: WriteHandle,
    vaultId: VaultId,
    tombstones: readonly Expired[],
  ): Promise<{ readonly dropped: readonly Expired[]; readonly more: boolean }>;
}

/** What the room is made of. */
export interface SyncParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly vaults: VaultFeeds & Pick<Vaults, 'openForWork'>;
  readonly hot: HotVaults;
  readonly notes: Notes;
  readonly attachments: Attachments;
  readonly folders: Folders;
  /** Days a tombstone is kept at least. */
  readonly tombstoneDays: number;
}
