import { ancestorsOf, foldPath } from '@notevault/note-text/paths.ts';
import type { LocalFile, SideTree } from '../plan/trees.ts';
import { isComparedByValue, isSameValue } from './json-values.ts';
import { type Clock, type Disk, type DiskFile, type DiskListing, DiskRefused } from './ports.ts';
import { isAlike, type SyncState } from './sync-state.ts';

/**
 * How long to wait for the disk to settle. Programs write files in steps and replace them by deleting and renaming, so
 * a single listing may show an intermediate state.
 */
export interface Patience {
  /** A file is hashed once its listing has been unchanged for this long, or once it is older than `oldMs`. */
  readonly settleMs: number;
  readonly oldMs: number;
  /** A file counts as deleted once it has been missing for this long. */
  readonly missingMs: number;
}

export const PATIENCE: Patience = { settleMs: 300, oldMs: 2000, missingMs: 1500 };

export interface LocalObservation {
  readonly tree: SideTree<LocalFile>;
  /** The files that operations may use, by path. */
  readonly entries: ReadonlyMap<string, DiskFile>;
  readonly skipped: DiskListing['skipped'];
  /** Whether some files are still changing; observe again soon. */
  readonly unsettled: boolean;
}

/** Reads the folder as a tree of hashes. A file with an unchanged listing is hashed once. */
export class LocalObserver {
  readonly #disk: Disk;
  readonly #clock: Clock;
  readonly #state: SyncState;
  readonly #patience: Patience;
  /** When the disk first listed a file with its present fields, on the monotonic clock. */
  #seen = new Map<string, { readonly file: DiskFile; readonly since: number }>();
  readonly #missing = new Map<string, number>();

  constructor(disk: Disk, clock: Clock, state: SyncState, patience: Patience = PATIENCE) {
    this.#disk = disk;
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
    const files: LocalFile[] = [];
    const entries = new Map<string, DiskFile>();
    let unsettled = false;
    const unreadable: { path: string; reason: string }[] = [];
    for (const file of listing.files) {
      const hash = await this.#hashOf(file, ticks).catch((error: unknown) => {
        if (!(error instanceof DiskRefused)) throw error;
        unreadable.push({ path: file.path, reason: error.message });
        return undefined;
      });
      if (hash === null) unsettled = true;
      const shown = hash ?? this.#state.lastSeen(file.path)?.hash;
      if (shown === undefined) continue;
      files.push({ path: file.path, hash: shown, fileId: file.fileId });
      if (hash != null) entries.set(file.path, file);
    }
    const awaited = this.#awaited(files, listing.folders, ticks);
    const tree = { files: [...files, ...awaited], folders: listing.folders };
    return { tree, entries, skipped: [...listing.skipped, ...unreadable], unsettled: unsettled || awaited.length > 0 };
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

  /** Returns null while the file may still be being written. */
  async #hashOf(file: DiskFile, ticks: number): Promise<string | null> {
    const known = this.#state.hashOf(file);
    if (known !== undefined) return known;
    const age = this.#clock.now() - file.mtimeMs;
    const since = this.#seen.get(file.path)?.since ?? ticks;
    if (age < this.#patience.oldMs && ticks - since < this.#patience.settleMs) return null;
    const hash = await (isComparedByValue(file) ? this.#hashOfValue(file) : this.#disk.hash(file));
    if (hash !== null) this.#state.record({ type: 'hash', file, hash });
    return hash;
  }

  /** Returns the hash of a file of which only the value counts: the agreed one while that is its value. */
  async #hashOfValue(file: DiskFile): Promise<string | null> {
    const read = await this.#disk.readText(file);
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
  #awaited(files: readonly LocalFile[], folders: readonly string[], ticks: number): LocalFile[] {
    const paths = new Set(files.map(({ path }) => foldPath(path)));
    const folderPaths = new Set(folders.map(foldPath));
    // Where a file has become a folder, or its folder a file, it does not come back.
    const isReplaced = (folded: string) => folderPaths.has(folded) || ancestorsOf(folded).some((at) => paths.has(at));
    const fileIds = new Set(files.map(({ fileId }) => fileId));
    const syncedPaths = new Set([...this.#state.synced.values()].map(({ path }) => path));
    const freshHashes = new Set(files.filter(({ path }) => !syncedPaths.has(path)).map(({ hash }) => hash));
    const awaited: LocalFile[] = [];
    const missing = new Set<string>();
    for (const { path, hash, fileId } of this.#state.synced.values()) {
      if (paths.has(foldPath(path)) || (fileId !== null && fileIds.has(fileId)) || freshHashes.has(hash)) continue;
      if (isReplaced(foldPath(path))) continue;
      missing.add(path);
      const since = this.#missing.get(path) ?? ticks;
      this.#missing.set(path, since);
      if (ticks - since >= this.#patience.missingMs) continue;
      awaited.push({ path, hash: this.#state.lastSeen(path)?.hash ?? hash, fileId });
    }
    for (const path of this.#missing.keys()) if (!missing.has(path)) this.#missing.delete(path);
    return awaited;
  }
}
