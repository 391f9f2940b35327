/** What a file is to the server: text that merges, or bytes that do not. The path alone tells. */
export type FileKind = 'note' | 'attachment';

export function kindOf(path: string): FileKind {
  return /\.md$/i.test(path) ? 'note' : 'attachment';
}

/** A file as the server has it. */
export interface RemoteFile {
  readonly id: string;
  /** In NFC, as all paths here. */
  readonly path: string;
  /** Lower-case hex SHA-256 of the bytes. */
  readonly hash: string;
  /** The version of a note whose text has this hash; null for attachments. */
  readonly version: number | null;
  /** What whoever wrote it said of its time, epoch seconds. Copied, never compared. */
  readonly mtime: number;
}

/** A file as the disk has it. */
export interface LocalFile {
  readonly path: string;
  readonly hash: string;
  /** What the file system knows the file by through renames (device, inode, birth time); null where it knows nothing. */
  readonly fileId: string | null;
}

/** What both sides last agreed on: the base that changes of either side are told by. */
export interface SyncedFile {
  readonly id: string;
  readonly path: string;
  readonly hash: string;
  readonly version: number | null;
  readonly fileId: string | null;
  /**
   * A local text that the server has merged already, while the merged text is not on the disk yet. Until it is, the base
   * stays what it was: what is written meanwhile is an edit of that base, which the server merges again.
   */
  readonly pushed: string | null;
}

/** Observations of one side. Folders are those that hold nothing too; the folders above files need not be named. */
export interface SideTree<File> {
  readonly files: readonly File[];
  readonly folders: readonly string[];
}

/** The three trees that a plan follows from. */
export interface Trees {
  readonly local: SideTree<LocalFile>;
  readonly remote: SideTree<RemoteFile>;
  readonly synced: SideTree<SyncedFile>;
}
