import { ancestorsOf, folderOf } from '@notevault/note-text/paths.ts';
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
import { kindOf } from '@notevault/sync/plan/trees.ts';
import { IGNORE_FILE, IgnoreRules } from '@notevault/sync/rules/ignore-rules.ts';
import { pathFault } from '@notevault/sync/rules/safe-path.ts';
import { type Setting, SettingsFiles } from '@notevault/sync/rules/settings-files.ts';
import { type App, type TAbstractFile, TFile, TFolder } from 'obsidian';
import { reason } from '../texts/reasons/en.ts';
import { FileFacts } from './file-facts.ts';
import { KeptCopies, ownBuffer } from './kept-copies.ts';
import { PathLocks } from './path-locks.ts';
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
  /** The listings of the last run, by path. */
  readonly before: ReadonlyMap<string, DiskFile>;
  /** Throws FolderGone unless the vault is still the one that is synced. */
  readonly checkRoot: () => Promise<void>;
  /** Whether something holds a file that is not on the disk yet, such as an editor. */
  readonly isHeld?: (path: string) => boolean;
  /** Whether a view shows a file, so that it has to stay the same to the app. */
  readonly isOpen?: (path: string) => boolean;
}

/** What is longer is written piece by piece. */
const WHOLE_BYTES = 4 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;
const WRITES_MAX = 3;
/** When to try again what is held. */
const HELD_MS = 3000;
/** Files that the app was not told of are looked for this often. */
const STRANGERS_MS = 30 * 60 * 1000;
/** So many files are read again each time, whatever is known of them. */
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
  #strangersAt = Number.NEGATIVE_INFINITY;
  #doubted = 0;
  #pieces = 0;

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
    await this.kept.tidy();
  }

  /** The paths of the files that were last listed. */
  get listed(): readonly string[] {
    return [...this.#listing.listed.keys()];
  }

  /** The app has told of a change. Returns whether there may be something to sync. */
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

  /** Has the next listing look for what nobody was told of. */
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

  async readBytes(file: DiskFile): Promise<Uint8Array | null> {
    const { adapter } = this.#app.vault;
    const at = this.#listing.onDisk(file.path);
    const bytes = await adapter.readBinary(at).catch(() => null);
    const stat = bytes === null ? null : await adapter.stat(at).catch(() => null);
    if (bytes === null || stat === null || stat.mtime !== file.mtimeMs) return null;
    if (bytes.byteLength === file.size) return new Uint8Array(bytes);
    // The size that was told is not the true one, which the next listing then has.
    this.#facts.proved(file.path, stat.mtime, bytes.byteLength);
    return null;
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

  write(path: string, content: FileContent, over: Expected): Promise<DiskFile> {
    const { bytesMax } = this.#options;
    if (bytesMax !== null && (content.size ?? 0) > bytesMax)
      throw new DiskRefused(tooLarge(content.size ?? 0, bytesMax));
    return this.#changing(path, async () => {
      this.#requireValid(path);
      const isLong = content.size === null || content.size > WHOLE_BYTES;
      if (isLong && kindOf(path) === 'attachment') return this.#writeLong(path, content, over);
      const bytes = await wholeOf(content.bytes);
      return this.#writeWhole(path, { bytes, mtime: Math.round(content.mtime * 1000) }, over);
    });
  }

  async #writeWhole(path: string, next: { bytes: Uint8Array; mtime: number }, over: Expected): Promise<DiskFile> {
    const at = this.#listing.onDisk(path);
    this.#requireFree(path);
    if (over !== null && kindOf(path) === 'attachment' && this.#options.isOpen?.(path) !== true) {
      const taken = await this.#takeAway(over);
      try {
        return await this.#writeWhole(path, next, null);
      } catch (error) {
        if (await this.#isFree(path)) await this.#app.vault.adapter.rename(taken, at);
        throw error;
      }
    }
    const old = over === null ? null : await this.#expected(over);
    if (old === null && !(await this.#isFree(path))) throw new DiskChanged(path);
    const kept = old === null ? null : await this.kept.keep(path, old);
    if (old === null) await this.#makeParents(path);
    // The app replaces bytes without looking at those that are there.
    if (over !== null) await this.#requireListed(over);
    this.#journal.begin({ path, size: next.bytes.length, kept });
    try {
      for (let tries = 1; ; tries++) {
        await this.#put(path, next, old);
        const there = await this.#app.vault.adapter.readBinary(at).catch(() => null);
        const isThere = there !== null && isEqual(new Uint8Array(there), next.bytes);
        if (isThere) return await this.#given(path, next.bytes.length, next.mtime);
        // Somebody has written to it since: then it is listed as another one.
        const isOld = there === null || there.byteLength === 0 || (old !== null && isEqual(new Uint8Array(there), old));
        if (!isOld) return this.#shown(path, next.bytes.length, next.mtime);
        if (tries === WRITES_MAX) throw new DiskRefused(reason('otherBytes'));
      }
    } finally {
      this.#journal.end(path);
    }
  }

  /** Writes by the app where it knows the file, so that open editors learn of it. */
  async #put(
    path: string,
    { bytes, mtime }: { bytes: Uint8Array; mtime: number },
    old: Uint8Array | null,
  ): Promise<void> {
    const { vault } = this.#app;
    const file = vault.getFileByPath(path);
    this.#facts.proved(path, mtime, bytes.length);
    if (file === null) {
      if (old === null && !isHidden(path) && !(await vault.adapter.exists(path))) {
        await vault.createBinary(path, ownBuffer(bytes), { mtime });
        return;
      }
      return vault.adapter.writeBinary(this.#listing.onDisk(path), ownBuffer(bytes), { mtime });
    }
    const [before, after] = [old === null ? null : textOf(old), textOf(bytes)];
    if (kindOf(path) === 'attachment' || before === null || after === null) {
      return vault.modifyBinary(file, ownBuffer(bytes), { mtime });
    }
    let isOther = false;
    await vault.process(
      file,
      (now) => {
        isOther = now !== before && now !== '';
        return isOther ? now : after;
      },
      { mtime },
    );
    if (isOther) throw new DiskChanged(path);
  }

  /** Writes pieces to a file of our own, and gives it its name once it is whole. */
  async #writeLong(path: string, { bytes, size, mtime }: FileContent, over: Expected): Promise<DiskFile> {
    const { adapter } = this.#app.vault;
    this.#pieces += 1;
    const temp = await this.kept.tempPlace(`${this.#options.clock.now()}-${this.#pieces}`);
    try {
      const length = await this.#append(temp, bytes, Math.round(mtime * 1000));
      const told = (await adapter.stat(temp))?.size ?? 0;
      // Where the system tells nothing, only reading does.
      if (told !== length && (await adapter.readBinary(temp)).byteLength !== length)
        throw new DiskRefused(reason('otherBytes'));
      if (size !== null && length !== size) throw new DiskRefused(reason('otherSize'));
      if (over === null && !(await this.#isFree(path))) throw new DiskChanged(path);
      await this.#makeParents(path);
      if (over !== null) await this.#takeAway(over);
      await adapter.rename(temp, path);
      return await this.#given(path, length, Math.round(mtime * 1000));
    } catch (error) {
      if (await adapter.exists(temp)) await adapter.remove(temp);
      throw error;
    }
  }

  async #append(temp: string, bytes: AsyncIterable<Uint8Array>, mtime: number): Promise<number> {
    const { adapter } = this.#app.vault;
    let [length, gathered]: [number, Uint8Array[]] = [0, []];
    const flush = async () => {
      const piece = await wholeOf(listed(gathered));
      gathered = [];
      if (length === 0) await adapter.writeBinary(temp, ownBuffer(piece), { mtime });
      else await adapter.appendBinary(temp, ownBuffer(piece), { mtime });
      length += piece.length;
    };
    let waiting = 0;
    for await (const piece of bytes) {
      for (let at = 0; at < piece.length; at += PIECE_BYTES) {
        const part = piece.subarray(at, at + PIECE_BYTES);
        gathered.push(part);
        waiting += part.length;
        if (waiting < PIECE_BYTES) continue;
        waiting = 0;
        await flush();
      }
    }
    if (gathered.length > 0 || length === 0) await flush();
    return length;
  }

  move(from: DiskFile, to: string): Promise<DiskFile> {
    return this.#changing(from.path, async () => {
      this.#requireValid(to);
      await this.#requireListed(from);
      const isSpelling = from.path.toLowerCase() === to.toLowerCase();
      if (!isSpelling && !(await this.#isFree(to))) throw new DiskChanged(to);
      await this.#makeParents(to);
      await this.#rename(from.path, to);
      this.#facts.moved(from.path, to);
      this.#listing.listed.delete(from.path);
      return this.#shown(to, from.size, from.mtimeMs, from);
    });
  }

  /** Links stay as they are: the server has rewritten them. */
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
    await this.#makeParents(to);
    await this.#rename(from, to);
    for (const [path, file] of [...this.#listing.listed]) {
      if (!path.startsWith(`${from}/`)) continue;
      const moved = to + path.slice(from.length);
      this.#facts.moved(path, moved);
      this.#listing.listed.delete(path);
      this.#listing.listed.set(moved, { ...file, path: moved });
    }
  }

  trash(file: DiskFile): Promise<void> {
    return this.#changing(file.path, async () => {
      const bytes = await this.#expected(file);
      this.#requireFree(file.path);
      await this.kept.keep(file.path, bytes);
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

  /** The app’s own errors are refusals: whatever it does not do, it did not do. */
  #changing<Result>(path: string, change: () => Promise<Result>): Promise<Result> {
    return this.locks.run(path, async () => {
      try {
        return await change();
      } catch (error) {
        if (error instanceof DiskChanged || error instanceof DiskRefused || !(error instanceof Error)) throw error;
        if (/exists|ENOENT|EEXIST/i.test(error.message)) throw new DiskChanged(path, { cause: error });
        throw error.name === 'Error' || 'code' in error
          ? new DiskRefused(reason('unchangeable', { reason: error.message }), { cause: error, retryMs: 60_000 })
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

  async #isFree(path: string): Promise<boolean> {
    return !(await this.#app.vault.adapter.exists(this.#listing.onDisk(path)));
  }

  /**
   * Moves a file that is to be replaced to the kept copies: whatever is there at that moment goes with it, and comes back
   * if it is not the listed one. Returns where it is.
   */
  async #takeAway(file: DiskFile): Promise<string> {
    const { adapter } = this.#app.vault;
    const [from, taken] = [this.#listing.onDisk(file.path), await this.kept.place(file.path)];
    await this.#requireListed(file);
    await adapter.rename(from, taken);
    const stat = await adapter.stat(taken);
    if (stat?.mtime === file.mtimeMs && (stat.size === file.size || stat.size === 0)) return taken;
    if (await this.#isFree(file.path)) await adapter.rename(taken, from);
    throw new DiskChanged(file.path);
  }

  async #requireListed(file: DiskFile): Promise<void> {
    const stat = await this.#app.vault.adapter.stat(this.#listing.onDisk(file.path));
    const now = stat?.type === 'file' ? this.#shown(file.path, stat.size, stat.mtime, file) : null;
    // A size of 0 says nothing.
    if (now === null || now.mtimeMs !== file.mtimeMs || (now.size !== file.size && stat?.size !== 0))
      throw new DiskChanged(file.path);
  }

  /** The bytes of a file that is to be replaced. */
  async #expected(file: DiskFile): Promise<Uint8Array> {
    const bytes = await this.readBytes(file);
    if (bytes === null) throw new DiskChanged(file.path);
    return bytes;
  }

  /** The listing of a file that was just written. */
  async #given(path: string, size: number, mtime: number): Promise<DiskFile> {
    const stat = await this.#app.vault.adapter.stat(this.#listing.onDisk(path));
    const kept = stat?.mtime ?? mtime;
    this.#facts.proved(path, kept, size);
    this.#listing.suspect(path);
    const file = this.#app.vault.getFileByPath(path);
    if (file !== null) this.#facts.replaced(file);
    return this.#shown(path, size, kept);
  }

  #shown(path: string, size: number, mtime: number, before?: DiskFile): DiskFile {
    const file = this.#app.vault.getFileByPath(path);
    const shown = this.#facts.known(path, { mtime, size }, file) ?? {
      ...{ path, size, mtimeMs: mtime, ctimeMs: null },
      fileId: before?.fileId ?? null,
    };
    this.#listing.listed.set(path, shown);
    return shown;
  }

  async #makeParents(path: string): Promise<void> {
    const { adapter } = this.#app.vault;
    const folder = folderOf(this.#listing.onDisk(path));
    if (folder === '' || (await adapter.exists(folder))) return;
    const taken = ancestorsOf(path).some((at) => this.#app.vault.getFileByPath(at) !== null);
    if (taken) throw new DiskChanged(path);
    await adapter.mkdir(folder);
  }
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  // Of megabytes, `every` takes ten times as long.
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

async function* listed(pieces: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* pieces;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text as the app reads it; null where a text and its bytes are not one to one. */
function textOf(bytes: Uint8Array): string | null {
  try {
    const text = utf8.decode(bytes);
    return text.startsWith('\ufeff') ? null : text;
  } catch {
    return null;
  }
}
