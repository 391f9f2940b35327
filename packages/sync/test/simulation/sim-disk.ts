import { createHash } from 'node:crypto';
import { ancestorsOf, fileName, foldPath, isInside, joinPath } from '@notevault/note-text/paths.ts';
import type { Random } from '../../../../server/test/kit/random.ts';
import {
  type Disk,
  DiskChanged,
  type DiskFile,
  type DiskListing,
  type Expected,
  type FileContent,
} from '../../src/engine/ports.ts';
import type { Scheduler } from './scheduler.ts';

export const hashOf = (content: string): string => createHash('sha256').update(content).digest('hex');

export interface DiskKind {
  readonly hasFileIds: boolean;
  readonly foldsCase: boolean;
  /** Whether file names may contain a colon. */
  readonly takesColons: boolean;
}

interface Stored {
  path: string;
  content: string;
  mtimeMs: number;
  /** Time of the last change of the file's content or name. */
  ctimeMs: number;
  fileId: string;
}

/** A folder in memory. Methods that begin with `user` are changes by people, which may happen at any moment. */
export class SimDisk implements Disk {
  readonly kind: DiskKind;
  readonly #files = new Map<string, Stored>();
  readonly #folders = new Map<string, string>();
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly trashed: string[] = [];
  /** The contents that `write` replaced, which a real disk moves to its trash. */
  readonly replaced: string[] = [];
  /** Number of changes by the engine. */
  changes = 0;
  #inodes = 0;
  /** Awaited by each call of the engine; throws when the engine's process was killed. */
  turn: () => Promise<void> = () => Promise.resolve();

  constructor(kind: DiskKind, scheduler: Scheduler, random: Random) {
    this.kind = kind;
    this.#scheduler = scheduler;
    this.#random = random;
  }

  /** Texts that a person finds in the trash. */
  get kept(): readonly string[] {
    return [...this.trashed, ...this.replaced];
  }

  #key(path: string): string {
    return this.kind.foldsCase ? foldPath(path) : path;
  }

  #now(): number {
    return this.#scheduler.wallOffset + this.#scheduler.ticks;
  }

  get contents(): ReadonlyMap<string, string> {
    return new Map([...this.#files.values()].map(({ path, content }) => [path, content]));
  }

  get folders(): readonly string[] {
    return [...this.#folders.values()];
  }

  #shown({ path, content, mtimeMs, ctimeMs, fileId }: Stored): DiskFile {
    return { path, size: content.length, mtimeMs, ctimeMs, fileId: this.kind.hasFileIds ? fileId : null };
  }

  /** Returns the path in the spelling of the existing folders. */
  #spelled(path: string): string {
    let at = '';
    for (const name of path.split('/').slice(0, -1))
      at = this.#folders.get(this.#key(joinPath(at, name))) ?? joinPath(at, name);
    return joinPath(at, fileName(path));
  }

  #put(path: string, content: string, fileId?: string, mtimeMs = this.#now(), ctimeMs = this.#now()): Stored {
    this.#inodes += 1;
    const file = { path: this.#spelled(path), content, mtimeMs, ctimeMs, fileId: fileId ?? `${this.#inodes}` };
    this.#files.set(this.#key(path), file);
    for (const folder of ancestorsOf(file.path).toReversed())
      if (!this.#folders.has(this.#key(folder))) this.#folders.set(this.#key(folder), folder);
    return file;
  }

  #fits(path: string): boolean {
    const key = this.#key(path);
    if (this.#folders.has(key)) return false;
    return ancestorsOf(key).every((folder) => !this.#files.has(folder));
  }

  // Changes by people and their programs.

  userWrite(path: string, content: string): boolean {
    if (!this.#fits(path)) return false;
    const there = this.#files.get(this.#key(path));
    // Some editors write to the file in place, others write a new one and rename it over the old.
    this.#put(there?.path ?? path, content, this.#random.chance(0.5) ? there?.fileId : undefined);
    return true;
  }

  /** Saves a file as many editors do, under another name: the former file is gone, and a new one is there. */
  userReplace(path: string, content: string, to: string): void {
    this.userDelete(path);
    this.#put(to, content);
  }

  userDelete(path: string): void {
    this.#files.delete(this.#key(path));
  }

  userMove(from: string, to: string): boolean {
    const file = this.#files.get(this.#key(from));
    if (file === undefined || (this.#files.has(this.#key(to)) && this.#key(from) !== this.#key(to)) || !this.#fits(to))
      return false;
    this.#files.delete(this.#key(from));
    this.#put(to, file.content, file.fileId, file.mtimeMs);
    return true;
  }

  userMoveFolder(from: string, to: string): boolean {
    if (from === to || isInside(from, to) || isInside(to, from) || !this.#isFreeFolder(to)) return false;
    this.#moveAll(from, to);
    return true;
  }

  userMakeFolder(path: string): void {
    if (this.#files.has(this.#key(path)) || !ancestorsOf(path).every((folder) => !this.#files.has(this.#key(folder))))
      return;
    for (const folder of [path, ...ancestorsOf(path)].toReversed())
      if (!this.#folders.has(this.#key(folder))) this.#folders.set(this.#key(folder), folder);
  }

  #isFreeFolder(path: string): boolean {
    const key = this.#key(path);
    return (
      !this.#folders.has(key) && !this.#files.has(key) && ancestorsOf(key).every((folder) => !this.#files.has(folder))
    );
  }

  #moveAll(from: string, to: string): void {
    const inFrom = (path: string) => this.#key(path).startsWith(`${this.#key(from)}/`);
    const files = [...this.#files.values()].filter(({ path }) => inFrom(path));
    const folders = [...this.#folders.values()].filter((path) => inFrom(path));
    for (const { path } of files) this.#files.delete(this.#key(path));
    for (const path of [from, ...folders]) this.#folders.delete(this.#key(path));
    this.userMakeFolder(to);
    for (const path of folders) this.userMakeFolder(to + path.slice(from.length));
    for (const { path, content, fileId, mtimeMs, ctimeMs } of files)
      this.#put(to + path.slice(from.length), content, fileId, mtimeMs, ctimeMs);
  }

  // The port that the engine uses.

  pathFault(path: string): string | null {
    return this.kind.takesColons || !path.includes(':') ? null : 'has a colon in its name';
  }

  isIgnored(): boolean {
    return false;
  }

  async flush(): Promise<void> {}

  async list(): Promise<DiskListing> {
    await this.turn();
    const files = [...this.#files.values()].map((file) => this.#shown(file));
    return { files, folders: this.folders, skipped: [], isPartial: false };
  }

  async requireWritable(): Promise<void> {}

  #current(expected: DiskFile): Stored | null {
    const file = this.#files.get(this.#key(expected.path));
    if (file === undefined) return null;
    const shown = this.#shown(file);
    const isSame =
      shown.size === expected.size && shown.mtimeMs === expected.mtimeMs && shown.fileId === expected.fileId;
    return isSame && shown.path === expected.path ? file : null;
  }

  async readBytes(expected: DiskFile): Promise<Uint8Array | null> {
    await this.turn();
    const file = this.#current(expected);
    return file === null ? null : new TextEncoder().encode(file.content);
  }

  async *read(expected: DiskFile): AsyncIterable<Uint8Array> {
    await this.turn();
    const file = this.#current(expected);
    if (file === null) throw new DiskChanged();
    yield new TextEncoder().encode(file.content);
  }

  async write(path: string, { bytes, mtime }: FileContent, over: Expected, ready?: Parameters<Disk['write']>[3]) {
    let content = '';
    for await (const part of bytes) content += new TextDecoder('utf-8', { ignoreBOM: true }).decode(part);
    this.#inodes += 1;
    const fileId = `${this.#inodes}`;
    await ready?.(this.kind.hasFileIds ? fileId : null);
    await this.turn();
    this.changes += 1;
    const isAsExpected =
      over === null ? !this.#files.has(this.#key(path)) && this.#fits(path) : this.#current(over) !== null;
    if (!isAsExpected) throw new DiskChanged();
    if (over !== null) this.replaced.push(this.#current(over)?.content ?? '');
    return this.#shown(this.#put(path, content, fileId, mtime * 1000));
  }

  async move(from: DiskFile, to: string): Promise<DiskFile> {
    await this.turn();
    this.changes += 1;
    const file = this.#current(from);
    const isFree = !this.#files.has(this.#key(to)) || this.#key(to) === this.#key(from.path);
    if (file === null || !isFree || !this.#fits(to)) throw new DiskChanged();
    this.#files.delete(this.#key(from.path));
    return this.#shown(this.#put(to, file.content, file.fileId, file.mtimeMs));
  }

  /** A program that is killed in the middle has moved all or none once it starts again. */
  async moveMany(moves: readonly { readonly from: DiskFile; readonly to: string }[]): Promise<DiskFile[]> {
    await this.turn();
    this.changes += 1;
    const [files, before] = [moves.map(({ from }) => this.#current(from)), new Map(this.#files)];
    const folders = new Map(this.#folders);
    if (files.includes(null)) throw new DiskChanged();
    for (const { from } of moves) this.#files.delete(this.#key(from.path));
    try {
      return moves.map(({ to }, at) => {
        this.#dropEmptyFolders(to);
        if (this.#files.has(this.#key(to)) || !this.#fits(to)) throw new DiskChanged();
        const { content, fileId, mtimeMs } = files[at] as Stored;
        return this.#shown(this.#put(to, content, fileId, mtimeMs));
      });
    } catch (error) {
      this.#files.clear();
      for (const [key, file] of before) this.#files.set(key, file);
      this.#folders.clear();
      for (const [key, folder] of folders) this.#folders.set(key, folder);
      throw error;
    }
  }

  #dropEmptyFolders(path: string): void {
    const isInFolder = (key: string) => key.startsWith(`${this.#key(path)}/`);
    if ([...this.#files.keys()].some(isInFolder)) return;
    for (const key of [...this.#folders.keys()])
      if (key === this.#key(path) || isInFolder(key)) this.#folders.delete(key);
  }

  async moveFolder(from: string, to: string): Promise<void> {
    await this.turn();
    this.changes += 1;
    if (!this.#folders.has(this.#key(from))) throw new DiskChanged();
    if (this.#key(from) !== this.#key(to) && !this.#isFreeFolder(to)) throw new DiskChanged();
    this.#moveAll(from, to);
  }

  async trash(expected: DiskFile): Promise<void> {
    await this.turn();
    this.changes += 1;
    const file = this.#current(expected);
    if (file === null) throw new DiskChanged();
    this.trashed.push(file.content);
    this.#files.delete(this.#key(expected.path));
  }

  async keep(_path: string, { bytes }: FileContent): Promise<void> {
    let content = '';
    for await (const part of bytes) content += new TextDecoder('utf-8', { ignoreBOM: true }).decode(part);
    this.trashed.push(content);
  }

  async makeFolder(path: string): Promise<void> {
    await this.turn();
    this.changes += 1;
    this.userMakeFolder(path);
  }

  async removeFolder(path: string): Promise<void> {
    await this.turn();
    this.changes += 1;
    const inside = `${this.#key(path)}/`;
    if ([...this.#files.keys(), ...this.#folders.keys()].some((key) => key.startsWith(inside))) throw new DiskChanged();
    this.#folders.delete(this.#key(path));
  }
}
