import { MB } from '@notevault/protocol/values/byte-units.ts';
import { wholeOf } from '@notevault/sync/engine/file-contents.ts';
import {
  type Clock,
  type Disk,
  DiskChanged,
  type DiskFile,
  type DiskListing,
  DiskRefused,
  type Expected,
  type FileContent,
} from '@notevault/sync/engine/ports.ts';
import { IGNORE_FILE, IgnoreRules } from '@notevault/sync/rules/ignore-rules.ts';
import { pathFault } from '@notevault/sync/rules/safe-path.ts';
import { type Setting, SettingsFiles } from '@notevault/sync/rules/settings-files.ts';
import { type App, type TAbstractFile, TFile, TFolder } from 'obsidian';
import { reason } from '../texts/reasons/en.ts';
import { FileFacts } from './file-facts.ts';
import { FileWriter } from './file-writer.ts';
import { KeptCopies } from './kept-copies.ts';
import { PathExchange } from './path-exchange.ts';
import { PathLocks } from './path-locks.ts';
import { isDenied, VaultFiles } from './vault-files.ts';
import { isHidden, tooLarge, VaultListing } from './vault-listing.ts';
import { WriteJournal } from './write-journal.ts';

export interface VaultDiskOptions {
  readonly app: App;
  readonly clock: Clock;
  readonly folderId: string;
  readonly settings: readonly Setting[];
  /** Patterns of paths that are left out, one a line, as in `.notevaultignore`. */
  readonly exclusions: string;
  /** The largest file that is synced, in both directions; null for any. */
  readonly bytesMax: number | null;
  /** Files that the last run listed, by path. */
  readonly before: ReadonlyMap<string, DiskFile>;
  /** Throws FolderGone unless the vault is still the one that is synced. */
  readonly checkRoot: () => Promise<void>;
  /** Whether something holds a file that is not on the disk yet, such as an editor. */
  readonly isHeld?: (path: string) => boolean;
  /** Whether a view shows a file, so that it has to stay the same to the app. */
  readonly isOpen?: (path: string) => boolean;
}

const PIECE_BYTES = MB;
/** Retry interval of operations that the app refused, in milliseconds. */
const RETRY_MS = 60_000;
/** Retry interval of files that are being edited, in milliseconds. */
const HELD_MS = 3000;
/** Files that the app was not told of are looked for this often. */
const STRANGERS_MS = 30 * 60 * 1000;
/** Maximum files that each listing re-reads regardless of their known facts. */
const DOUBTED = 50;

/** Implements the `Disk` port on a vault of the app. What a file had before it is replaced or deleted is kept as a copy. */
export class VaultDisk implements Disk {
  readonly kept: KeptCopies;
  readonly locks = new PathLocks();
  readonly #app: App;
  readonly #options: VaultDiskOptions;
  readonly #settings: SettingsFiles;
  readonly #rules: IgnoreRules;
  readonly #facts: FileFacts;
  readonly #listing: VaultListing;
  readonly #journal: WriteJournal;
  readonly #files: VaultFiles;
  readonly #writer: FileWriter;
  readonly #exchange: PathExchange;
  #strangersAt = Number.NEGATIVE_INFINITY;
  #doubted = 0;

  constructor(options: VaultDiskOptions) {
    const { app, clock, bytesMax, before, folderId } = options;
    this.#app = app;
    this.#options = options;
    this.kept = new KeptCopies(app.vault.adapter, () => clock.now());
    this.#settings = new SettingsFiles(options.settings);
    this.#rules = new IgnoreRules(this.#settings);
    this.#facts = new FileFacts(app.vault, before, () => clock.uuid());
    this.#journal = new WriteJournal(app, folderId);
    const { vault } = app;
    this.#listing = new VaultListing({
      ...{ vault, clock, facts: this.#facts, rules: this.#rules, settings: this.#settings, bytesMax },
    });
    for (const [path, file] of before) this.#listing.listed.set(path, file);
    this.#files = new VaultFiles(app, this.#facts, this.#listing);
    this.#writer = new FileWriter({
      ...{ app, facts: this.#facts, files: this.#files, journal: this.#journal },
      ...{ kept: this.kept, listing: this.#listing },
      isOpen: (path) => options.isOpen?.(path) === true,
      requireFree: (path) => this.#requireFree(path),
      newName: () => clock.uuid(),
    });
    this.#exchange = new PathExchange({
      ...{ app, folderId, facts: this.#facts, files: this.#files, kept: this.kept, listing: this.#listing },
      rename: (from, to) => this.#rename(from, to),
      newName: () => clock.uuid(),
    });
  }

  /** Mends what the end of the app has left half written. Call before the first listing. */
  async recover(): Promise<void> {
    const { adapter } = this.#app.vault;
    for (const { path, size, kept } of this.#journal.left()) {
      const at = this.#listing.onDisk(path);
      const bytes = await adapter.readBinary(at).catch(() => null);
      if (bytes === null || bytes.byteLength > 0 || size === 0) continue;
      const old = kept === null ? null : await adapter.readBinary(kept).catch(() => null);
      if (old === null) await adapter.remove(at);
      else await adapter.writeBinary(at, old);
      this.#journal.end(path);
    }
    await this.#exchange.recover();
    await this.kept.tidy();
  }

  /** The paths of the files that were last listed. */
  get listed(): readonly string[] {
    return [...this.#listing.listed.keys()];
  }

  /** Handles a change that the app reports. Returns whether there may be something to sync. */
  heard(kind: 'create' | 'modify' | 'delete' | 'rename', file: TAbstractFile, oldPath?: string): boolean {
    if (oldPath !== undefined) this.#facts.moved(oldPath, file.path);
    if (!(file instanceof TFile)) return !isHidden(file.path);
    if (kind === 'delete') this.#facts.gone(file.path);
    if (kind === 'create' || kind === 'modify') {
      if (kind === 'modify') this.#listing.suspect(file.path);
      if (this.#facts.isKnown(file.path, file.stat)) return false;
      this.#facts.changed(file.path, file.stat, this.#listing.listed.get(file.path), this.#options.clock.now());
    }
    return !this.isIgnored(file.path, 'file');
  }

  /** Makes the next listing find changes that raised no event. */
  lookAround(): void {
    this.#strangersAt = Number.NEGATIVE_INFINITY;
  }

  /** Some files are read again, whatever is known of them: an edit may keep size and time, and its event be lost. */
  #doubtSome(): void {
    const paths = this.listed;
    for (let count = Math.min(DOUBTED, paths.length); count > 0; count--) {
      this.#doubted = (this.#doubted + 1) % paths.length;
      const path = paths[this.#doubted] ?? '';
      this.#facts.doubt(path, this.#options.clock.now());
      this.#listing.suspect(path);
    }
  }

  async list(): Promise<DiskListing> {
    await this.#options.checkRoot();
    const { adapter } = this.#app.vault;
    const text = (await adapter.exists(IGNORE_FILE)) ? await adapter.read(IGNORE_FILE) : '';
    this.#rules.load(`${text}\n${this.#options.exclusions}`);
    if (this.#options.clock.ticks() - this.#strangersAt > STRANGERS_MS) {
      if (this.#strangersAt > 0) this.#doubtSome();
      this.#strangersAt = this.#options.clock.ticks();
      await this.#listing.findStrangers();
    }
    return this.#listing.list();
  }

  pathFault(path: string): string | null {
    return pathFault(path, (hidden) => this.#settings.includes(hidden, 'file'));
  }

  isIgnored(path: string, kind: 'file' | 'folder'): boolean {
    return this.#rules.isIgnored(path, kind) || (kind === 'file' && this.#listing.isTooLarge(path));
  }

  readBytes(file: DiskFile): Promise<Uint8Array | null> {
    return this.#files.readBytes(file);
  }

  async *read(file: DiskFile): AsyncIterable<Uint8Array> {
    const bytes = await this.readBytes(file);
    if (bytes === null) throw new DiskChanged(file.path);
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      yield bytes.subarray(at, at + PIECE_BYTES);
      // The app draws between two pieces.
      await this.#options.clock.sleep(0);
    }
  }

  async requireWritable(path: string): Promise<void> {
    this.#requireFree(path);
  }

  write(
    path: string,
    content: FileContent,
    over: Expected,
    ready: (fileId: string | null) => Promise<void> = async () => undefined,
  ): Promise<DiskFile> {
    const { bytesMax } = this.#options;
    if (bytesMax !== null && (content.size ?? 0) > bytesMax)
      throw new DiskRefused(tooLarge(content.size ?? 0, bytesMax));
    return this.#changing(path, async () => {
      this.#requireValid(path);
      // The app has no ids of files that outlast it.
      await ready(null);
      return this.#writer.write(path, content, over);
    });
  }

  move(from: DiskFile, to: string): Promise<DiskFile> {
    return this.#changing(from.path, async () => {
      this.#requireValid(to);
      await this.#files.requireListed(from);
      const isSpelling = from.path.toLowerCase() === to.toLowerCase();
      if (!isSpelling && !(await this.#files.isFree(to))) throw new DiskChanged(to);
      await this.#files.makeParents(to);
      await this.#rename(from.path, to);
      this.#facts.moved(from.path, to);
      this.#listing.listed.delete(from.path);
      return this.#files.shown(to, from.size, from.mtimeMs, from);
    });
  }

  moveMany(moves: readonly { readonly from: DiskFile; readonly to: string }[]): Promise<DiskFile[]> {
    return this.#changing(
      moves.map(({ from }) => from.path),
      () => {
        for (const { to } of moves) this.#requireValid(to);
        return this.#exchange.run(moves);
      },
    );
  }

  /** Renames a file without rewriting links, because the server has already rewritten them. */
  async #rename(from: string, to: string): Promise<void> {
    const { vault } = this.#app;
    const file = vault.getAbstractFileByPath(from);
    if (file === null) await vault.adapter.rename(this.#listing.onDisk(from), this.#listing.onDisk(to));
    else await vault.rename(file, to);
  }

  moveFolder(from: string, to: string): Promise<void> {
    return this.#changing(from, () => this.#moveFolder(from, to));
  }

  async #moveFolder(from: string, to: string): Promise<void> {
    const { vault } = this.#app;
    this.#requireValid(to);
    if (!(vault.getAbstractFileByPath(from) instanceof TFolder)) throw new DiskChanged(from);
    const isSpelling = from.toLowerCase() === to.toLowerCase();
    if (!isSpelling && (await vault.adapter.exists(to))) throw new DiskChanged(to);
    await this.#files.makeParents(to);
    await this.#rename(from, to);
    for (const [path, file] of [...this.#listing.listed]) {
      if (!path.startsWith(`${from}/`)) continue;
      const moved = to + path.slice(from.length);
      this.#facts.moved(path, moved);
      this.#listing.listed.delete(path);
      this.#listing.listed.set(moved, { ...file, path: moved });
    }
  }

  trash(file: DiskFile, isOnServer: (bytes: Uint8Array) => Promise<boolean>): Promise<void> {
    return this.#changing(file.path, async () => {
      const bytes = await this.#files.expected(file);
      if (!(await isOnServer(bytes))) await this.kept.keep(file.path, bytes);
      // The server may have taken its time.
      await this.#files.requireListed(file);
      this.#requireFree(file.path);
      const there = this.#app.vault.getFileByPath(file.path);
      if (there === null) await this.#app.vault.adapter.remove(this.#listing.onDisk(file.path));
      else await this.#app.fileManager.trashFile(there);
      this.#facts.gone(file.path);
      this.#listing.listed.delete(file.path);
    });
  }

  async keep(path: string, { bytes }: FileContent): Promise<void> {
    await this.kept.keep(path, await wholeOf(bytes));
  }

  makeFolder(path: string): Promise<void> {
    return this.#changing(path, () => this.#makeFolder(path));
  }

  async #makeFolder(path: string): Promise<void> {
    this.#requireValid(path);
    const there = this.#app.vault.getAbstractFileByPath(path);
    if (there instanceof TFile) throw new DiskChanged(path);
    if (there === null) await this.#app.vault.adapter.mkdir(path);
  }

  removeFolder(path: string): Promise<void> {
    return this.#changing(path, () => this.#removeFolder(path));
  }

  async #removeFolder(path: string): Promise<void> {
    const { adapter } = this.#app.vault;
    if (!(await adapter.exists(path))) return;
    const { files, folders } = await adapter.list(path);
    const isOurs = (at: string) => !isHidden(at) && !this.isIgnored(at, 'file') && !this.isIgnored(at, 'folder');
    const inside = [...files, ...folders];
    if (inside.some(isOurs)) throw new DiskChanged(path);
    if (inside.length > 0) throw new DiskRefused(reason('folderStays'));
    await adapter.rmdir(path, false);
  }

  /** The app makes durable what it writes. */
  async flush(): Promise<void> {}

  /**
   * Changes files under the locks of their paths. Errors of the app count as refusals, because then it has changed
   * nothing.
   */
  #changing<Result>(at: string | readonly string[], change: () => Promise<Result>): Promise<Result> {
    const paths = typeof at === 'string' ? [at] : at;
    return this.locks.runAll(paths, async () => {
      try {
        return await change();
      } catch (error) {
        if (error instanceof DiskChanged || error instanceof DiskRefused || !(error instanceof Error)) throw error;
        if (/exists|ENOENT|EEXIST/i.test(error.message)) throw new DiskChanged(paths[0], { cause: error });
        throw error.name === 'Error' || 'code' in error
          ? new DiskRefused(reason('unchangeable', { reason: error.message }), {
              ...{ cause: error, retryMs: RETRY_MS, isDenied: isDenied(error) },
            })
          : error;
      }
    });
  }

  #requireValid(path: string): void {
    const fault = this.pathFault(path);
    if (fault !== null) throw new DiskRefused(fault);
  }

  #requireFree(path: string): void {
    if (this.#options.isHeld?.(path) === true) throw new DiskRefused(reason('edited'), { retryMs: HELD_MS });
  }
}
