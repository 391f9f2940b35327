import { DataAdapter } from './adapter.ts';
import type { Device } from './device.ts';
import type { DiskEvent, Times } from './disk.ts';
import { Events } from './events.ts';
import { FileTree, type TAbstractFile, TFile, TFolder } from './files.ts';

/** The files of the vault as the app knows them (api: Vault). */
export class Vault extends Events {
  readonly adapter: DataAdapter;
  configDir = '.obsidian';
  readonly #device: Device;
  readonly #tree: FileTree;
  readonly #stopWatching: () => void;
  readonly #cache = new Map<TFile, { readonly mtime: number; readonly text: string }>();

  constructor(device: Device) {
    super();
    this.#device = device;
    this.adapter = new DataAdapter(device);
    this.#tree = new FileTree(this);
    this.#stopWatching = device.disk.watch((event) => this.#heard(event));
  }

  /** Reads the disk at the start: `create` is fired for every file (doc: "Optimize plugin load time"). */
  scan(folder = ''): void {
    for (const entry of this.#device.disk.list(folder)) {
      const path = entry.path.normalize('NFC');
      if (this.getAbstractFileByPath(path) === null) this.#found(path);
    }
  }

  stop(): void {
    this.adapter.isDead = true;
    this.#stopWatching();
  }

  getName(): string {
    return this.adapter.getName();
  }

  getAbstractFileByPath(path: string): TAbstractFile | null {
    return path === '/' ? this.#tree.root : (this.#tree.byPath.get(path) ?? null);
  }

  getFileByPath(path: string): TFile | null {
    const found = this.getAbstractFileByPath(path);
    return found instanceof TFile ? found : null;
  }

  getFolderByPath(path: string): TFolder | null {
    const found = this.getAbstractFileByPath(path);
    return found instanceof TFolder ? found : null;
  }

  getRoot(): TFolder {
    return this.#tree.root;
  }

  getAllLoadedFiles(): TAbstractFile[] {
    return [this.#tree.root, ...this.#tree.byPath.values()];
  }

  getAllFolders(includeRoot = false): TFolder[] {
    return this.getAllLoadedFiles().filter(
      (file) => file instanceof TFolder && (includeRoot || !file.isRoot()),
    ) as TFolder[];
  }

  getFiles(): TFile[] {
    return this.getAllLoadedFiles().filter((file) => file instanceof TFile);
  }

  getMarkdownFiles(): TFile[] {
    return this.getFiles().filter(({ extension }) => extension === 'md');
  }

  async create(path: string, data: string, times: Times = {}): Promise<TFile> {
    return this.#create(path, this.#device.isOnceIn(this.#device.faults.emptyCreateIn) ? '' : data, times);
  }

  async createBinary(path: string, data: ArrayBuffer, times: Times = {}): Promise<TFile> {
    const bytes = this.#device.isOnceIn(this.#device.faults.emptyCreateIn) ? new ArrayBuffer() : data;
    return this.#create(path, bytes, times);
  }

  async createFolder(path: string): Promise<TFolder> {
    if (await this.adapter.exists(path)) throw new Error('Folder already exists.');
    await this.adapter.mkdir(path);
    return this.getFolderByPath(path) as TFolder;
  }

  /** Reads from the disk. */
  read(file: TFile): Promise<string> {
    return this.adapter.read(file.path);
  }

  /** Reads what the app read last, unless it knows of a change since (api: cachedRead). */
  async cachedRead(file: TFile): Promise<string> {
    const cached = this.#cache.get(file);
    if (cached?.mtime === file.stat.mtime) return cached.text;
    const text = await this.read(file);
    this.#cache.set(file, { mtime: file.stat.mtime, text });
    return text;
  }

  readBinary(file: TFile): Promise<ArrayBuffer> {
    return this.adapter.readBinary(file.path);
  }

  async modify(file: TFile, data: string, times: Times = {}): Promise<void> {
    file.saving = true;
    await this.adapter.write(file.path, data, times);
    file.saving = false;
  }

  async modifyBinary(file: TFile, data: ArrayBuffer, times: Times = {}): Promise<void> {
    file.saving = true;
    await this.adapter.writeBinary(file.path, data, times);
    file.saving = false;
  }

  append(file: TFile, data: string, times: Times = {}): Promise<void> {
    return this.adapter.append(file.path, data, times);
  }

  appendBinary(file: TFile, data: ArrayBuffer, times: Times = {}): Promise<void> {
    return this.adapter.appendBinary(file.path, data, times);
  }

  /** Reads, changes and writes in one step; the function is synchronous (api: process). */
  async process(file: TFile, change: (data: string) => string, times: Times = {}): Promise<string> {
    const before = file.saving;
    file.saving = true;
    const text = await this.adapter.process(file.path, change, times);
    file.saving = before;
    return text;
  }

  async delete(file: TAbstractFile, force = false): Promise<void> {
    const remove = () =>
      file instanceof TFolder ? this.adapter.rmdir(file.path, force) : this.adapter.remove(file.path);
    await remove();
  }

  async trash(file: TAbstractFile, system: boolean): Promise<void> {
    if (!system || !(await this.adapter.trashSystem(file.path))) await this.adapter.trashLocal(file.path);
  }

  /** Renames without touching any link (api: rename; `FileManager.renameFile` rewrites them). */
  async rename(file: TAbstractFile, to: string): Promise<void> {
    if ((await this.adapter.exists(to)) && to.toLowerCase() !== file.path.toLowerCase()) {
      throw new Error('Destination file already exists!');
    }
    await this.adapter.rename(file.path, to);
  }

  async #create(path: string, data: string | ArrayBuffer, times: Times): Promise<TFile> {
    if (await this.adapter.exists(path)) throw new Error('File already exists.');
    if (typeof data === 'string') await this.adapter.write(path, data, times);
    else await this.adapter.writeBinary(path, data, times);
    return this.getFileByPath(path) as TFile;
  }

  /** Handles a disk event. The app knows its own writes at once; the watcher reports other changes late or never. */
  #heard(event: DiskEvent): void {
    const { lateEventMs, lostEventIn } = this.#device.faults;
    if (event.by === this.adapter) this.#applied(event);
    if (event.by === this.adapter || this.#device.isOnceIn(lostEventIn)) return;
    this.#device.clock.setTimeout(
      () => {
        if (this.adapter.isDead || this.getFileByPath(event.path.normalize('NFC'))?.saving === true) return;
        // To the app, a file that another program renamed is gone, and another one is there.
        if (event.oldPath !== undefined) this.#lost(event.oldPath.normalize('NFC'));
        this.#applied(event.kind === 'rename' ? { ...event, kind: 'write' } : event);
      },
      Math.floor(this.#device.random() * lateEventMs),
    );
  }

  #applied({ kind, path, oldPath }: DiskEvent): void {
    const target = path.normalize('NFC');
    if (kind === 'remove') this.#lost(target);
    else if (kind === 'rename' && oldPath !== undefined) this.#moved(oldPath.normalize('NFC'), target);
    else this.#found(target);
  }

  #found(path: string): void {
    const entry = this.#device.disk.get(path);
    if (entry === undefined || isHidden(path)) return;
    const known = this.getAbstractFileByPath(path);
    const stat = { ctime: entry.ctime, mtime: entry.mtime, size: this.adapter.sizeOf(path) };
    if (known instanceof TFile) {
      known.stat = stat;
      this.#cache.delete(known);
      this.trigger('modify', known);
      return;
    }
    if (known !== null) return;
    const file = entry.type === 'folder' ? new TFolder(this, path) : new TFile(this, path);
    if (file instanceof TFile) file.stat = stat;
    this.#tree.add(file);
    this.trigger('create', file);
    if (file instanceof TFolder) this.scan(path);
  }

  #lost(path: string): void {
    const known = this.getAbstractFileByPath(path);
    if (known === null) return;
    for (const file of this.#tree.remove(known)) this.trigger('delete', file);
  }

  #moved(from: string, to: string): void {
    const known = this.getAbstractFileByPath(from);
    if (isHidden(to)) this.#lost(from);
    else if (known === null) this.#found(to);
    else for (const each of this.#tree.move(known, to)) this.trigger('rename', each.file, each.from);
  }
}

/** Hidden files have no `TFile` and no event: only the adapter sees them. */
function isHidden(path: string): boolean {
  return path.split('/').some((part) => part.startsWith('.'));
}

/** Normalises a path to NFC and single slashes, without slashes at its ends (api: normalizePath). */
export function normalizePath(path: string): string {
  const cleaned = path
    .replace(/\u00a0|\u202f/g, ' ')
    .replace(/[\\/]+/g, '/')
    .replace(/^\/|\/$/g, '');
  return cleaned === '' ? '/' : cleaned.normalize('NFC');
}
