/** A note as it is found again: the socket needs its id, and the app its vault and what to call it. */
export interface NoteRef {
  readonly id: string;
  /** Null for copies of releases that did not record it. */
  readonly vaultId: string | null;
  /** Where the note was when it was last opened here; null as above. */
  readonly path: string | null;
  /** For a stashed copy, the note it belongs to; `id` is then the copy's own. */
  readonly asideOf?: string;
}

/** A stashed copy: kept on this device, and not sent. */
export interface StashedNote extends NoteRef {
  readonly asideOf: string;
}

/** A note of which this device has a copy. */
export interface DeviceNote extends NoteRef {
  readonly hasUnsent: boolean;
}

/** A note with edits that the server has not acknowledged as far as is known. */
export interface UnsentCopy extends NoteRef {
  readonly unsent: readonly Edits[];
}

/** The edits of one writer, which is a session of a note, up to and with one of them. */
export interface Edits {
  readonly writer: string;
  readonly upTo: number;
}

/** The copy of a note's document on this device. */
export interface LocalCopy {
  /** Names the history of the document: copies of another one are never merged into it. */
  readonly lineage: string;
  /** Yjs updates (v1), in any order. */
  readonly updates: readonly Uint8Array[];
  /** Edits in it that the server has not acknowledged as far as is known. */
  readonly unsent: readonly Edits[];
}

/**
 * Where one account’s documents are kept on this device. Every promise resolves only once the change is on the device's
 * storage.
 */
export interface LocalStore {
  /** Whether confirmed writes survive the tab. */
  readonly isDurable: boolean;
  /**
   * The copy of a note: one with unsent edits, else the one that was written last; null without one. Throws when the
   * storage cannot be used.
   */
  load(noteId: string): Promise<LocalCopy | null>;
  /** Adds an update; `edits` are null for what came from the server. */
  append(note: NoteRef, lineage: string, update: Uint8Array, edits: Edits | null): Promise<void>;
  /** Restores a removed copy, merging it with later writes. */
  putBack(note: NoteRef, copy: LocalCopy): Promise<void>;
  /** Replaces the updates of a lineage by one that has all of them. */
  compact(noteId: string, lineage: string, merge: (updates: readonly Uint8Array[]) => Uint8Array): Promise<void>;
  /** Records that the server has acknowledged these edits; later ones of the same writers stay unsent. */
  markSent(noteId: string, lineage: string, sent: readonly Edits[]): Promise<void>;
  /** Removes a copy, or every copy of a note. */
  remove(noteId: string, lineage?: string): Promise<void>;
  /**
   * Gives each copy of a note with unsent edits an id of its own, and removes the others, so that the note opens as the
   * server has it. Stashed copies are not sent.
   */
  stash(noteId: string): Promise<readonly StashedNote[]>;
  /** Makes a stashed copy one of its note's copies again. */
  unstash(note: StashedNote): Promise<void>;
  /** The note if there is a copy of it; null without one. */
  find(noteId: string): Promise<DeviceNote | null>;
  /** Notes of a vault of which there are copies without unsent edits. */
  sentNotes(vaultId: string): Promise<readonly NoteRef[]>;
  /** Returns the notes with unacknowledged edits, including stashed copies. */
  unsentNotes(): Promise<readonly UnsentCopy[]>;
  /** Takes no more edits: the account signed out, and what a note writes as it is left must not come after that. */
  end(): void;
  /** Removes every copy but unsent edits of other accounts; resolves to whether nothing is left. */
  clear(): Promise<boolean>;
  /** Whether another account has unsent edits. */
  hasOthers(): Promise<boolean>;
  /**
   * Removes the copies of every account that have no unsent edits, because the server ended a session. The others stay
   * for a while: see `tidy`.
   */
  lock(): Promise<void>;
  /**
   * Removes copies that are not to be kept: those of other accounts, unless they have unsent edits and were not locked
   * for too long; those of vaults that this account has no more; and what was not used for longest, beyond a bound.
   *
   * @param vaults the ids of this account's vaults.
   */
  tidy(vaults: ReadonlySet<string>): Promise<void>;
}

/** Returns the edits that remain unsent after some were acknowledged. */
export function withoutSent(unsent: readonly Edits[], sent: readonly Edits[]): readonly Edits[] {
  return unsent.filter(({ writer, upTo }) => !sent.some((one) => one.writer === writer && one.upTo >= upTo));
}

/** The notes with unsent edits, each once with those of all its copies. */
export function byNote(copies: readonly UnsentCopy[]): readonly UnsentCopy[] {
  const notes = new Map<string, UnsentCopy>();
  for (const { unsent, ...note } of copies) {
    if (unsent.length > 0) notes.set(note.id, { ...note, unsent: [...(notes.get(note.id)?.unsent ?? []), ...unsent] });
  }
  return [...notes.values()];
}
