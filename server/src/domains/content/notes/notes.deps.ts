import type { ParsedLink } from '@notevault/note-text/links/parsed-link.ts';
import type { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteLink } from '@notevault/protocol/notes.ts';
import type { NoteId, Seq } from '@notevault/protocol/values/ids.ts';
import type { Tasks } from '../../../concurrency/task-worker.ts';
import type { Compute } from '../../../concurrency/worker-pool.ts';
import type { YieldIfDue } from '../../../concurrency/yield.ts';
import type { Bus } from '../../../ports/bus/bus.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import type { Database, ReadHandle, WriteHandle } from '../../../ports/database/database.ts';
import type { OpenedValues } from '../../../ports/keyring/opened-values.ts';
import type { ActivityLog } from '../activity-log/activity-log.ts';
import type { Entries, EntryHooks, MovingEntry } from '../entries/entries.ts';
import type { ChangeSequence, OpenVault, VaultCache, Vaults } from '../vaults/vaults.ts';
import type { VersionRetention } from './history/versions.ts';
import type { DocumentManager } from './live/document-manager.ts';
import type { LinkMove, PreparedLinks, RewrittenNote } from './moves/moved-notes.ts';
import type { ReadNote } from './notes.store.ts';
import type { NoteMeta } from './sealed-note.ts';
import type { VaultWriter } from './writes/vault-writer.ts';

export type NotePlace = { readonly pathKey: Buffer } | { readonly id: NoteId };

/** Hooks to later domains; they run inside the transaction of a note's write. */
export interface NoteHooks extends MoveHooks, EntryHooks {
  /**
   * Reads what the edges of written notes need, while their rows are being written. It sees these rows, because
   * statements run in the order of their calls. It writes nothing.
   */
  planLinks(handle: WriteHandle, vault: OpenVault, notes: readonly WrittenNote[], bulk: boolean): Promise<LinkWrites>;
  /** Called when the notes were deleted; `movedKeys` are the keys under which each was found. */
  deleted(
    handle: WriteHandle,
    vault: OpenVault,
    notes: readonly Pick<WrittenNote, 'id' | 'movedKeys'>[],
  ): Promise<void>;
  /** Throws `note_unreadable` when the stored links of one of the notes are damaged. */
  checkReadable(handle: ReadHandle, vault: OpenVault, ids: readonly NoteId[]): Promise<void>;
  /** Resolves the links of a text to edges in the present vault; writes nothing. */
  linksFrom(
    handle: ReadHandle,
    vault: OpenVault,
    note: Pick<WrittenNote, 'id' | 'path' | 'links'>,
  ): Promise<NoteLink[]>;
  /**
   * Returns a live note, still sealed, with its stored edges, in one statement; undefined without one, and with
   * `onlySmall` for a note of more than 64 KB. Throws `note_unreadable`.
   */
  noteWithLinks(
    handle: ReadHandle,
    vault: OpenVault,
    at: NotePlace,
    onlySmall?: boolean,
  ): Promise<NoteWithLinks | undefined>;
  linksOf(handle: ReadHandle, vault: OpenVault, id: NoteId): Promise<NoteLink[]>;
}

export interface NoteWithLinks {
  readonly note: ReadNote;
  readonly links: NoteLink[];
}

/** A note whose rows are being written: the input for its edges. */
export interface WrittenNote {
  readonly id: NoteId;
  readonly path: string;
  readonly aliases: readonly string[];
  readonly version: number;
  readonly seq: Seq;
  readonly links: readonly ParsedLink[];
  /** Whether the note was created or revived: it has no edges yet. */
  readonly fresh: boolean;
  /** Blind keys under which the note is newly found or no longer found: edges looked up under them may change. */
  readonly movedKeys: readonly Buffer[];
}

export interface LinkWrites {
  /** Errors of notes with damaged stored links; if there are any, nothing may be written. */
  readonly damaged: ReadonlyMap<NoteId, NotevaultError>;
  /** Writes the edges, once the notes' rows are in place; resolves to those of each note. */
  write(): Promise<ReadonlyMap<NoteId, readonly NoteLink[]>>;
}

/** Hooks to the links domain for moves of notes and attachments. */
export interface MoveHooks {
  /** Determines before the transaction which notes' links a move may touch. */
  planMove(
    handle: ReadHandle,
    vault: OpenVault,
    moving: readonly MovingEntry[],
    yieldIfDue: YieldIfDue,
  ): Promise<LinkPlanner>;
  /** Updates the edges, inside the transaction. */
  applyMove(handle: WriteHandle, vault: OpenVault, prepared: PreparedLinks): Promise<void>;
}

/** Prepares a move's changes to links, a few notes at a time, because all of them may exceed the memory. */
export interface LinkPlanner {
  /** The notes whose links the move may touch. */
  readonly sources: readonly NoteId[];
  plan(sources: readonly NoteId[]): Promise<LinkMove>;
  /** Prepares the links that a move writes, as plain data and sealed bytes; `rewritten` has the new texts. */
  prepare(plan: LinkMove, rewritten: ReadonlyMap<NoteId, RewrittenNote>): Promise<PreparedLinks>;
}

/** Called after a commit: writes of notes notify the documents in memory. */
export type LiveNotifications = Pick<DocumentManager, 'changed' | 'deleted'>;

export type CommitDeps = Pick<NoteDeps, 'db' | 'entries' | 'vaults' | 'hooks' | 'live' | 'activity'>;

export interface NoteDeps {
  readonly db: Database;
  readonly entries: Entries;
  readonly vaults: Pick<Vaults, keyof ChangeSequence | 'openAsSystem' | 'withActors' | 'holdRightsIn'>;
  readonly activity: Pick<ActivityLog, 'append'>;
  readonly cache: VaultCache;
  readonly clock: Clock;
  readonly retention: VersionRetention;
  readonly hooks: NoteHooks;
  readonly opened: OpenedValues<NoteMeta>;
  readonly live: LiveNotifications;
  readonly writer: VaultWriter;
  readonly compute: Compute<Tasks>;
}

export interface LiveDeps extends NoteDeps {
  readonly bus: Bus;
  /** The processor time that trying a costly update may take, in ms; undefined for the usual one. */
  readonly trialMs: number | undefined;
  /** Reports an error that no caller receives to the operator. */
  report(error: unknown, labels: { readonly note: NoteId }): void;
}
