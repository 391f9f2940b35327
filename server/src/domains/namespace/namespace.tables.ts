/** What holds a path of a vault: one row per live note, attachment or folder. The key keeps two of them from one path. */
export interface PathRow {
  vault_id: string;
  /** Blind index of the folded path: equal for paths that may not coexist. */
  path_key: Buffer;
  /** `note`, `attachment` or `folder`. */
  kind: string;
  /** The note, attachment or folder that holds the path. */
  item_id: string;
}

/** A folder that exists: because it was made, or because something lies below it. */
export interface FolderRow {
  vault_id: string;
  id: string;
  /** The folder it lies in; null at the root. */
  parent_id: string | null;
  /** Blind index of the folded path, as in `paths`. */
  path_key: Buffer;
  /** 1 for a folder made by a client: it stays when it is empty. */
  explicit: number;
  /** Live notes directly inside. */
  notes: number;
  /** Live notes, attachments and folders directly inside; a folder that is not explicit goes with the last of them. */
  children: number;
  /** Sealed: the path in the spelling it was first written in. */
  path: Buffer;
}

export interface NamespaceTables {
  paths: PathRow;
  folders: FolderRow;
}

export const namespaceDdl = `
create table paths (
  vault_id uuid not null references vaults (id),
  path_key bytea not null,
  kind text not null check (kind in ('note', 'attachment', 'folder')),
  item_id uuid not null,
  primary key (vault_id, path_key)
);
create table folders (
  vault_id uuid not null references vaults (id),
  id uuid not null,
  parent_id uuid,
  path_key bytea not null,
  explicit bigint not null,
  notes bigint not null check (notes >= 0),
  children bigint not null check (children >= notes),
  path bytea not null,
  primary key (vault_id, id)
);
create index folders_by_parent on folders (vault_id, parent_id);
`;
