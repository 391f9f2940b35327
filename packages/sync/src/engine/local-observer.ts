import { ancestorsOf, foldPath } from '@notevault/note-text/paths.ts';
import { canBeSpelledAnew } from '../plan/identify.ts';
import { filteredInSteps, withRests } from '../plan/steps.ts';
import { agreedHash, kindOf, type LocalFile, type SideTree, type SyncedFile } from '../plan/trees.ts';
import type { FileContents } from './file-contents.ts';
import { isComparedByValue, isSameValue } from './json-values.ts';
import { type Clock, type Disk, type DiskFile, type DiskListing, DiskRefused, type UnsyncedFile } from './ports.ts';
import { isAlike, type SyncState } from './sync-state.ts';

/**
 * Waiting times until the disk counts as settled. Programs write files in steps and replace them by deleting and
 * renaming, so a single listing may show an intermediate state.
 */
export interface Patience {
  /**
   * A file is hashed once nothing has changed it for this long: by its own times, or, where these cannot be right, since
   * it was first listed as it is. Notes are written at once, and a note in two steps merges.
   */
  readonly noteMs: number;
  /** Twice as long for each change that came before the file had rested, because a slow writer pauses. */
  readonly attachmentMs: number;
  /** Waiting time for an empty file, because many programs empty a file before they write it. */
  readonly emptyMs: number;
  /** A file counts as deleted once it has been missing for this long. */
  readonly missingMs: number;
  /** A file has its new name once it has kept it for this long: a swap of names is three renames. */
  readonly renameMs: number;
}

export const PATIENCE: Patience = {
  noteMs: 100,
  attachmentMs: 1000,
  emptyMs: 5000,
  missingMs: 1500,
  renameMs: 300,
};
/** An attachment that is changed again and again is sent after this time without a change. */
const SLOWEST_MS = 30_000;
/** After this time without a change, the next one is the first of its kind. */
const FORGOTTEN_MS = 60_000;
/** The least time to wait for files that are being written. */
const AGAIN_MS = 20;
/** Files are read at once as long as they need not wait for one another. */
const CONCURRENCY = 8;

export interface LocalObservation {
  readonly tree: SideTree<LocalFile>;
  /** The files that operations may use, by path. */
  readonly entries: ReadonlyMap<string, DiskFile>;
  readonly skipped: DiskListing['skipped'];
  /** Synced files with no match by path, file id or bytes, including those that still count as present for a while. */
  readonly missing: readonly SyncedFile[];
  /**
   * Paths of unreadable files and of files that may be in unreadable folders: they count neither as missing nor as
   * unchanged.
   */
  readonly unseen: Unseen;
  /** Time after which to observe again because files are still changing, in milliseconds; null if none is. */
  readonly settlesInMs: number | null;
  /** Files are getting other names: which of them is gone or new cannot be told yet. */
  readonly isRenaming: boolean;
}

export interface Unseen {
  /** Synced files. */
  readonly ids: ReadonlySet<string>;
  /** Synced folders that were found nowhere. */
  readonly folders: ReadonlySet<string>;
  /** The case-folded paths of files that cannot be read. */
  readonly paths: ReadonlySet<string>;
}

/** @property since when the disk first listed the file as it is @property changes how often it changed just before */
interface Seen {
  readonly file: DiskFile;
  readonly since: number;
  readonly changes: number;
}

/** Reads the folder as a tree of hashes. A file with an unchanged listing is hashed once. */
export class LocalObserver {
  readonly #disk: Disk;
  readonly #contents: FileContents;
  readonly #clock: Clock;
  readonly #state: SyncState;
  readonly #patience: Patience;
  readonly #rest: () => Promise<void>;
  /** By path, with times on the monotonic clock. */
  #seen = new Map<string, Seen>();
  readonly #missing = new Map<string, number>();
  /** Since when a file is nowhere while another one has its path, by id. */
  readonly #replaced = new Map<string, number>();

  /** @param rest called between two files that are read: see EngineOptions */
  constructor(
    disk: Disk,
    contents: FileContents,
    clock: Clock,
    state: SyncState,
    patience: Patience,
    rest: () => Promise<void>,
  ) {
    this.#disk = disk;
    this.#contents = contents;
    this.#clock = clock;
    this.#state = state;
    this.#patience = patience;
    this.#rest = rest;
  }

  /** Throws FolderGone. */
  async observe(): Promise<LocalObservation> {
    const listing = await this.#disk.list();
    await this.#forgetIgnored();
    this.#findReplaced(listing.files);
    const ticks = this.#clock.ticks();
    this.#remember(listing.files, ticks);
    const waits: number[] = [];
    const renamed = this.#renamed(listing.files);
    const { hashes, unreadable } = await this.#hashAll(listing.files, { ticks, waits, renamed: new Set(renamed) });
    await this.#rest();
    const isRenaming = this.#isRenaming(listing.files, renamed, { ticks, waits });
    const files: LocalFile[] = [];
    const entries = new Map<string, DiskFile>();
    for (const [index, file] of listing.files.entries()) {
      const hash = hashes[index];
      if (unreadable.has(file)) continue;
      const shown = hash ?? this.#state.lastSeen(file.path)?.hash;
      if (shown === undefined) continue;
      files.push({ path: file.path, hash: shown, fileId: file.fileId, mtimeMs: file.mtimeMs });
      if (hash != null) entries.set(file.path, file);
    }
    const unseen = this.#unseen(listing, [...unreadable.keys()]);
    const { awaited, missing } = this.#awaited(files, { folders: listing.folders, unseen }, { ticks, waits });
    const tree = { files: [...files, ...awaited], folders: listing.folders };
    const settlesInMs = waits.length === 0 ? null : Math.max(AGAIN_MS, Math.min(...waits));
    const skipped = [...listing.skipped, ...unreadable.values()];
    return { tree, entries, skipped, missing, unseen, settlesInMs, isRenaming };
  }

  /**
   * Returns the hash of each file, in order: null for one that may still be being written, undefined for one that
   * cannot be read. @param waits gets the times after which files may have come to rest.
   */
  async #hashAll(
    files: readonly DiskFile[],
    { ticks, waits, renamed }: { ticks: number; waits: number[]; renamed: ReadonlySet<DiskFile> },
  ) {
    const hashes: (string | null | undefined)[] = files.map((file) => this.#state.hashOf(file));
    const unknown = [...files.keys()].filter((index) => hashes[index] === undefined);
    const unreadable = new Map<DiskFile, UnsyncedFile>();
    const hash = async (file: DiskFile): Promise<string | null | undefined> => {
      const wait = this.#settlesIn(file, ticks, renamed.has(file));
      if (wait > 0) waits.push(wait);
      if (wait > 0) return null;
      try {
        const now = await (isComparedByValue(file) ? this.#hashOfValue(file) : this.#contents.hash(file));
        if (now === null) waits.push(AGAIN_MS);
        else this.#state.record({ type: 'hash', file, hash: now });
        return now;
      } catch (error) {
        if (!(error instanceof DiskRefused)) throw error;
        const { message: reason, isDenied } = error;
        unreadable.set(file, { path: file.path, reason, ...(isDenied && { isDenied }) });
        return undefined;
      }
    };
    let next = 0;
    const worker = async () => {
      for (let index = unknown[next++]; index !== undefined; index = unknown[next++]) {
        const file = files[index];
        await this.#rest();
        if (file !== undefined) hashes[index] = await hash(file);
      }
    };
    const workers = await Promise.allSettled(Array.from({ length: Math.min(CONCURRENCY, unknown.length) }, worker));
    // None may go on beside the next run.
    for (const ended of workers) if (ended.status === 'rejected') throw ended.reason;
    return { hashes, unreadable };
  }

  /**
   * Returns the files that cannot be seen. If a folder cannot be read, every missing file may be in it. @param
   * unreadable files
   */
  #unseen({ files, folders, isPartial }: DiskListing, unreadable: readonly DiskFile[]): Unseen {
    const unseen = { ids: new Set<string>(), folders: new Set<string>(), paths: new Set<string>() };
    if (!isPartial && unreadable.length === 0) return unseen;
    const isOneOf = (some: readonly DiskFile[]) => {
      const [paths, fileIds] = [new Set(some.map(({ path }) => path)), new Set(some.map(({ fileId }) => fileId))];
      return ({ path, fileId }: SyncedFile) => paths.has(path) || (fileId !== null && fileIds.has(fileId));
    };
    const [isListed, isUnreadable] = [isOneOf(files), isOneOf(unreadable)];
    for (const file of this.#state.synced.values())
      if (isUnreadable(file) || (isPartial && !isListed(file))) unseen.ids.add(file.id);
    for (const { path } of unreadable) unseen.paths.add(foldPath(path));
    const there = new Set(folders);
    for (const path of isPartial ? this.#state.folders.values() : []) if (!there.has(path)) unseen.folders.add(path);
    return unseen;
  }

  /** A file that new rules ignore is no longer synced: it is compared without a base when they change again. */
  async #forgetIgnored(): Promise<void> {
    const isIgnored = ({ path }: SyncedFile) => this.#disk.isIgnored(path, 'file');
    const ignored = await withRests(filteredInSteps(this.#state.synced.values(), isIgnored), this.#rest);
    for (const { id } of ignored) this.#state.record({ type: 'unsynced', id });
    for (const path of this.#state.folders.values())
      if (this.#disk.isIgnored(path, 'folder')) this.#state.record({ type: 'folder', path, isSynced: false });
  }

  /** A file that was replaced and is back has been written to: the server's text was not in it. */
  #findReplaced(files: readonly DiskFile[]): void {
    if (this.#state.replaced.size === 0) return;
    const paths = new Map(files.map(({ fileId, path }) => [fileId, path]));
    for (const [id, { fileId, hash }] of this.#state.replaced) {
      const synced = this.#state.synced.get(id);
      if (synced === undefined) this.#state.replaced.delete(id);
      if (synced === undefined || paths.get(fileId) !== synced.path || kindOf(synced.path) !== 'note') continue;
      this.#state.replaced.delete(id);
      this.#state.record({ type: 'synced', file: { ...synced, fileId, pushed: hash } });
    }
  }

  #remember(files: readonly DiskFile[], ticks: number): void {
    const seen = new Map<string, Seen>();
    for (const file of files) {
      const before = this.#seen.get(file.path);
      if (before !== undefined && isAlike(before.file, file)) seen.set(file.path, { ...before, file });
      else {
        const isAgain = before !== undefined && ticks - before.since < FORGOTTEN_MS;
        seen.set(file.path, { file, since: ticks, changes: isAgain ? before.changes + 1 : 0 });
      }
    }
    this.#seen = seen;
  }

  /** Returns the files of the agreed state that have other paths than last time. */
  #renamed(files: readonly DiskFile[]): DiskFile[] {
    const unknown = files.filter((file) => file.fileId !== null && this.#state.hashOf(file) === undefined);
    if (unknown.length === 0) return [];
    const paths = new Map([...this.#state.synced.values()].map(({ fileId, path }) => [fileId, path]));
    return unknown.filter(({ fileId, path }) => (paths.get(fileId) ?? path) !== path);
  }

  /**
   * Returns whether a renamed file has not rested, or has the path of another one that is nowhere: it may be between
   * two names.
   *
   * @param waits gets the times after which that may be over.
   */
  #isRenaming(
    files: readonly DiskFile[],
    renamed: readonly DiskFile[],
    { ticks, waits }: { readonly ticks: number; readonly waits: number[] },
  ): boolean {
    const [now, missing] = [new Set(renamed.map(({ path }) => path)), new Set<string>()];
    const fileIds = now.size === 0 ? null : new Set(files.map(({ fileId }) => fileId));
    for (const { id, path, fileId } of fileIds === null ? [] : this.#state.synced.values())
      if (fileId !== null && now.has(path) && !fileIds?.has(fileId)) missing.add(id);
    for (const id of this.#replaced.keys()) if (!missing.has(id)) this.#replaced.delete(id);
    for (const id of missing) if (!this.#replaced.has(id)) this.#replaced.set(id, ticks);
    const left = [...this.#replaced.values()].map((since) => this.#patience.missingMs - (ticks - since));
    const unsettled = [...renamed.map((file) => this.#settlesIn(file, ticks, true)), ...left].filter((ms) => ms > 0);
    waits.push(...unsettled);
    return unsettled.length > 0;
  }

  /** Returns after which time a file may have come to rest; 0 if it has. */
  #settlesIn({ path, size, mtimeMs, ctimeMs }: DiskFile, ticks: number, isRenamed: boolean): number {
    const { noteMs, attachmentMs, emptyMs, renameMs } = this.#patience;
    const { since, changes } = this.#seen.get(path) ?? { since: ticks, changes: 0 };
    const slow = Math.min(SLOWEST_MS, attachmentMs * 2 ** changes);
    const content = size === 0 ? emptyMs : kindOf(path) === 'note' ? noteMs : slow;
    // Its content is known.
    const patience = isRenamed ? renameMs : content;
    const age = this.#clock.now() - Math.max(mtimeMs, ctimeMs ?? mtimeMs);
    const listedFor = ticks - since;
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
   * Returns the files that are missing, and those of them that went missing a moment ago and still count as present. A
   * file whose bytes appear elsewhere was renamed and is left out.
   */
  #awaited(
    files: readonly LocalFile[],
    { folders, unseen }: { readonly folders: readonly string[]; readonly unseen: Unseen },
    { ticks, waits }: { readonly ticks: number; readonly waits: number[] },
  ): { readonly awaited: readonly LocalFile[]; readonly missing: readonly SyncedFile[] } {
    const exact = new Set(files.map(({ path }) => path));
    const gone = [...this.#state.synced.values()].filter(({ id, path }) => !exact.has(path) && !unseen.ids.has(id));
    if (gone.length === 0) this.#missing.clear();
    if (gone.length === 0) return { awaited: [], missing: [] };
    const paths = new Map(files.map((file) => [foldPath(file.path), file]));
    const folderPaths = new Set(folders.map(foldPath));
    // Where a file has become a folder, or its folder a file, it does not come back.
    const isReplaced = (folded: string) => folderPaths.has(folded) || ancestorsOf(folded).some((at) => paths.has(at));
    const fileIds = new Set(files.map(({ fileId }) => fileId));
    const syncedPaths = new Set([...this.#state.synced.values()].map(({ path }) => path));
    const freshHashes = new Set(files.filter(({ path }) => !syncedPaths.has(path)).map(({ hash }) => hash));
    const awaited: LocalFile[] = [];
    const missing: SyncedFile[] = [];
    const comingBack = new Set<string>();
    for (const file of gone) {
      const { path, hash, fileId } = file;
      // Until the text that the server merged is written here, the disk has the one that was pushed.
      const onDisk = agreedHash(file);
      const there = paths.get(foldPath(path));
      if (there !== undefined && canBeSpelledAnew({ path, fileId }, there)) continue;
      if ((fileId !== null && fileIds.has(fileId)) || freshHashes.has(hash) || freshHashes.has(onDisk)) continue;
      missing.push(file);
      if (isReplaced(foldPath(path))) continue;
      comingBack.add(path);
      const since = this.#missing.get(path) ?? ticks;
      this.#missing.set(path, since);
      if (ticks - since >= this.#patience.missingMs) continue;
      waits.push(this.#patience.missingMs - (ticks - since));
      awaited.push({ path, hash: this.#state.lastSeen(path)?.hash ?? onDisk, fileId });
    }
    for (const path of this.#missing.keys()) if (!comingBack.has(path)) this.#missing.delete(path);
    return { awaited, missing };
  }
}
