/** Kind of a file on the server: notes are merged, attachments are not. The path alone decides. */
export type FileKind = 'note' | 'attachment';

export function kindOf(path: string): FileKind {
  return /\.md$/i.test(path) ? 'note' : 'attachment';
}

/** A file as the server has it. */
export interface RemoteFile {
  readonly id: string;
  /** Path in NFC, like all paths in this package. */
  readonly path: string;
  /** Lower-case hex SHA-256 of the bytes. */
  readonly hash: string;
  /** The version of the note that has this hash; null for attachments. */
  readonly version: number | null;
  /** The modification time that the writer reported, in epoch seconds. Compared only for settings files. */
  readonly mtime: number;
}

/** A file as the disk has it. */
export interface LocalFile {
  readonly path: string;
  readonly hash: string;
  /** An identifier that survives renames (device, inode, birth time); null where the file system has none. */
  readonly fileId: string | null;
  /** The modification time, in epoch milliseconds; compared only between two edits of a settings file. */
  readonly mtimeMs?: number;
  /** The id of the synced note as which its text was recognised, where nothing else says which one it is. */
  readonly id?: string;
}

/** The last agreed state of a file: the base for detecting changes on either side. */
export interface SyncedFile {
  readonly id: string;
  readonly path: string;
  readonly hash: string;
  readonly version: number | null;
  readonly fileId: string | null;
  /**
   * The hash of the local text that the server has merged into the one with `hash`, while the merged text is not yet on
   * the disk; null when both sides agreed on one text. What is written here until then is an edit of this text, and
   * what the server has besides it was never seen here.
   */
  readonly pushed: string | null;
}

/**
 * Returns the hash of the content that this device last had in common with the server: what changed on either side
 * differs.
 */
export function agreedHash({ hash, pushed }: Pick<SyncedFile, 'hash' | 'pushed'>): string {
  return pushed ?? hash;
}

/** State observed on one side. `folders` includes empty folders; ancestors of files may be left out. */
export interface SideTree<File> {
  readonly files: readonly File[];
  readonly folders: readonly string[];
}

/** The three trees from which a plan is made. */
export interface Trees {
  readonly local: SideTree<LocalFile>;
  readonly remote: SideTree<RemoteFile>;
  readonly synced: SideTree<SyncedFile>;
}
