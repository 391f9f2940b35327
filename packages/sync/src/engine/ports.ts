import type { RemoteFile, SyncedFile } from '../plan/trees.ts';

/** What the engine touches, each behind a port: an adapter for Node, one for a browser or an editor's plugin, one for tests. */
export interface Ports {
  readonly disk: Disk;
  readonly server: Server;
  readonly store: StateStore;
  readonly clock: Clock;
}

export interface Clock {
  /** Epoch milliseconds, and a monotonic count of them: only the second one measures how long something took. */
  now(): number;
  ticks(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A file as the disk lists it. Two entries with equal fields are taken for the same bytes. */
export interface DiskFile {
  /** Relative to the folder, in NFC, with `/`. */
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** What the file system knows it by through renames; null where it knows nothing. */
  readonly fileId: string | null;
}

export interface DiskListing {
  readonly files: readonly DiskFile[];
  /** All folders that do not hold ignored files alone. */
  readonly folders: readonly string[];
  /** What is there and is not kept in step, and why: links, names that no vault can have. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

/** What a write rests on: the file that is there, or that none is. */
export type Expected = DiskFile | null;

/**
 * The folder. Every change is made at once or not at all, and only while the disk is as expected: otherwise it throws
 * DiskChanged and nothing is done. Nothing is written through a link or outside the folder.
 */
export interface Disk {
  /** Throws FolderGone when the folder is missing, another one, or cannot be listed whole. */
  list(): Promise<DiskListing>;
  /** Whether the disk, and every other that people have, can hold a name: see `plan`. */
  canStore(path: string): boolean;
  /** A text with the hash of its bytes; null when the file is not as expected any more. `text` is null for what is not UTF-8. */
  readText(file: DiskFile): Promise<{ readonly text: string | null; readonly hash: string } | null>;
  /** Lower-case hex SHA-256 of the bytes; null when the file is not as expected any more. */
  hash(file: DiskFile): Promise<string | null>;
  /** The bytes as a stream; it throws DiskChanged when the file changes under it. */
  read(file: DiskFile): AsyncIterable<Uint8Array>;
  /** Writes a file whole, through a temporary one, once its bytes have the hash. @param mtime epoch seconds */
  write(path: string, bytes: AsyncIterable<Uint8Array>, hash: string, mtime: number, over: Expected): Promise<DiskFile>;
  move(from: DiskFile, to: string): Promise<DiskFile>;
  moveFolder(from: string, to: string): Promise<void>;
  /** Moves the file to the trash beside the state. */
  trash(file: DiskFile): Promise<void>;
  makeFolder(path: string): Promise<void>;
  /** Removes a folder that holds nothing but what is never kept in step. Throws DiskChanged for any other. */
  removeFolder(path: string): Promise<void>;
}

/** The disk is not as it was when the operation was planned. */
export class DiskChanged extends Error {
  override readonly name = 'DiskChanged';
}

/** The folder cannot be kept in step as it is: `message` says what is wrong and what to do. */
export class FolderGone extends Error {
  override readonly name = 'FolderGone';
}

/** A row of the change feed. */
export interface RemoteChange extends RemoteFile {
  readonly deleted: boolean;
}

export interface ChangesPage {
  readonly changes: readonly RemoteChange[];
  /** Where the next page begins. */
  readonly cursor: string;
  readonly hasMore: boolean;
}

export interface Content {
  readonly hash: string;
  readonly version: number | null;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** A text of a note on its way to the server. @property mtime epoch seconds */
export interface NoteText {
  readonly path: string;
  readonly text: string;
  readonly mtime: number;
}

/** What a write came to. `changed`: the vault is not as the plan had it, and nothing was done. */
export type Written =
  | { readonly kind: 'written'; readonly file: RemoteFile }
  | { readonly kind: 'changed' }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * The vault. Each write is guarded by what it rests on. A request that got no answer may have been carried out: asking
 * again is always safe. Throws ServerUnreachable for what passes by itself, ServerStopped for what does not.
 */
export interface Server {
  /** A page of the feed; null when the cursor is not valid any more, and everything has to be read anew. */
  changes(cursor: string | null): Promise<ChangesPage | null>;
  /** Folders that are there without files. */
  folders(): Promise<readonly string[]>;
  /** The present content of a file; null when it is gone. */
  read(file: Pick<RemoteFile, 'id' | 'path'>): Promise<Content | null>;
  /** Makes notes at paths where nothing is; in the order of the items. `id` revives a deleted note. */
  createNotes(notes: readonly (NoteText & { readonly id: string | null })[]): Promise<readonly Written[]>;
  /** Merges a text as an edit of a version. `version gone` is the one refusal that the engine mends itself. */
  pushNote(id: string, note: NoteText, version: number): Promise<Written | { readonly kind: 'version gone' }>;
  /** Puts bytes at a path: over those with the hash `over`, or where nothing is. */
  putAttachment(
    path: string,
    bytes: AsyncIterable<Uint8Array>,
    size: number,
    mtime: number,
    over: string | null,
  ): Promise<Written>;
  move(file: Pick<RemoteFile, 'id' | 'path'>, to: string): Promise<Written>;
  moveFolder(from: string, to: string): Promise<'moved' | 'changed'>;
  /** Deletes a file while it has the hash. */
  delete(file: Pick<RemoteFile, 'id' | 'path' | 'hash'>): Promise<'deleted' | 'changed'>;
  makeFolder(path: string): Promise<'made' | 'changed'>;
  removeFolder(path: string): Promise<void>;
}

export class ServerUnreachable extends Error {
  override readonly name = 'ServerUnreachable';
}

/** Signed out, the vault gone, the plan used up: `message` says what to do. Nothing local is touched. */
export class ServerStopped extends Error {
  override readonly name = 'ServerStopped';
}

/** What the engine knows between runs. Hashes are cached by what the disk lists of a file. */
export interface StoredState {
  readonly synced: readonly SyncedFile[];
  readonly folders: readonly string[];
  readonly remote: readonly RemoteFile[];
  readonly remoteFolders: readonly string[];
  readonly cursor: string | null;
  readonly hashes: readonly (DiskFile & { readonly hash: string })[];
}

export type StateChange =
  | { readonly type: 'synced'; readonly file: SyncedFile }
  | { readonly type: 'unsynced'; readonly id: string }
  | { readonly type: 'folder'; readonly path: string; readonly isSynced: boolean }
  | { readonly type: 'remote'; readonly file: RemoteFile }
  | { readonly type: 'remoteGone'; readonly id: string }
  | { readonly type: 'remoteFolders'; readonly paths: readonly string[] }
  | { readonly type: 'cursor'; readonly cursor: string | null }
  | { readonly type: 'hash'; readonly file: DiskFile; readonly hash: string }
  | { readonly type: 'hashGone'; readonly path: string }
  | { readonly type: 'baseText'; readonly hash: string; readonly text: string };

/** Keeps the state. It is written after the disk and the server: a crash leaves it behind them, never ahead. */
export interface StateStore {
  load(): Promise<StoredState>;
  /** Stores all of them or none. */
  commit(changes: readonly StateChange[]): Promise<void>;
  /** A text that both sides had, kept while a file is synced with its hash; null when it is not there. */
  baseText(hash: string): Promise<string | null>;
}
