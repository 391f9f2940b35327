import type { LinksLeft } from '@notevault/protocol/links.ts';
import type { TrashRestored } from '@notevault/protocol/trash.ts';
import type { VaultId } from '@notevault/protocol/values/ids.ts';
import type { KeyedLock } from '../../../concurrency/keyed-lock.ts';
import type { YieldIfDue } from '../../../concurrency/yield.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import type { Database, WriteHandle } from '../../../ports/database/database.ts';
import type { OpenSpool } from '../../../ports/spool/spool.ts';
import type { InTransaction } from '../../foundation/idempotency/idempotency.ts';
import type { ActivityLog, ActivityOrigin, Actor } from '../activity-log/activity-log.ts';
import type { ChangeFeeds, ChangeSequence, OpenVault, TrashUsage, Vaults } from '../vaults/vaults.ts';
import type { StoredEntry } from './entries.store.ts';
import type { ItemKind } from './entries.tables.ts';
import type { EntryMeta, SealedEntry } from './sealed-entry.ts';
import type { TrashLimits } from './trash/limits.ts';

/** The principal, vault and device of a write. `Result` is the result of the operation. */
export interface WriteContext<Result = never> {
  readonly vault: OpenVault;
  readonly actor: Actor;
  /** `X-Device-Id`, or null. */
  readonly device: string | null;
  /** The activity item that the write belongs to, if not the usual one. */
  readonly origin?: ActivityOrigin | undefined;
  /** Awaited last in the operation's transaction, even when there was nothing to change. */
  readonly inTransaction?: InTransaction<Result>;
}

/** A sealed tombstone that is ready to replace its entry. */
export interface TombstoneDraft {
  readonly old: StoredEntry;
  readonly path: string;
  /** The tombstone's meta, sealed for the revision that follows the row's. */
  readonly meta: Buffer;
  /** The blind keys under which links find the entry: of its name and its other names. */
  readonly nameKeys: readonly Buffer[];
}

/** A note or attachment that changes its path, with its row before the move. */
export interface MovingEntry<Meta extends EntryMeta = EntryMeta> {
  readonly kind: ItemKind;
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** The blind index of the new path. */
  readonly toKey: Buffer;
  readonly row: StoredEntry;
  readonly meta: Meta;
}

/** The writes of a move for some entries: plain data and sealed bytes, because they may be spooled to disk. */
export interface MoveBatch {
  /** The new rows, except seq and folder, of the entries that move and of others that change with them. */
  readonly rows: readonly StoredEntry[];
  /** Data that only the kind's handler reads. */
  readonly rest: unknown;
  /** Links that can no longer lead to a moving entry, because no link text would resolve to it. */
  readonly linksLeft: readonly LinksLeft[];
  /** Bytes by which attachments grow; 0 by default. */
  readonly attachmentBytes?: number;
}

/** The sealed data of a deleted entry that the trash shows. */
export interface TrashedMeta {
  readonly path: string;
  /** Null for attachments. */
  readonly title: string | null;
  readonly actor: Actor;
}

export interface PurgedEntry {
  readonly id: string;
  /** The blob that it had; null for notes. */
  readonly blob_id: string | null;
}

/** The parts of an entry that are specific to its kind. All is written in the transaction of the rows. */
export interface KindHandler {
  /** Throws `note_unreadable` or `attachment_unreadable`. */
  openMeta(vault: OpenVault, row: SealedEntry): EntryMeta;
  /**
   * Returns a normalized path that a request gives to an entry of the kind. Throws a validation error on `field`,
   * `extension_not_allowed`, and `limit_exceeded` for a plan without the kind.
   */
  targetPath(vault: OpenVault, sent: string, field: string): string;
  /**
   * Returns the details of a `conflict` with a live entry that has a path: `server_path`, and those of the kind; null
   * when the entry no longer exists.
   */
  conflictDetails(vault: OpenVault, id: string): Promise<Record<string, unknown> | null>;
  /**
   * Seals the tombstones of live entries before the transaction. Throws RevisionConflict, and `note_unreadable` or
   * `attachment_unreadable` when any part of an entry is damaged: it then stays unchanged.
   */
  prepareTombstones(
    context: Pick<WriteContext, 'vault' | 'actor' | 'device'>,
    rows: readonly StoredEntry[],
  ): Promise<TombstoneDraft[]>;
  /** Called after the entries have become tombstones. */
  deleted(handle: WriteHandle, vault: OpenVault, tombstones: readonly TombstoneDraft[]): Promise<void>;
  /** Prepares what a move writes for this kind, in batches. @param unused disposed of if the move fails. */
  prepareMove(
    context: Pick<WriteContext, 'vault' | 'actor'>,
    moving: readonly MovingEntry[],
    unused: AsyncDisposableStack,
    yieldIfDue: YieldIfDue,
  ): AsyncIterable<MoveBatch>;
  /** Writes the data of a batch besides its rows. */
  applyMove(handle: WriteHandle, vault: OpenVault, rest: unknown): Promise<void>;
  /** Throws `note_unreadable` or `attachment_unreadable`. */
  describeTrashed(vault: OpenVault, row: SealedEntry): TrashedMeta;
  /**
   * Makes an entry in the trash live again, with its id; at its last path, or at another one. Throws `trash_not_found`
   * when it is not in the trash, `conflict`, `limit_exceeded`, the errors of paths of the kind, and for a damaged entry.
   */
  restore(context: WriteContext<TrashRestored>, id: string, path: string | undefined): Promise<TrashRestored>;
  /** Called after entries left the trash: deletes data that only a restore needs. See `dropSlice` for large data. */
  purged(handle: WriteHandle, vault: VaultId, rows: readonly PurgedEntry[]): Promise<void>;
  /** Returns the bytes of the database rows that are deleted with the entry. */
  storedBytes(row: Pick<StoredEntry, 'size_bytes'>): number;
  /** Deletes a slice of an entry's data that is too large to delete with its row; returns true when more is left. */
  dropSlice(handle: WriteHandle, vault: VaultId, ids: readonly string[]): Promise<boolean>;
}

/** A hook to the links domain after a commit; bound in app.ts. */
export interface EntryHooks {
  /**
   * Resolves once links to names that changed have been resolved again, at once in the common case. If there are many,
   * this continues after the commit, and whoever wrote waits for it.
   */
  linksResolved(vault: OpenVault): Promise<void>;
}

export interface EntryDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vaults: ChangeSequence & TrashUsage & Pick<ChangeFeeds, 'lockFeed'> & Pick<Vaults, 'withActors'>;
  readonly activity: Pick<ActivityLog, 'append'>;
  readonly openSpool: OpenSpool;
  /** Days for which a deleted entry stays in the trash. */
  readonly trashDays: number;
  readonly trashLimits: TrashLimits;
  readonly handlerOf: (kind: ItemKind) => KindHandler;
  readonly hooks: EntryHooks;
}

/** EntryDeps for the operations that run under the vault's lock of this process. */
export interface LockedDeps extends EntryDeps {
  readonly lock: KeyedLock;
}
