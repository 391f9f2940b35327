import type { DocumentManager } from './document-manager.ts';

/** The documents of notes that are edited over sockets. */
export type LiveNotes = Pick<DocumentManager, 'open' | 'vaultOf'>;

/** A note's document, opened by one watcher. Dispose of it to stop watching. */
export type LiveNote = Awaited<ReturnType<DocumentManager['open']>>;

export interface Watcher {
  /** Called with each update of others (Yjs, v1) once it is on disk, in the order in which they were stored. */
  update(update: Uint8Array): void;
  /** Called when the document closes. `lost` is temporary: a client that reconnects can open it again. */
  closed(reason: CloseReason): void;
}

export type CloseReason = 'note_deleted' | 'lost';

/**
 * The outcome of an edit. `known`: no edit that arrived with it added anything. `missing`: it depends on edits that the
 * server lacks and was not applied; these must be requested.
 */
export type ApplyOutcome = 'stored' | 'known' | 'missing' | ApplyRefusal;

/**
 * Reason for the final refusal of an edit or a state vector: it belongs to another document, or would take too long to
 * apply (in both cases its text becomes a version of the note), it is invalid or not plain text, or the note would
 * become too large.
 */
export type ApplyRefusal = 'foreign' | 'costly' | 'malformed' | 'unsupported' | 'too_large';
