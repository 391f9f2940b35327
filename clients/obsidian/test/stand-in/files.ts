import { Events } from './events.ts';
import type { Vault } from './vault.ts';

/** A file or folder of the vault. It stays the same object when it is renamed within the app (api: TAbstractFile). */
export abstract class TAbstractFile {
  readonly vault: Vault;
  path: string;
  parent: TFolder | null = null;
  deleted = false;

  constructor(vault: Vault, path: string) {
    this.vault = vault;
    this.path = path;
  }

  get name(): string {
    return this.path.slice(this.path.lastIndexOf('/') + 1);
  }
}

export class TFile extends TAbstractFile {
  stat = { ctime: 0, mtime: 0, size: 0 };
  /**
   * The app writes this file, so what the watcher tells of it is its own write. `modify` clears the mark and `process`
   * puts back what it found: overlapping, they leave it set, and changes from outside are then ignored until the app
   * starts again (relay: src/SavingFlagPolyfill.ts, cac2fb96).
   */
  saving = false;

  get basename(): string {
    return this.#dot < 0 ? this.name : this.name.slice(0, this.#dot);
  }

  get extension(): string {
    return this.#dot < 0 ? '' : this.name.slice(this.#dot + 1).toLowerCase();
  }

  get #dot(): number {
    return this.name.lastIndexOf('.');
  }
}

export class TFolder extends TAbstractFile {
  children: TAbstractFile[] = [];

  isRoot(): boolean {
    return this.path === '/';
  }
}

/** The tree of the vault as the app knows it, which may be behind the disk. */
export class FileTree extends Events {
  readonly root: TFolder;
  readonly byPath = new Map<string, TAbstractFile>();

  constructor(vault: Vault) {
    super();
    this.root = new TFolder(vault, '/');
  }

  folderOf(path: string): TFolder {
    const found = this.byPath.get(path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '');
    return found instanceof TFolder ? found : this.root;
  }

  add(file: TAbstractFile): void {
    this.byPath.set(file.path, file);
    file.parent = this.folderOf(file.path);
    file.parent.children.push(file);
  }

  /** Takes out a file, or a folder with all that is in it; returns what was taken out, the innermost first. */
  remove(file: TAbstractFile): TAbstractFile[] {
    const within = file instanceof TFolder ? [...file.children].flatMap((child) => this.remove(child)) : [];
    this.byPath.delete(file.path);
    if (file.parent !== null) file.parent.children = file.parent.children.filter((child) => child !== file);
    file.deleted = true;
    return [...within, file];
  }

  /** Moves a file or folder; returns each that has another path now, with the path it had. */
  move(file: TAbstractFile, to: string): { file: TAbstractFile; from: string }[] {
    const from = file.path;
    const children = file instanceof TFolder ? [...file.children] : [];
    this.byPath.delete(from);
    if (file.parent !== null) file.parent.children = file.parent.children.filter((child) => child !== file);
    file.path = to;
    this.byPath.set(to, file);
    file.parent = this.folderOf(to);
    file.parent.children.push(file);
    return [{ file, from }, ...children.flatMap((child) => this.move(child, `${to}/${child.name}`))];
  }
}
