import { ancestorsOf, foldPath } from '@notevault/note-text/paths.ts';
import { canBeSpelledAnew } from '../plan/identify.ts';
import { kindOf, type LocalFile, type SideTree } from '../plan/trees.ts';
import type { FileContents } from './file-contents.ts';
import { isComparedByValue, isSameValue } from './json-values.ts';
import { type Clock, type Disk, type DiskFile, type DiskListing, DiskRefused } from './ports.ts';
import { isAlike, type SyncState } from './sync-state.ts';

/**
 * How long to wait for the disk to settle. Programs write files in steps and replace them by deleting and renaming, so
 * a single listing may show an intermediate state.
 */
export interface Patience {
  /**
   * A file is hashed once nothing has changed it for this long: by its own times, or, where these cannot be right, since
   * it was first listed as it is. Notes are written at once, and a note in two steps merges.
   */
  readonly noteMs: number;
  readonly attachmentMs: number;
  /** The same for an empty file, because many programs empty a file before they write it. */
  readonly emptyMs: number;
  /** A file counts as deleted once it has been missing for this long. */
  readonly missingMs: number;
}

export const PATIENCE: Patience = { noteMs: 100, attachmentMs: 300, emptyMs: 1000, missingMs: 1500 };
/** The least time to wait for files that are being written. */
const AGAIN_MS = 20;
/** Files are read at once as long as they need not wait for one another. */
const CONCURRENCY = 8;

export interface LocalObservation {
  readonly tree: SideTree<LocalFile>;
  /** The files that operations may use, by path. */
  readonly entries: ReadonlyMap<string, DiskFile>;
  readonly skipped: DiskListing['skipped'];
  /** Some files are still changing: observe again after this time. Null when none is. */
  readonly settlesInMs: number | null;
}

/** Reads the folder as a tree of hashes. A file with an unchanged listing is hashed once. */
export class LocalObserver {
  readonly #disk: Disk;
  readonly #contents: FileContents;
  readonly #clock: Clock;
  readonly #state: SyncState;
  readonly #patience: Patience;
  /** When the disk first listed a file with its present fields, on the monotonic clock. */
  #seen = new Map<string, { readonly file: DiskFile; readonly since: number }>();
  readonly #missing = new Map<string, number>();

  constructor(disk: Disk, contents: FileContents, clock: Clock, state: SyncState, patience: Patience) {
    this.#disk = disk;
    this.#contents = contents;
    this.#clock = clock;
    this.#state = state;
    this.#patience = patience;
  }

  /** Throws FolderGone. */
  async observe(): Promise<LocalObservation> {
    const listing = await this.#disk.list();
    this.#forgetIgnored();
    const ticks = this.#clock.ticks();
    this.#remember(listing.files, ticks);
    const waits: number[] = [];
    const { hashes, unreadable } = await this.#hashAll(listing.files, ticks, waits);
    const files: LocalFile[] = [];
    const entries = new Map<string, DiskFile>();
    for (const [index, file] of listing.files.entries()) {
      const hash = hashes[index];
      const shown = hash ?? this.#state.lastSeen(file.path)?.hash;
      if (shown === undefined) continue;
      files.push({ path: file.path, hash: shown, fileId: file.fileId });
      if (hash != null) entries.set(file.path, file);
    }
    const awaited = this.#awaited(files, listing.folders, ticks, waits);
    const tree = { files: [...files, ...awaited], folders: listing.folders };
    const settlesInMs = waits.length === 0 ? null : Math.max(AGAIN_MS, Math.min(...waits));
    return { tree, entries, skipped: [...listing.skipped, ...unreadable], settlesInMs };
  }

  /**
   * Returns the hash of each file, in order: null for one that may still be being written, undefined for one that
   * cannot be read. @param waits gets the times after which files may have come to rest.
   */
  async #hashAll(files: readonly DiskFile[], ticks: number, waits: number[]) {
    const hashes: (string | null | undefined)[] = files.map((file) => this.#state.hashOf(file));
    const unknown = [...files.keys()].filter((index) => hashes[index] === undefined);
    const unreadable: { path: string; reason: string }[] = [];
    const hash = async (file: DiskFile): Promise<string | null | undefined> => {
      const wait = this.#settlesIn(file, ticks);
      if (wait > 0) waits.push(wait);
      if (wait > 0) return null;
      try {
        const now = await (isComparedByValue(file) ? this.#hashOfValue(file) : this.#contents.hash(file));
        if (now === null) waits.push(AGAIN_MS);
        else this.#state.record({ type: 'hash', file, hash: now });
        return now;
      } catch (error) {
        if (!(error instanceof DiskRefused)) throw error;
        unreadable.push({ path: file.path, reason: error.message });
        return undefined;
      }
    };
    let next = 0;
    const worker = async () => {
      for (let index = unknown[next++]; index !== undefined; index = unknown[next++]) {
        const file = files[index];
        if (file !== undefined) hashes[index] = await hash(file);
      }
    };
    const workers = await Promise.allSettled(Array.from({ length: Math.min(CONCURRENCY, unknown.length) }, worker));
    // None may go on beside the next run.
    for (const ended of workers) if (ended.status === 'rejected') throw ended.reason;
    return { hashes, unreadable };
  }

  /** A file that new rules ignore is no longer synced: it is compared without a base when they change again. */
  #forgetIgnored(): void {
    for (const { id, path } of this.#state.synced.values())
      if (this.#disk.isIgnored(path, 'file')) this.#state.record({ type: 'unsynced', id });
    for (const path of this.#state.folders.values())
      if (this.#disk.isIgnored(path, 'folder')) this.#state.record({ type: 'folder', path, isSynced: false });
  }

  #remember(files: readonly DiskFile[], ticks: number): void {
    const seen = new Map<string, { readonly file: DiskFile; readonly since: number }>();
    for (const file of files) {
      const before = this.#seen.get(file.path);
      seen.set(file.path, { file, since: before !== undefined && isAlike(before.file, file) ? before.since : ticks });
    }
    this.#seen = seen;
  }

  /** Returns after which time a file may have come to rest; 0 if it has. */
  #settlesIn({ path, size, mtimeMs, ctimeMs }: DiskFile, ticks: number): number {
    const { noteMs, attachmentMs, emptyMs } = this.#patience;
    const patience = size === 0 ? emptyMs : kindOf(path) === 'note' ? noteMs : attachmentMs;
    const age = this.#clock.now() - Math.max(mtimeMs, ctimeMs);
    const listedFor = ticks - (this.#seen.get(path)?.since ?? ticks);
    // The clock of the disk may be another one, and either may have been set.
    const quiet = age < 0 ? listedFor : Math.max(age, listedFor);
    return Math.max(0, patience - quiet);
  }

  /**
   * Returns the hash of a file that is compared by its value, not by its bytes (settings in JSON): the hash that was synced
   * last while the value is the same, else that of the bytes.
   */
  async #hashOfValue(file: DiskFile): Promise<string | null> {
    const read = await this.#contents.text(file);
    if (read === null || read.text === null) return read?.hash ?? null;
    const synced = [...this.#state.synced.values()].find(({ path }) => path === file.path);
    const base = synced === undefined ? null : await this.#state.baseText(synced.hash);
    if (synced !== undefined && base !== null && isSameValue(base, read.text)) return synced.hash;
    this.#state.record({ type: 'baseText', hash: read.hash, text: read.text });
    return read.hash;
  }

  /**
   * Returns the files that went missing a moment ago and still count as present. A file whose bytes appear elsewhere
   * was renamed and is left out.
   */
  #awaited(files: readonly LocalFile[], folders: readonly string[], ticks: number, waits: number[]): LocalFile[] {
    const exact = new Set(files.map(({ path }) => path));
    const gone = [...this.#state.synced.values()].filter(({ path }) => !exact.has(path));
    if (gone.length === 0) this.#missing.clear();
    if (gone.length === 0) return [];
    const paths = new Map(files.map((file) => [foldPath(file.path), file]));
    const folderPaths = new Set(folders.map(foldPath));
    // Where a file has become a folder, or its folder a file, it does not come back.
    const isReplaced = (folded: string) => folderPaths.has(folded) || ancestorsOf(folded).some((at) => paths.has(at));
    const fileIds = new Set(files.map(({ fileId }) => fileId));
    const syncedPaths = new Set([...this.#state.synced.values()].map(({ path }) => path));
    const freshHashes = new Set(files.filter(({ path }) => !syncedPaths.has(path)).map(({ hash }) => hash));
    const awaited: LocalFile[] = [];
    const missing = new Set<string>();
    for (const { path, hash, fileId } of gone) {
      const there = paths.get(foldPath(path));
      if (there !== undefined && canBeSpelledAnew({ path, fileId }, there)) continue;
      if ((fileId !== null && fileIds.has(fileId)) || freshHashes.has(hash)) continue;
      if (isReplaced(foldPath(path))) continue;
      missing.add(path);
      const since = this.#missing.get(path) ?? ticks;
      this.#missing.set(path, since);
      if (ticks - since >= this.#patience.missingMs) continue;
      waits.push(this.#patience.missingMs - (ticks - since));
      awaited.push({ path, hash: this.#state.lastSeen(path)?.hash ?? hash, fileId });
    }
    for (const path of this.#missing.keys()) if (!missing.has(path)) this.#missing.delete(path);
    return awaited;
  }
}
