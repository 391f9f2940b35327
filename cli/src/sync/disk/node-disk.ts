import { type BigIntStats, lstatSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import {
  type Disk,
  DiskChanged,
  type DiskFile,
  type DiskListing,
  DiskRefused,
  type Expected,
  type FileContent,
  FolderGone,
} from '@notevault/sync/engine/ports.ts';
import { isAlike } from '@notevault/sync/engine/sync-state.ts';
import { IGNORE_FILE, IgnoreRules, LITTER } from '@notevault/sync/rules/ignore-rules.ts';
import { reason } from '@notevault/sync/rules/reasons.ts';
import { pathFault } from '@notevault/sync/rules/safe-path.ts';
import { type Setting, SettingsFiles } from '@notevault/sync/rules/settings-files.ts';
import { ChangedPaths } from './changed-paths.ts';
import { onDisk } from './disk-errors.ts';
import { DiskNames } from './disk-names.ts';
import { diskFile, isSameFile } from './entry.ts';
import { Exchange, type ExchangedFile } from './exchange.ts';
import { FileChanges } from './file-changes.ts';
import { FileReader } from './file-reader.ts';
import { FreeRoom, hasBirthTimes, moveToFreePath, syncFolder } from './file-system.ts';
import { FolderScanner } from './folder-scanner.ts';
import { LateWrites } from './late-writes.ts';
import { makeParents, requireRealParents, requireWritableParent } from './real-parents.ts';
import { TempPlace } from './temp-place.ts';
import type { Trash } from './trash.ts';
import { writeTemp } from './write-temp.ts';

export interface NodeDiskOptions {
  /** The synced folder, an absolute path without links. */
  readonly root: string;
  readonly trash: Trash;
  readonly settings?: readonly Setting[];
  /** Throws FolderGone unless the root is still the folder that was synced. */
  readonly checkRoot?: () => Promise<void>;
  /** Whether the disk is only listed and read. */
  readonly isReadOnly?: boolean;
}

/** While many files are written, the root is checked again after this time. */
const ROOT_MS = 100;

/** Implements the `Disk` port on a folder of this machine. */
export class NodeDisk implements Disk, Disposable {
  readonly #root: string;
  readonly #trash: Trash;
  readonly #place: TempPlace;
  readonly #files: FileChanges;
  readonly #exchange: Exchange;
  readonly #lateWrites: LateWrites;
  readonly #settings: SettingsFiles;
  readonly #rules: IgnoreRules;
  readonly #checkRoot: () => Promise<void>;
  readonly #names = new DiskNames();
  readonly #reader: FileReader;
  readonly #scanner: FolderScanner;
  /** Paths to list next time. */
  readonly changes = new ChangedPaths();
  readonly #room: FreeRoom;
  readonly #hasFileIds: boolean;
  #checkedAt = Number.NEGATIVE_INFINITY;
  /** Folders with changes that are not durable yet, as the disk spells them. */
  #changed = new Set<string>();
  /** The paths of the files that were last listed. */
  listed: readonly string[] = [];

  private constructor(
    { root, trash, settings = [], checkRoot }: NodeDiskOptions,
    place: TempPlace,
    hasFileIds: boolean,
  ) {
    this.#root = root;
    this.#trash = trash;
    this.#place = place;
    this.#files = new FileChanges(root, place, trash);
    this.#exchange = new Exchange(root, place, trash);
    this.#lateWrites = new LateWrites(trash);
    this.#hasFileIds = hasFileIds;
    this.#settings = new SettingsFiles(settings);
    this.#rules = new IgnoreRules(this.#settings);
    this.#checkRoot = checkRoot ?? (async () => undefined);
    this.#room = new FreeRoom(root);
    this.#reader = new FileReader(root, this.#names, hasFileIds);
    const isIgnored = (path: string, kind: 'file' | 'folder') => this.#rules.isIgnored(path, kind);
    this.#scanner = new FolderScanner(root, { hasFileIds, names: this.#names, isIgnored });
  }

  /** Opens the folder, and finishes what an earlier run left in its temporary place. */
  static async open(options: NodeDiskOptions): Promise<NodeDisk> {
    const place = new TempPlace(options.root);
    if (options.isReadOnly) return new NodeDisk(options, place, false);
    await onDisk(async () => place.prepare());
    const disk = new NodeDisk(options, place, await hasBirthTimes(place));
    await disk.#exchange.recover();
    await disk.#files.recover();
    return disk;
  }

  async list(): Promise<DiskListing> {
    await this.#check();
    if (await this.#loadRules()) this.changes.addAll();
    this.#noteChanges(this.#lateWrites.restoreWritten().map((at) => relative(this.#root, at)));
    const changed = this.changes.take();
    try {
      const listing = changed === null ? this.#scanner.scan() : this.#scanner.rescan(changed);
      this.listed = listing.files.map(({ path }) => path);
      return listing;
    } catch (error) {
      this.changes.addAll();
      throw error;
    }
  }

  /** Calls when a program may have written to a file that was replaced, which the next listing shows. */
  onLateWrite(call: () => void): void {
    this.#lateWrites.onWrite = call;
  }

  [Symbol.dispose](): void {
    this.#lateWrites[Symbol.dispose]();
  }

  /** Loads the ignore rules, and returns whether they have changed. */
  async #loadRules(): Promise<boolean> {
    const file = join(this.#root, IGNORE_FILE);
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw new FolderGone(`${file} cannot be read: ${error.message}`, { cause: error });
    });
    return this.#rules.load(text);
  }

  pathFault(path: string): string | null {
    return this.#fault(path, 'file');
  }

  isIgnored(path: string, kind: 'file' | 'folder'): boolean {
    return this.#rules.isIgnored(path, kind);
  }

  #fault(path: string, kind: 'file' | 'folder'): string | null {
    return pathFault(path, (hidden) => this.#settings.includes(hidden, kind));
  }

  async readBytes(file: DiskFile): Promise<Uint8Array | null> {
    return this.#reader.readBytes(file).catch((error: unknown) => this.#notRead(file, error));
  }

  async *read(file: DiskFile): AsyncIterable<Uint8Array> {
    try {
      yield* this.#reader.read(file);
    } catch (error) {
      this.#notRead(file, error);
    }
  }

  /** A change of permissions is reported by no event: a file that was denied is listed again. Throws the error. */
  #notRead({ path }: DiskFile, error: unknown): never {
    if (error instanceof DiskRefused && error.isDenied) this.changes.add(path);
    throw error;
  }

  requireWritable(path: string): Promise<void> {
    return onDisk(() => requireWritableParent(this.#root, this.#names.spelled(path)));
  }

  write(
    path: string,
    content: FileContent,
    over: Expected,
    ready: (fileId: string | null) => Promise<void> = async () => undefined,
  ): Promise<DiskFile> {
    return onDisk(async () => {
      const target = await this.#target(path, 'file');
      if (over === null) this.#noteChanges(makeParents(this.#root, target));
      await this.#room.require(content.size ?? 0);
      const temp = await writeTemp(this.#place, content, 0o666);
      try {
        const [at, stats] = [join(this.#root, target), lstatSync(temp, { bigint: true })];
        const file = diskFile(path, stats, this.#hasFileIds);
        await ready(file.fileId);
        // The folders may have changed while the bytes came in.
        requireRealParents(this.#root, target);
        if (over === null) moveToFreePath(temp, at);
        else {
          const id = await this.#files.replace(temp, at, over, this.#requireListed(target, over));
          this.#lateWrites.add(id, { file: over, at, by: file });
        }
        return this.#given(path, target, file, stats);
      } catch (error) {
        await rm(temp, { force: true });
        throw error;
      }
    });
  }

  move(from: DiskFile, to: string): Promise<DiskFile> {
    return onDisk(async () => {
      const [source, target] = [this.#names.spelled(from.path), await this.#target(to, 'file')];
      requireRealParents(this.#root, source);
      this.#noteChanges(makeParents(this.#root, target));
      requireRealParents(this.#root, target);
      const stats = this.#requireListed(source, from);
      await this.#files.move(join(this.#root, source), join(this.#root, target), from, stats);
      this.#noteChanges([source]);
      this.#names.set(from.path, from.path);
      return this.#given(to, target, { ...from, path: to }, stats);
    });
  }

  moveMany(moves: readonly { readonly from: DiskFile; readonly to: string }[]): Promise<DiskFile[]> {
    return onDisk(async () => {
      const files: ExchangedFile[] = [];
      for (const { from: file, to } of moves) {
        const [from, target] = [this.#names.spelled(file.path), await this.#target(to, 'file')];
        files.push({ from, to: target, file, stats: this.#requireListed(from, file) });
      }
      this.#noteChanges(await this.#exchange.run(files));
      for (const { from, file } of files) {
        this.#noteChanges([from]);
        this.#names.set(file.path, file.path);
      }
      return moves.map(({ from, to }, at) => {
        const { to: target, stats } = files[at] as ExchangedFile;
        return this.#given(to, target, { ...from, path: to }, stats);
      });
    });
  }

  async moveFolder(from: string, to: string): Promise<void> {
    await onDisk(async () => {
      const [source, target] = [this.#names.spelled(from), await this.#target(to, 'folder')];
      requireRealParents(this.#root, source);
      this.#noteChanges(makeParents(this.#root, target));
      requireRealParents(this.#root, target);
      const [at, there] = [join(this.#root, source), join(this.#root, target)];
      const [stats, taken] = await Promise.all([lstat(at), lstat(there).catch(() => null)]);
      if (!stats.isDirectory() || (taken !== null && taken.ino !== stats.ino)) throw new DiskChanged(from);
      await rename(at, there);
      this.#noteChanges([source, target]);
    });
  }

  async trash(file: DiskFile): Promise<void> {
    await onDisk(async () => {
      const target = this.#names.spelled(file.path);
      requireRealParents(this.#root, target);
      await this.#files.remove(join(this.#root, target), file, this.#requireListed(target, file));
      this.#noteChanges([target]);
    });
  }

  async keep(path: string, content: FileContent): Promise<void> {
    await onDisk(async () => {
      await this.#room.require(content.size ?? 0);
      const temp = await writeTemp(this.#place, content, 0o600);
      const { size } = await lstat(temp);
      const id = this.#trash.newId();
      await this.#trash.add(temp, { id, path, reason: 'removed from the vault', size, mtime: content.mtime });
    });
  }

  async makeFolder(path: string): Promise<void> {
    await onDisk(async () => {
      const target = await this.#target(path, 'folder');
      this.#noteChanges(makeParents(this.#root, target));
      await mkdir(join(this.#root, target)).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST' || !(await lstat(join(this.#root, target))).isDirectory()) throw error;
      });
      this.#noteChanges([target]);
    });
  }

  async removeFolder(path: string): Promise<void> {
    await onDisk(async () => {
      const target = this.#names.spelled(path);
      requireRealParents(this.#root, target);
      const at = join(this.#root, target);
      const names = await readdir(at);
      if (names.every((name) => LITTER.has(name))) for (const name of names) await unlink(join(at, name));
      else if (names.every((name) => name.startsWith('.') || this.#isIgnoredEntry(`${path}/${name}`)))
        throw new DiskRefused(reason('folderStays'));
      await rmdir(at);
      this.#noteChanges([target]);
    });
  }

  #isIgnoredEntry(path: string): boolean {
    return this.isIgnored(path, 'file') || this.isIgnored(path, 'folder');
  }

  async flush(): Promise<void> {
    const folders = this.#changed;
    this.#changed = new Set();
    for (const folder of folders) await syncFolder(join(this.#root, folder));
  }

  /** Returns the path on the disk of an entry that a vault may name. */
  async #target(path: string, kind: 'file' | 'folder'): Promise<string> {
    const fault = this.#fault(path, kind);
    if (fault !== null) throw new DiskRefused(fault);
    if (performance.now() - this.#checkedAt > ROOT_MS) await this.#check();
    return this.#names.spelled(path);
  }

  async #check(): Promise<void> {
    this.#checkedAt = Number.NEGATIVE_INFINITY;
    await this.#checkRoot();
    this.#checkedAt = performance.now();
  }

  #requireListed(spelled: string, file: DiskFile): BigIntStats {
    const stats = lstatSync(join(this.#root, spelled), { bigint: true });
    if (!stats.isFile() || !isAlike(diskFile(file.path, stats, this.#hasFileIds), file))
      throw new DiskChanged(file.path);
    return stats;
  }

  /**
   * Returns the listing of a file that was just given its name. If another program has written to it since, that is the
   * listing from before, so that its bytes are not taken for known.
   */
  #given(path: string, spelled: string, file: DiskFile, { ino }: BigIntStats): DiskFile {
    this.#noteChanges([spelled]);
    const now = lstatSync(join(this.#root, spelled), { bigint: true });
    return now.ino === ino && isSameFile(now, file) ? diskFile(path, now, this.#hasFileIds) : file;
  }

  /** @param entries that were created, changed or removed */
  #noteChanges(entries: readonly string[]): void {
    for (const entry of entries) {
      this.#changed.add(entry.slice(0, Math.max(0, entry.lastIndexOf('/'))));
      this.changes.add(entry.normalize('NFC'));
    }
  }
}
