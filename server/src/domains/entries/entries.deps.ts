import type { VaultId } from '@notevault/protocol/ids.ts';
import type { KeyedLock } from '../../concurrency/keyed-lock.ts';
import type { YieldIfDue } from '../../concurrency/yield.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Database, ReadHandle, WriteHandle } from '../../ports/database/database.ts';
import type { OpenSpool } from '../../ports/spool/spool.ts';
import type { ChangeSequence, OpenVault } from '../vaults/vaults.ts';
import type { StoredEntry } from './entries.store.ts';
import type { ItemKind } from './entries.tables.ts';
import type { EntryMeta, SealedEntry } from './sealed-entry.ts';
import type { WriteContext } from './write-context.ts';

/** An entry about to become a tombstone, sealed and ready. */
export interface TombstoneDraft {
  readonly old: StoredEntry;
  readonly path: string;
  /** The tombstone's meta, sealed for the revision after the row's. */
  readonly meta: Buffer;
  /** What the tombstone keeps of the bytes: null where they are let go. */
  readonly blobId: string | null;
  /** Every blind key under which the entry was found by links: of its name, and of other names it has. */
  readonly nameKeys: readonly Buffer[];
}

/** A note or attachment that changes its path, with its row as it was. */
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

/** What a move writes of some entries: plain data and sealed bytes, for it may wait on disk. */
export interface MoveBatch {
  /** Rows as they become, but for seq and folder: of entries that move, and of others that change with them. */
  readonly rows: readonly StoredEntry[];
  /** What only the kind's handler reads. */
  readonly rest: unknown;
}

/**
 * What a kind of entries adds to what all of them have in common; bound in app.ts. Whatever is written is written in the
 * transaction that writes the rows.
 */
export interface KindHandler {
  /** Throws `note_unreadable` or `attachment_unreadable`. */
  openMeta(vault: OpenVault, row: SealedEntry): EntryMeta;
  /** What a `conflict` says of a live entry that holds a path: `server_path`, and what the kind adds; null when it is gone. */
  conflictDetails(vault: OpenVault, id: string): Promise<Record<string, unknown> | null>;
  /**
   * Seals the tombstones of live entries, before the transaction. Throws `note_unreadable` or `attachment_unreadable` when
   * any part of one is damaged: it stays as it is. Throws RevisionConflict when one has changed since its row was read.
   */
  prepareTombstones(
    context: Pick<WriteContext, 'vault' | 'device'>,
    rows: readonly StoredEntry[],
  ): Promise<TombstoneDraft[]>;
  /** The entries are tombstones now. */
  deleted(handle: WriteHandle, vault: OpenVault, tombstones: readonly TombstoneDraft[]): Promise<void>;
  /** Works out what of this kind a move writes, before the transaction, a batch at a time: each is plain data and sealed bytes. */
  prepareMove(
    context: Pick<WriteContext, 'vault' | 'actor'>,
    moving: readonly MovingEntry[],
    yieldIfDue: YieldIfDue,
  ): AsyncIterable<MoveBatch>;
  /** Writes what a batch has beside its rows. */
  applyMove(handle: WriteHandle, vault: OpenVault, rest: unknown): Promise<void>;
  /** Bytes of the database that go with the row. */
  storedBytes(row: Pick<StoredEntry, 'size_bytes'>): number;
  /** Deletes a slice of what would be too much to go with the rows at once; true when more is left. */
  dropSlice(handle: WriteHandle, vault: VaultId, ids: readonly string[]): Promise<boolean>;
}

/** What links say before a transaction; bound in app.ts. */
export interface EntryHooks {
  /** Whether so many links are looked up under these keys that resolving them again takes a long transaction. */
  hasManyLinksTo(handle: ReadHandle, vault: OpenVault, keys: readonly Buffer[]): Promise<boolean>;
}

/** The injected dependencies of the domain. */
export interface EntryDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vaults: ChangeSequence;
  readonly openSpool: OpenSpool;
  readonly handlerOf: (kind: ItemKind) => KindHandler;
  readonly hooks: EntryHooks;
}

/** As EntryDeps, for the operations that take turns. */
export interface LockedDeps extends EntryDeps {
  readonly lock: KeyedLock;
}
