import type { RemoteMove } from '../plan/operations.ts';
import type { RemoteFile, SyncedFile } from '../plan/trees.ts';

/** Ports of the engine, with adapters for Node, browsers, editor plugins and tests. */
export interface Ports {
  readonly disk: Disk;
  readonly server: Server;
  readonly store: StateStore;
  readonly clock: Clock;
  readonly hashing: Hashing;
}

/** Computes SHA-256. */
export interface Hashing {
  begin(): Hash;
}

/** A hash of bytes that are added piece by piece. */
export interface Hash {
  add(bytes: Uint8Array): void;
  /** Returns the hash in lower-case hex. Nothing can be added afterwards. */
  end(): string | Promise<string>;
}

export interface Clock {
  /**
   * Returns the wall clock in epoch milliseconds and a monotonic clock in milliseconds; only the monotonic clock
   * measures durations.
   */
  now(): number;
  ticks(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Returns a random UUID. */
  uuid(): string;
}

/** A file as the disk lists it. Two entries with equal fields count as the same bytes. */
export interface DiskFile {
  /** Relative to the synced folder, in NFC, separated by `/`. */
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** Change time of the file system entry, which programs cannot set back, unlike the mtime; null if unknown. */
  readonly ctimeMs: number | null;
  /** An identifier that survives renames; null where the file system has none. */
  readonly fileId: string | null;
}

/** A path that is not in sync, and the reason. */
export interface UnsyncedFile {
  readonly path: string;
  readonly reason: string;
  /** Whether this user lacks the permission to read or change it. Only a person can correct that. */
  readonly isDenied?: true;
}

export interface DiskListing {
  readonly files: readonly DiskFile[];
  /** All folders that are not ignored. */
  readonly folders: readonly string[];
  /** Entries that are not synced: links, and names that a vault cannot store. */
  readonly skipped: readonly UnsyncedFile[];
  /** Whether there are folders that cannot be read, which `skipped` names: what is missing may be in one of them. */
  readonly isPartial: boolean;
}

/** Content to write to a file. @property size null if not known yet @property mtime epoch seconds */
export interface FileContent {
  /** Throws when something is wrong with them: then nothing is written. */
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly size: number | null;
  readonly mtime: number;
}

/** The precondition of a write: the file that must be there, or null when there must be none. */
export type Expected = DiskFile | null;

/**
 * The synced folder. Every change is atomic and happens only if the disk is as expected; otherwise it throws
 * DiskChanged and does nothing. A change that the disk will not make, whatever is on it, throws DiskRefused. Nothing is
 * written through a link or outside the folder.
 */
export interface Disk {
  /** Throws FolderGone when the folder is missing, has been replaced by another one, or its disk fails. */
  list(): Promise<DiskListing>;
  /**
   * Returns why neither this disk nor every other common file system can store a path; null when they can. The text
   * continues a sentence that begins with the path.
   */
  pathFault(path: string): string | null;
  /**
   * Returns whether the user's rules keep a path out of syncing. Such files count as absent on both sides, and nothing
   * is done to them. The rules may change with each `list`.
   */
  isIgnored(path: string, kind: 'file' | 'folder'): boolean;
  /**
   * Returns all bytes of a file; null when it is no longer as expected. Throws DiskRefused for a file that cannot be
   * read.
   */
  readBytes(file: DiskFile): Promise<Uint8Array | null>;
  /** Streams the bytes; throws DiskChanged when the file is not as expected or changes during the read. */
  read(file: DiskFile): AsyncIterable<Uint8Array>;
  /** Throws DiskRefused when this user may not write a file at a path, so that its bytes need not be fetched. */
  requireWritable(path: string): Promise<void>;
  /**
   * Writes a file atomically: to a temporary file that replaces the target once all bytes have come without an error.
   * What it replaces goes to the trash.
   *
   * @param ready called before the file gets its name, with the file id that it will have; null where that is not known
   */
  write(
    path: string,
    content: FileContent,
    over: Expected,
    ready?: (fileId: string | null) => Promise<void>,
  ): Promise<DiskFile>;
  move(from: DiskFile, to: string): Promise<DiskFile>;
  /**
   * Moves files of which some take the paths of others, all or none. No listing ever has a file between two paths: what
   * the end of the program interrupts is completed or undone before the first listing of the next one.
   */
  moveMany(moves: readonly { readonly from: DiskFile; readonly to: string }[]): Promise<readonly DiskFile[]>;
  moveFolder(from: string, to: string): Promise<void>;
  /**
   * Moves the file to the trash folder next to the stored state, or wherever this disk keeps what is deleted.
   *
   * @param isOnServer whether the vault's trash has these bytes, so that a disk need not keep them
   */
  trash(file: DiskFile, isOnServer: (bytes: Uint8Array) => Promise<boolean>): Promise<void>;
  /** Stores bytes in that trash which never were on this disk: what the user's decision removes from the vault. */
  keep(path: string, content: FileContent): Promise<void>;
  makeFolder(path: string): Promise<void>;
  /** Removes an empty folder. Throws DiskRefused for one with ignored files, and DiskChanged for any other. */
  removeFolder(path: string): Promise<void>;
  /** Makes all changes durable; called before the state that records them is. */
  flush(): Promise<void>;
}

/** The disk has changed since the operation was planned. */
export class DiskChanged extends Error {
  override readonly name = 'DiskChanged';
}

/** The disk does not make this change; `message` continues a sentence that begins with the path. */
export class DiskRefused extends Error {
  override readonly name = 'DiskRefused';
  /** The time after which to try again, where what was refused may be allowed at any moment. */
  readonly retryMs: number | undefined;
  /** Whether this user lacks the permission. */
  readonly isDenied: boolean;

  constructor(
    message: string,
    {
      retryMs,
      isDenied = false,
      ...options
    }: ErrorOptions & { readonly retryMs?: number; readonly isDenied?: boolean } = {},
  ) {
    super(message, options);
    this.retryMs = retryMs;
    this.isDenied = isDenied;
  }
}

/** The server has the file but cannot open it; `message` continues a sentence that begins with the path. */
export class RemoteDamaged extends Error {
  override readonly name = 'RemoteDamaged';
}

/** The folder cannot be synced in its present state; `message` says what is wrong and what to do. */
export class FolderGone extends Error {
  override readonly name = 'FolderGone';
}

/** A row of the change feed. */
export interface RemoteChange extends RemoteFile {
  readonly deleted: boolean;
}

export interface ChangesPage {
  readonly changes: readonly RemoteChange[];
  /** The ids of files that are damaged on the server: what is known of them still counts. */
  readonly unreadable: readonly string[];
  /** The cursor for the next page. */
  readonly cursor: string;
  readonly hasMore: boolean;
  /**
   * Change number of the vault, on the last page: every change increases it, including those of folders. Null if
   * unknown.
   */
  readonly seq: number | null;
  /** Whether this device may not write to the vault: then it restores what is changed here, and sends nothing. */
  readonly isReadOnly: boolean;
}

export interface Content {
  readonly hash: string;
  readonly version: number | null;
  /** The number of bytes, if the server said it. */
  readonly size: number | null;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** A note text to upload. @property mtime epoch seconds */
export interface NoteText {
  readonly path: string;
  readonly text: string;
  readonly mtime: number;
}

/** A text that the live note at a path has, or one of its earlier versions: see `Server.known`. */
export interface KnownText {
  readonly path: string;
  /** The note. */
  readonly id: string;
  /** Its newest version with this text. */
  readonly version: number;
}

/**
 * The result of a write. `changed`: the vault has changed since the plan was made, and nothing was written.
 *
 * @property text of the note, if the server said it
 */
export type Written =
  | { readonly kind: 'written'; readonly file: RemoteFile; readonly text?: string }
  | { readonly kind: 'changed' }
  | RefusedOutcome;

/**
 * @property retryMs the time after which the server will take it, if it said so @property isDenied whether the disk
 * denies it to this user: then the next run tries again
 */
export interface RefusedOutcome {
  readonly kind: 'refused';
  readonly reason: string;
  readonly retryMs?: number;
  readonly isDenied?: true;
}

/**
 * The vault. Each write has a precondition. A request without an answer may have been carried out, so retrying is
 * always safe. Throws ServerUnreachable for temporary failures, ServerStopped for permanent ones, and VaultGone.
 */
export interface Server {
  /**
   * Returns a page of the change feed; null when the cursor is no longer valid and the feed must be read from the
   * start.
   *
   * @param isForAll whether the contents of all files will be read next, so that they may be fetched together.
   */
  changes(cursor: string | null, isForAll?: boolean): Promise<ChangesPage | null>;
  /** Returns the folders that exist without files. */
  folders(): Promise<readonly string[]>;
  /** Returns the current content of a file; null when it no longer exists. */
  read(file: Pick<RemoteFile, 'id' | 'path'>): Promise<Content | null>;
  /**
   * Returns those of some texts, given by path and hash, that are the text of the note at the path or of an earlier
   * version of it, as far as this person may see its history; null where the server cannot tell.
   */
  known(texts: readonly Pick<RemoteFile, 'path' | 'hash'>[]): Promise<readonly KnownText[] | null>;
  /**
   * Creates notes at free paths and returns one result per note, in order. The id of a deleted note revives it, a new one
   * becomes the note's; where the server cannot give it, the result has another one.
   */
  createNotes(notes: readonly (NoteText & { readonly id: string })[]): Promise<readonly Written[]>;
  /**
   * Merges a text as an edit of a version. `version gone` is the only refusal that the engine recovers from by itself.
   */
  pushNote(id: string, note: NoteText, version: number): Promise<Written | { readonly kind: 'version gone' }>;
  /**
   * Uploads bytes to a path: replaces the attachment with the hash `over`, or creates one where nothing is. Throws what
   * reading the bytes throws.
   *
   * @param bytes reads them from the start; called for each attempt.
   */
  putAttachment(
    path: string,
    bytes: () => AsyncIterable<Uint8Array>,
    size: number,
    mtime: number,
    over: string | null,
  ): Promise<Written>;
  move(file: Pick<RemoteFile, 'id' | 'path'>, to: string): Promise<Written>;
  /** Moves files, all or none; one may take the path that another one has. Returns the paths that they got, by id. */
  moveMany(
    moves: readonly RemoteMove[],
  ): Promise<
    | { readonly kind: 'moved'; readonly paths: ReadonlyMap<string, string> }
    | { readonly kind: 'changed' }
    | RefusedOutcome
  >;
  moveFolder(from: string, to: string): Promise<'moved' | 'changed'>;
  /** Deletes a file if it still has the hash. */
  delete(file: Pick<RemoteFile, 'id' | 'path' | 'hash'>): Promise<'deleted' | 'changed'>;
  makeFolder(path: string): Promise<'made' | 'changed'>;
  removeFolder(path: string): Promise<void>;
  /** Returns whether the vault's trash has a file, with this hash; false where that is not known. */
  hasInTrash(id: string, hash: string): Promise<boolean>;
}

export class ServerUnreachable extends Error {
  override readonly name = 'ServerUnreachable';
}

/** The user is signed out or the quota is used up; `message` says what to do. No local file changes. */
export class ServerStopped extends Error {
  override readonly name = 'ServerStopped';
}

/**
 * The vault is deleted, or taken away from this person or device. What the folder has stays as it is: it is not synced any
 * more, with this vault or another, until the user says so, and then as if it never had been.
 */
export class VaultGone extends Error {
  override readonly name = 'VaultGone';
}

/** State that the engine stores between runs. Hashes are cached by the fields of the disk's listing. */
export interface StoredState {
  readonly synced: readonly SyncedFile[];
  readonly folders: readonly string[];
  readonly remote: readonly RemoteFile[];
  readonly remoteFolders: readonly string[];
  /** The seq of the vault before these folders were read; null if it is not known. */
  readonly remoteFoldersSeq: number | null;
  readonly cursor: string | null;
  /** Whether this device may not write to the vault, by the last page of the feed. */
  readonly isReadOnly: boolean;
  readonly hashes: readonly (DiskFile & { readonly hash: string })[];
  readonly refused: readonly Refusal[];
  readonly deletions: readonly Deletion[];
  readonly intents: readonly Intent[];
}

/**
 * A request that is about to be sent, or a file that is about to get its place. It is stored before, and removed together
 * with what came of it: after a kill between the two it may have been carried out, and nothing else tells its effect from
 * what others did.
 */
export type Intent =
  /** @property id of the note; null for an attachment, whose id the server chooses @property at epoch milliseconds */
  | {
      readonly type: 'create';
      readonly id: string | null;
      readonly path: string;
      readonly hash: string;
      readonly fileId: string | null;
      readonly at: number;
    }
  /**
   * A text sent as an edit of a version, to which the server gives the same answer again.
   *
   * @property hash of the local text @property sent the hash of the text in the request @property mtime epoch seconds
   */
  | {
      readonly type: 'push';
      readonly id: string;
      readonly hash: string;
      readonly sent: string;
      readonly version: number;
      readonly mtime: number;
      readonly fileId: string | null;
    }
  /** The bytes of an attachment that exists. */
  | { readonly type: 'put'; readonly id: string; readonly hash: string; readonly fileId: string | null }
  | { readonly type: 'move'; readonly id: string; readonly to: string }
  | { readonly type: 'delete'; readonly id: string }
  /**
   * A file of the vault that is about to be written or renamed on this disk.
   *
   * @property path where it will be @property hash of the bytes that it will have @property fileId that it will have
   * @property from where it is before a rename, else null @property over the hash of the file that it replaces, else null
   */
  | {
      readonly type: 'place';
      readonly id: string;
      readonly path: string;
      readonly hash: string;
      readonly version: number | null;
      readonly fileId: string | null;
      readonly from: string | null;
      readonly over: string | null;
    };

/** A deletion that nobody had to approve. @property at epoch milliseconds */
export interface Deletion {
  readonly side: 'local' | 'remote';
  readonly at: number;
}

/** An operation that a side refused. @property key identifies its effect */
export interface Refusal {
  readonly key: string;
  readonly path: string;
  readonly reason: string;
  /** Time of the next retry, in epoch milliseconds. */
  readonly until: number;
}

export type StateChange =
  | { readonly type: 'synced'; readonly file: SyncedFile }
  | { readonly type: 'unsynced'; readonly id: string }
  | { readonly type: 'folder'; readonly path: string; readonly isSynced: boolean }
  | { readonly type: 'remote'; readonly file: RemoteFile }
  | { readonly type: 'remoteGone'; readonly id: string }
  | { readonly type: 'remoteFolders'; readonly paths: readonly string[]; readonly seq: number | null }
  | { readonly type: 'cursor'; readonly cursor: string | null }
  | { readonly type: 'access'; readonly isReadOnly: boolean }
  | { readonly type: 'hash'; readonly file: DiskFile; readonly hash: string }
  | { readonly type: 'hashGone'; readonly path: string }
  | { readonly type: 'refused'; readonly refusal: Refusal }
  | { readonly type: 'retried'; readonly key: string }
  | { readonly type: 'intent'; readonly key: string; readonly intent: Intent }
  | { readonly type: 'settled'; readonly key: string }
  /** All that are to be remembered. */
  | { readonly type: 'deletions'; readonly deletions: readonly Deletion[] }
  | { readonly type: 'baseText'; readonly hash: string; readonly text: string };

/**
 * Persists the state. It is written after the disk and the server, so after a crash it can be behind them but never
 * ahead; what it may be behind of on the server are its intents.
 */
export interface StateStore {
  load(): Promise<StoredState>;
  /** Stores all changes or none. */
  commit(changes: readonly StateChange[]): Promise<void>;
  /**
   * Returns a text that both sides had or that was sent, kept while a synced file or an intent has its hash; null when
   * it is not stored.
   */
  baseText(hash: string): Promise<string | null>;
}
