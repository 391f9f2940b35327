/** The copy of a note's document on this device. */
export interface LocalCopy {
  /** Names the history of the document: copies of another one are never merged into it. */
  readonly lineage: string;
  /** Yjs updates (v1), in any order. */
  readonly updates: readonly Uint8Array[];
  /** The writers, such as tabs, that made edits which the server has not acknowledged as far as is known. */
  readonly unsentBy: readonly string[];
}

/** Where documents are kept on this device. Every promise resolves only once the change is on the device's storage. */
export interface LocalStore {
  /** The copy of a note that was written last; null without one. Throws when the storage cannot be used. */
  load(noteId: string): Promise<LocalCopy | null>;
  /** Adds an update; `unsentBy` names the writer of an edit, and is null for what came from the server. */
  append(noteId: string, lineage: string, update: Uint8Array, unsentBy: string | null): Promise<void>;
  /** Replaces the updates of a lineage by one that has all of them. */
  compact(noteId: string, lineage: string, merge: (updates: readonly Uint8Array[]) => Uint8Array): Promise<void>;
  /** Records that the server has acknowledged every edit of these writers. */
  markSent(noteId: string, lineage: string, writers: readonly string[]): Promise<void>;
  /** Removes a copy, or every copy of a note. */
  remove(noteId: string, lineage?: string): Promise<void>;
  /** Notes with edits that the server has not acknowledged. */
  unsentNotes(): Promise<readonly string[]>;
}
