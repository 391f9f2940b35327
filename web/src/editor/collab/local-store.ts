/** Reference to a note: its id for the socket, its vault and path for the app. */
export interface NoteRef {
  readonly id: string;
  /** Null for copies of releases that did not record it. */
  readonly vaultId: string | null;
  /** Path of the note when it was last opened here; null for copies of releases that did not record it. */
  readonly path: string | null;
  /** For a stashed copy, the id of its note; `id` then names the copy itself. */
  readonly asideOf?: string;
}

/** A stashed copy: kept on this device, and not sent. */
export interface StashedNote extends NoteRef {
  readonly asideOf: string;
}

/** A note with a copy on this device. */
export interface DeviceNote extends NoteRef {
  readonly hasUnsent: boolean;
}

/** A note with edits that the server has not acknowledged, as far as this device knows. */
export interface UnsentCopy extends NoteRef {
  readonly unsent: readonly Edits[];
}

/** The edits of one writer (a session of a note) up to and including a number. */
export interface Edits {
  readonly writer: string;
  readonly upTo: number;
}

/** The copy of a note's document on this device. */
export interface LocalCopy {
  /** Lineage of the document; copies of another lineage are never merged into it. */
  readonly lineage: string;
  /** Yjs updates (v1), in any order. */
  readonly updates: readonly Uint8Array[];
  /** Edits in the document that the server has not acknowledged, as far as this device knows. */
  readonly unsent: readonly Edits[];
}

/** Store of one account’s documents on this device. Promises resolve once the change is durable. */
export interface LocalStore {
  /** Whether confirmed writes survive the closing of the tab. */
  readonly isDurable: boolean;
  /**
   * Loads the copy of a note: one with unsent edits, else the most recently written; null if there is none. Throws when
   * the storage cannot be used.
   */
  load(noteId: string): Promise<LocalCopy | null>;
  /** Adds an update; `edits` is null for updates from the server. */
  append(note: NoteRef, lineage: string, update: Uint8Array, edits: Edits | null): Promise<void>;
  /** Restores a removed copy, merging it with later writes. */
  putBack(note: NoteRef, copy: LocalCopy): Promise<void>;
  /** Merges the updates of a lineage into one. */
  compact(noteId: string, lineage: string, merge: (updates: readonly Uint8Array[]) => Uint8Array): Promise<void>;
  /** Records that the server has acknowledged these edits; later ones of the same writers stay unsent. */
  markSent(noteId: string, lineage: string, sent: readonly Edits[]): Promise<void>;
  /** Removes a copy, or every copy of a note. */
  remove(noteId: string, lineage?: string): Promise<void>;
  /**
   * Stashes the copies of a note: each copy with unsent edits gets its own id and is no longer sent, and the others are
   * removed. The note then opens as the server has it.
   */
  stash(noteId: string): Promise<readonly StashedNote[]>;
  /** Makes a stashed copy one of its note's copies again. */
  unstash(note: StashedNote): Promise<void>;
  /** Returns the note if there is a copy of it, else null. */
  find(noteId: string): Promise<DeviceNote | null>;
  /** Returns the notes of a vault that have copies without unsent edits. */
  sentNotes(vaultId: string): Promise<readonly NoteRef[]>;
  /** Returns the notes with unacknowledged edits, including stashed copies. */
  unsentNotes(): Promise<readonly UnsentCopy[]>;
  /** Refuses further edits after signing out: a note that is being closed must not write any more. */
  end(): void;
  /** Removes all copies except unsent edits of other accounts. Resolves to whether the store is empty. */
  clear(): Promise<boolean>;
  /** Whether another account has unsent edits. */
  hasOthers(): Promise<boolean>;
  /**
   * Removes all accounts' copies without unsent edits, because the server ended a session. `tidy` removes the others
   * later.
   */
  lock(): Promise<void>;
  /**
   * Removes expired copies: copies of other accounts, unless they have unsent edits and were locked recently; copies of
   * vaults that this account has lost; and the least recently used beyond the maximum.
   *
   * @param vaults the ids of this account's vaults.
   */
  tidy(vaults: ReadonlySet<string>): Promise<void>;
}

/** Returns the edits that remain unsent after some were acknowledged. */
export function withoutSent(unsent: readonly Edits[], sent: readonly Edits[]): readonly Edits[] {
  return unsent.filter(({ writer, upTo }) => !sent.some((one) => one.writer === writer && one.upTo >= upTo));
}

/** Groups unsent copies by note: each note once, with the edits of all its copies. */
export function byNote(copies: readonly UnsentCopy[]): readonly UnsentCopy[] {
  const notes = new Map<string, UnsentCopy>();
  for (const { unsent, ...note } of copies) {
    if (unsent.length > 0) notes.set(note.id, { ...note, unsent: [...(notes.get(note.id)?.unsent ?? []), ...unsent] });
  }
  return [...notes.values()];
}
