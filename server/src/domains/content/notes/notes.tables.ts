/** The large parts of a live or deleted note, separate from its entry so that lists do not read them. */
export interface NoteBodyRow {
  vault_id: string;
  note_id: string;
  /** Sealed: the text in UTF-8. */
  content: Buffer;
  /**
   * Sealed: the state of the note's Yjs document (update, v2). Null while the note has been written only once: its
   * document is then the seed that follows from content and client id. Most notes stay in this state.
   */
  doc: Buffer | null;
  /**
   * Fingerprints of the writes that named a version, newest last, and the clocks between their insertions
   * (`merge/fingerprints.ts`); null when there is none. Blind values of base version and text: a repeated write is
   * recognized and answered with the present note.
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

/** A replaced version. */
export interface NoteVersionRow {
  vault_id: string;
  note_id: string;
  version: number;
  /** When this version was made, epoch milliseconds. */
  created_at: number;
  size_bytes: number;
  /** 1 when a merge, restore, batch, link rewriting or agent replaced it: then it is not thinned. */
  pinned: number;
  /** When the retention job checks it next, epoch milliseconds. */
  due_at: number;
  /** Sealed JSON: hash, reason and author. */
  meta: Buffer;
  /** Sealed: the text in UTF-8, copied unchanged from `note_bodies`. */
  content: Buffer;
  /** Sealed: the Yjs snapshot (v1) of this version, used to map later edits of it. */
  snapshot: Buffer;
}

/**
 * An acknowledged edit from a socket that is not yet part of the note's row and document. The row of such a note is
 * outdated: every reader flushes the edits first. The rows of one note may be applied in any order.
 */
export interface NoteUpdateRow {
  vault_id: string;
  note_id: string;
  /** UUIDv7: its time shows how long the edit has been waiting. */
  id: string;
  /** Sealed: the author of the edits and the Yjs updates (v1), several if they arrived together. */
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
