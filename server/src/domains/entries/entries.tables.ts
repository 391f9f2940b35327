/** What an entry is. */
export type EntryKind = 'note' | 'attachment' | 'folder';

/** A kind with a seq of its own: what links mean, lists show and the change feed tells of. */
export type ItemKind = Exclude<EntryKind, 'folder'>;

/**
 * A note, an attachment or a folder: what all of them have in common. Notes and attachments that were deleted stay as
 * tombstones; folders go at once. Everything a reader could recognise an entry by is in `meta`, sealed.
 */
export interface EntryRow {
  vault_id: string;
  /** UUID, the same through renames, deletion and revival; one entry of one vault in the whole database. */
  id: string;
  /** `note`, `attachment` or `folder`. */
  kind: EntryKind;
  /** The vault's change sequence at the row's last write; null for folders, which the change feed does not show. */
  seq: number | null;
  /** Grows with every write of the row: what was prepared from one revision is not written over another. */
  revision: number;
  /**
   * Notes only: grows by one with every change of content, from 1, or from the last version of the tombstones at its first
   * path.
   */
  version: number | null;
  /** The folder it lies in; null at the root, and meaningless for a tombstone. */
  parent_id: string | null;
  /** Blind index of the folded path, also of the last path of a tombstone: equal for paths that may not coexist. */
  path_key: Buffer;
  /**
   * Blind index of the folded file name, of a note without `.md`: what a link's target is looked up by. Null for folders,
   * which no link means.
   */
  name_key: Buffer | null;
  /** Attachments only: where the bytes are. A live one has them, and the foreign key keeps them there. */
  blob_id: string | null;
  /** UTF-8 bytes of a note's content, bytes of a file; 0 for folders. */
  size_bytes: number;
  /** Client mtime, epoch seconds; 0 for folders. */
  mtime: number;
  created_at: number;
  updated_at: number;
  /** Epoch milliseconds; null while the entry is live. */
  deleted_at: number | null;
  /** Folders only: 1 for one made by a client, which stays when it is empty. */
  explicit: number | null;
  /** Folders only: live notes directly inside. */
  notes: number | null;
  /**
   * Folders only: live notes, attachments and folders directly inside; a folder that is not explicit goes with the last of
   * them.
   */
  children: number | null;
  /** Sealed JSON: the path in its spelling, and what the kind adds. */
  meta: Buffer;
}

/**
 * An id whose entry is gone with its tombstone: no later one gets it. Who was away since would take another note's text and
 * document for a later state of the one they knew.
 */
export interface SpentIdRow {
  vault_id: string;
  id: string;
}

export interface EntriesTables {
  entries: EntryRow;
  spent_ids: SpentIdRow;
}

// The counters of folders stand in no index: counting what comes and goes rewrites none.
export const entriesDdl = `
create table entries (
  vault_id uuid not null references vaults (id),
  id uuid not null,
  kind text not null check (kind in ('note', 'attachment', 'folder')),
  seq bigint check ((seq is null) = (kind = 'folder')),
  revision bigint not null,
  version bigint check ((version is null) = (kind <> 'note')),
  parent_id uuid,
  path_key bytea not null,
  name_key bytea check ((name_key is null) = (kind = 'folder')),
  blob_id uuid check (case kind when 'attachment' then blob_id is not null or deleted_at is not null else blob_id is null end),
  size_bytes bigint not null,
  mtime double precision not null,
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint check (deleted_at is null or kind <> 'folder'),
  explicit bigint check ((explicit is null) = (kind <> 'folder')),
  notes bigint check (notes >= 0),
  children bigint check (children >= notes),
  meta bytea not null,
  primary key (vault_id, id),
  foreign key (vault_id, blob_id) references attachment_blobs (vault_id, id)
);
create unique index entries_by_id on entries (id);
create unique index entries_by_seq on entries (vault_id, kind, seq);
create unique index entries_by_path on entries (vault_id, path_key) where deleted_at is null;
create index entries_by_parent on entries (vault_id, parent_id, kind) where deleted_at is null;
create index entries_by_name on entries (vault_id, name_key) where deleted_at is null and name_key is not null;
create index entries_by_blob on entries (vault_id, blob_id) where blob_id is not null;
create index tombstones_by_path on entries (vault_id, path_key, deleted_at) where deleted_at is not null and version is not null;
create index tombstones_by_version on entries (vault_id, path_key, version) where deleted_at is not null and version is not null;
create index tombstones_by_age on entries (deleted_at, id) where deleted_at is not null;
create table spent_ids (
  vault_id uuid not null references vaults (id),
  id uuid not null,
  primary key (vault_id, id)
);
create index spent_ids_by_id on spent_ids (id);
`;
