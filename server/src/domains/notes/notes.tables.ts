/** The large parts of a note, live or a tombstone, apart from its entry so that lists do not read them. */
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
  /** Blind index of the folded alias, comparable with `entries.name_key`. */
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

export interface NotesTables {
  note_bodies: NoteBodyRow;
  note_aliases: NoteAliasRow;
  note_versions: NoteVersionRow;
  note_updates: NoteUpdateRow;
}

export const notesDdl = `
create table note_bodies (
  vault_id uuid not null,
  note_id uuid not null,
  content bytea not null,
  doc bytea,
  fingerprints bytea,
  primary key (vault_id, note_id),
  foreign key (vault_id, note_id) references entries (vault_id, id) on delete cascade
);
create table note_aliases (
  vault_id uuid not null,
  alias_key bytea not null,
  note_id uuid not null,
  primary key (vault_id, alias_key, note_id),
  foreign key (vault_id, note_id) references entries (vault_id, id) on delete cascade
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
  foreign key (vault_id, note_id) references entries (vault_id, id) on delete cascade
);
create index note_versions_due on note_versions (due_at);
create table note_updates (
  vault_id uuid not null,
  note_id uuid not null,
  id uuid not null,
  payload bytea not null,
  primary key (vault_id, note_id, id),
  foreign key (vault_id, note_id) references entries (vault_id, id) on delete cascade
);
create index note_updates_by_age on note_updates (id);
`;
