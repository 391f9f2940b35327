/** A note, live or a tombstone. Everything a reader could recognise it by is in `meta`, sealed. */
export interface NoteRow {
  vault_id: string;
  /** UUID, the same through renames, deletion and revival; one note of one vault in the whole database. */
  id: string;
  /** The vault's change sequence at the row's last write. */
  seq: number;
  /** Grows with every write of the row: what was prepared from one revision is not written over another. */
  revision: number;
  /** Grows by one with every change of content, from 1, or from the last version of the tombstones at its first path. */
  version: number;
  /** The folder the note lies in; null at the root, and meaningless for a tombstone. */
  folder_id: string | null;
  /** Blind index of the folded path, also of the last path of a tombstone. */
  path_key: Buffer;
  /** Blind index of the folded file name without `.md`: what a link's target is looked up by. */
  name_key: Buffer;
  /** UTF-8 bytes of the content. */
  size_bytes: number;
  /** Client mtime, epoch seconds. */
  mtime: number;
  created_at: number;
  updated_at: number;
  /** Epoch milliseconds; null while the note is live. */
  deleted_at: number | null;
  /** Sealed JSON: path, title, tags, hash, frontmatter, what made the version. */
  meta: Buffer;
}

/** The large parts of a note, apart from its row so that lists do not read them. */
export interface NoteBodyRow {
  vault_id: string;
  note_id: string;
  /** Sealed: the text in UTF-8. */
  content: Buffer;
  /**
   * Sealed: the state of the note's Yjs document (update, v2). Null while the note was only ever written once: its
   * document is then the seed that follows from content and client id, and most notes of most vaults stay there.
   */
  doc: Buffer | null;
  /**
   * Fingerprints of the writes that named a version, eight bytes each, the newest last; null while there was none. Blind
   * values of base version and text: the same write again is known by its own, and answered with the note as it is.
   */
  fingerprints: Buffer | null;
}

/** Another name of a note, from its frontmatter. */
export interface NoteAliasRow {
  vault_id: string;
  /** Blind index of the folded alias, comparable with `notes.name_key`. */
  alias_key: Buffer;
  note_id: string;
}

/** A version that was written over. */
export interface NoteVersionRow {
  vault_id: string;
  note_id: string;
  version: number;
  /** When this version was made, epoch milliseconds. */
  created_at: number;
  size_bytes: number;
  /** 1 when a merge, restore, batch, link rewriting or agent wrote over it: then it is not thinned. */
  pinned: number;
  /** When thinning looks at it next, epoch milliseconds. */
  due_at: number;
  /** Sealed JSON: hash, what made it and who. */
  meta: Buffer;
  /** Sealed: the text in UTF-8, the very bytes that stood in `note_bodies`. */
  content: Buffer;
  /** Sealed: the Yjs snapshot (v1) of this version, into which later edits of it are mapped. */
  snapshot: Buffer;
}

/**
 * An edit that came over a socket and is acknowledged, but not yet part of the note's row and document. A note with such
 * rows is behind what people typed: whoever reads it folds them in first. Rows of one note may be taken in any order.
 */
export interface NoteUpdateRow {
  vault_id: string;
  note_id: string;
  /** UUIDv7: tells how long the edit has been waiting. */
  id: string;
  /** Sealed: who made the edits, and the Yjs updates (v1), several when they came in one moment. */
  payload: Buffer;
}

/**
 * An id whose note is gone with its tombstone: no later note gets it. Who was away since would take another note's text
 * and document for a later state of the one they knew.
 */
export interface SpentNoteIdRow {
  vault_id: string;
  id: string;
}

export interface NotesTables {
  notes: NoteRow;
  note_bodies: NoteBodyRow;
  note_aliases: NoteAliasRow;
  note_versions: NoteVersionRow;
  note_updates: NoteUpdateRow;
  spent_note_ids: SpentNoteIdRow;
}

export const notesDdl = `
create table notes (
  vault_id uuid not null references vaults (id),
  id uuid not null,
  seq bigint not null,
  revision bigint not null,
  version bigint not null,
  folder_id uuid,
  path_key bytea not null,
  name_key bytea not null,
  size_bytes bigint not null,
  mtime double precision not null,
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint,
  meta bytea not null,
  primary key (vault_id, id)
);
create unique index notes_by_id on notes (id);
create unique index notes_by_seq on notes (vault_id, seq);
create index notes_by_folder on notes (vault_id, folder_id) where deleted_at is null;
create index notes_by_name on notes (vault_id, name_key) where deleted_at is null;
create index tombstones_by_path on notes (vault_id, path_key, deleted_at) where deleted_at is not null;
create index tombstones_by_version on notes (vault_id, path_key, version) where deleted_at is not null;
create index tombstones_by_age on notes (deleted_at, id) where deleted_at is not null;
create table note_bodies (
  vault_id uuid not null,
  note_id uuid not null,
  content bytea not null,
  doc bytea,
  fingerprints bytea,
  primary key (vault_id, note_id),
  foreign key (vault_id, note_id) references notes (vault_id, id) on delete cascade
);
create table note_aliases (
  vault_id uuid not null,
  alias_key bytea not null,
  note_id uuid not null,
  primary key (vault_id, alias_key, note_id),
  foreign key (vault_id, note_id) references notes (vault_id, id) on delete cascade
);
create index note_aliases_by_note on note_aliases (vault_id, note_id);
create table note_versions (
  vault_id uuid not null,
  note_id uuid not null,
  version bigint not null,
  created_at bigint not null,
  size_bytes bigint not null,
  pinned bigint not null,
  due_at bigint not null,
  meta bytea not null,
  content bytea not null,
  snapshot bytea not null,
  primary key (vault_id, note_id, version),
  foreign key (vault_id, note_id) references notes (vault_id, id) on delete cascade
);
create index note_versions_due on note_versions (due_at);
create table note_updates (
  vault_id uuid not null,
  note_id uuid not null,
  id uuid not null,
  payload bytea not null,
  primary key (vault_id, note_id, id),
  foreign key (vault_id, note_id) references notes (vault_id, id) on delete cascade
);
create index note_updates_by_age on note_updates (id);
create table spent_note_ids (
  vault_id uuid not null references vaults (id),
  id uuid not null,
  primary key (vault_id, id)
);
create index spent_note_ids_by_id on spent_note_ids (id);
`;
