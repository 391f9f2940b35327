import type { NoteId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { Actor } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { LineageError, TooCostly, TooLarge, UnknownServerUpdate } from './updates/outcomes.ts';
import { MalformedUpdate, UnsupportedUpdate } from './updates/update-validator.ts';
import type { Watcher } from './watchers.ts';

/** The documents of notes that are edited over sockets. */
export interface LiveNotes {
  /** Opens a note's document. Throws `note_not_found`, `note_unreadable`, `unavailable`. */
  open(vault: OpenVault, id: NoteId, watcher: Watcher): Promise<LiveNote>;
  /** Folds every acknowledged edit of the vault into its note, so that the next read contains it. */
  flush(vault: OpenVault): Promise<void>;
  vaultOf(id: NoteId): Promise<VaultId | null>;
  /** Closes the documents of a vault that was deleted, or to which somebody lost all access. */
  closeVault(vaultId: VaultId): void;
  /** Flushes edits that have been waiting for long, from whichever process. For a background job. */
  flushOverdue(): Promise<void>;
  /** Catches up open documents that lack what other processes wrote, in case the bus lost a message. */
  catchUp(): Promise<void>;
  stats(): LiveStats;
}

/** A note's document, opened by one watcher. Dispose of it to stop watching. */
export interface LiveNote extends Disposable {
  /**
   * Returns what a client with a state vector lacks (null: one with nothing), as a Yjs update (v1); all of it is on
   * disk.
   */
  missingFor(stateVector: Uint8Array | null): Promise<Uint8Array | ApplyRefusal>;
  /** Returns the document's state vector; all of it is on disk. */
  stateVector(): Promise<Uint8Array>;
  /** Whether an update contains anything that the document lacks; true for an invalid one. */
  lacks(update: Uint8Array): boolean;
  /**
   * Applies edits that arrived together, in their order. Resolves to the outcome of each once all are on disk and the
   * other watchers have been notified. Throws `unavailable`, `note_not_found`.
   */
  apply(updates: readonly Uint8Array[], actor: Actor): Promise<ApplyOutcome[]>;
}

/**
 * What became of an edit. `known`: no edit that arrived with it added anything. `missing`: it depends on edits that the
 * server lacks and was not applied; these must be requested.
 */
export type ApplyOutcome = 'stored' | 'known' | 'missing' | ApplyRefusal;

/**
 * Why an edit or a state vector is refused for good: it belongs to another document, or would take too long to apply (in
 * both cases its text becomes a version of the note), it is invalid or not plain text, or the note would become too large.
 */
export type ApplyRefusal = 'foreign' | 'costly' | 'malformed' | 'unsupported' | 'too_large';

/** What this process has in memory. */
export interface LiveStats {
  /** Open documents, and an estimate of their bytes. */
  readonly documents: number;
  readonly bytes: number;
  /** Edits on their way to the log, and their bytes. */
  readonly edits: number;
  readonly editBytes: number;
  /** Notes with edits in the log that wait for their flush. */
  readonly unflushed: number;
}

/** Returns the refusal that an error stands for; throws any other error. */
export function refusalOf(error: unknown): ApplyRefusal {
  if (error instanceof LineageError) return 'foreign';
  if (error instanceof TooCostly) return 'costly';
  if (error instanceof UnsupportedUpdate) return 'unsupported';
  if (error instanceof MalformedUpdate || error instanceof UnknownServerUpdate) return 'malformed';
  if (error instanceof TooLarge) return 'too_large';
  throw error;
}
