import type { NoteId } from '@notevault/protocol/ids.ts';
import type { NoteLink } from '@notevault/protocol/notes.ts';
import type { Tasks } from '../../concurrency/task-worker.ts';
import type { Compute } from '../../concurrency/worker-pool.ts';
import type { YieldIfDue } from '../../concurrency/yield.ts';
import type { Bus } from '../../ports/bus/bus.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Database, ReadHandle, WriteHandle } from '../../ports/database/database.ts';
import type { Entries, EntryHooks } from '../entries/entries.ts';
import type { ChangeSequence, OpenVault, VaultCache, Vaults } from '../vaults/vaults.ts';
import type { LinkMove, MovedItem, PreparedLinks, RewrittenNote } from './moved-item.ts';
import type { VersionRetention } from './version-retention.ts';
import type { WrittenNote } from './written-note.ts';

/** What later domains do inside a note's transactions. */
export interface NoteHooks extends MoveHooks, EntryHooks {
  /** The note was created, edited or revived. Resolves to its edges. */
  written(handle: WriteHandle, vault: OpenVault, note: WrittenNote): Promise<NoteLink[]>;
  /** As `written`, of several notes that were not live before. */
  writtenBatch(handle: WriteHandle, vault: OpenVault, notes: readonly WrittenNote[]): Promise<void>;
  /** The notes are live no more; `movedKeys` are those each was found under. */
  deleted(
    handle: WriteHandle,
    vault: OpenVault,
    notes: readonly Pick<WrittenNote, 'id' | 'movedKeys'>[],
  ): Promise<void>;
  /** Throws `note_unreadable` when what is stored of one of the notes' links is damaged. */
  checkReadable(handle: ReadHandle, vault: OpenVault, ids: readonly NoteId[]): Promise<void>;
  /** The edges that the links of a text would have as the vault is now; nothing is written. */
  linksFrom(
    handle: ReadHandle,
    vault: OpenVault,
    note: Pick<WrittenNote, 'id' | 'path' | 'links'>,
  ): Promise<NoteLink[]>;
  /** The edges of a note, as stored. */
  linksOf(handle: ReadHandle, vault: OpenVault, id: NoteId): Promise<NoteLink[]>;
}

/** What links must do when notes and attachments move. */
export interface MoveHooks {
  /** Finds out, before the transaction, which notes' links a move may touch. */
  planMove(
    handle: ReadHandle,
    vault: OpenVault,
    moves: readonly MovedItem[],
    yieldIfDue: YieldIfDue,
  ): Promise<LinkPlanner>;
  /** Brings the edges in line, inside the transaction. */
  applyMove(handle: WriteHandle, vault: OpenVault, prepared: PreparedLinks): Promise<void>;
}

/** Works out what a move does to links, of a few notes at a time: all of them together may be more than memory holds. */
export interface LinkPlanner {
  /** Notes whose links the move may touch. */
  readonly sources: readonly NoteId[];
  /** What becomes of the links of some notes. */
  plan(sources: readonly NoteId[]): Promise<LinkMove>;
  /** Makes ready what the move writes of them; `rewritten` are those with new text. Plain data and sealed bytes. */
  prepare(plan: LinkMove, rewritten: ReadonlyMap<NoteId, RewrittenNote>): Promise<PreparedLinks>;
}

/** What the writes of notes tell the documents in memory, once they are on disk. */
export interface LiveNotifications {
  changed(id: NoteId): void;
  deleted(id: NoteId): void;
}

/** What the operations of this domain work with. */
export interface NoteDeps {
  readonly db: Database;
  readonly entries: Entries;
  readonly vaults: Pick<Vaults, keyof ChangeSequence | 'openAsSystem'>;
  readonly cache: VaultCache;
  readonly clock: Clock;
  readonly retention: VersionRetention;
  readonly hooks: NoteHooks;
  readonly live: LiveNotifications;
  /** Runs what would hold up the event loop. */
  readonly compute: Compute<Tasks>;
}

/** What the documents in memory work with. */
export interface LiveDeps extends NoteDeps {
  readonly bus: Bus;
  /** Whether no other process uses the database. */
  readonly singleProcess: boolean;
  /** Tells the operator of a fault that no caller hears of. */
  report(error: unknown, labels: { readonly note: NoteId }): void;
}
