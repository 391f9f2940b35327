export type EntryKind = 'note' | 'attachment' | 'folder';

/** A kind with a seq: links can point to it, lists contain it and the change feed reports it. */
export type ItemKind = Exclude<EntryKind, 'folder'>;

/**
 * A note, an attachment or a folder. Deleted notes and attachments remain as tombstones; folders are deleted at once.
 * Everything from which a reader could recognize an entry is in `meta`, sealed.
 */
export interface EntryRow {
  vault_id: string;
  /** A UUID that survives renames, deletion and revival; unique in the whole database. */
  id: string;
  kind: EntryKind;
  /** The vault's seq at the row's last write; null for folders, which are not in the change feed. */
  seq: number | null;
  /** Incremented by every write of the row: a write prepared from one revision must not overwrite another. */
  revision: number;
  /** Notes only: incremented by changes of content. Begins at 1, or after the last tombstone at its path. */
  version: number | null;
  /** The folder that contains it; null at the root, and without meaning for a tombstone. */
  parent_id: string | null;
  /** Blind index of the folded path, for a tombstone of its last path: equal for paths that cannot coexist. */
  path_key: Buffer;
  /** Blind index of the folded file name, without `.md`, for link targets. Null for folders. */
  name_key: Buffer | null;
  /** Attachments only: the blob with the bytes, also in the trash; a foreign key protects it. */
  blob_id: string | null;
  /** Size of a note's content in UTF-8 or of a file, in bytes; 0 for folders. */
  size_bytes: number;
  /** Client mtime, epoch seconds; 0 for folders. */
  mtime: number;
  created_at: number;
  updated_at: number;
  /** Epoch milliseconds; null while the entry is live. */
  deleted_at: number | null;
  /**
   * Tombstones only: 1 in the trash, with all that a restore needs; 0 when it was purged and data is left to be deleted;
   * null when only the tombstone is left.
   */
  trashed: number | null;
  /** Folders only: 1 for a folder created by a client, which remains when it is empty. */
  explicit: number | null;
  /** Folders only: the number of live notes directly inside. */
  notes: number | null;
  /** Folders only: the number of live entries directly inside. One that is not explicit is deleted at 0. */
  children: number | null;
  /** Sealed JSON: the path in its spelling, and the data of the kind. */
  meta: Buffer;
}

/** The columns of a note's or attachment's row, tombstones too, without the vault's id. */
export const ITEM_COLUMNS = [
  'entries.id',
  'entries.kind',
  'entries.seq',
  'entries.revision',
  'entries.version',
  'entries.parent_id',
  'entries.path_key',
  'entries.name_key',
  'entries.blob_id',
  'entries.size_bytes',
  'entries.mtime',
  'entries.created_at',
  'entries.updated_at',
  'entries.deleted_at',
  'entries.meta',
] as const;

/**
 * The columns of a row in the change feed. Its keys are left out, because bytes are the most expensive columns to read.
 */
export const FEED_COLUMNS = ITEM_COLUMNS.filter(
  (column) => column !== 'entries.path_key' && column !== 'entries.name_key',
);

/**
 * The id of an entry whose tombstone was dropped; it is never issued again. Otherwise an offline client could take
 * another note's text and document for a later state of its own note.
 */
export interface SpentIdRow {
  vault_id: string;
  id: string;
}

export interface EntriesTables {
  entries: EntryRow;
  spent_ids: SpentIdRow;
}

// No index contains the folder counters, so updating them rewrites none.
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
  blob_id uuid,
  size_bytes bigint not null,
  mtime double precision not null,
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint check (deleted_at is null or kind <> 'folder'),
  trashed bigint check (trashed is null or deleted_at is not null),
  explicit bigint check ((explicit is null) = (kind <> 'folder')),
  notes bigint check (notes >= 0),
  children bigint check (children >= notes),
  meta bytea not null,
  check ((blob_id is not null) = (kind = 'attachment' and (deleted_at is null or coalesce(trashed, 0) = 1))),
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
create index entries_in_trash on entries (vault_id, kind, deleted_at, id) where trashed = 1;
create index entries_ended on entries (id) where trashed = 0;
create table spent_ids (
  vault_id uuid not null references vaults (id),
  id uuid not null,
  primary key (vault_id, id)
);
create index spent_ids_by_id on spent_ids (id);
`;
