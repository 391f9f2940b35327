/** Rules by which a file system compares and stores names. */
export interface DiskRules {
  /** `A.md` and `a.md` are one file: macOS, Windows, iOS. */
  readonly foldsCase: boolean;
  /** Names are kept decomposed, and found in both forms: HFS+. */
  readonly decomposes: boolean;
}

export interface Entry {
  /** Path in the disk's spelling. */
  readonly path: string;
  readonly type: 'file' | 'folder';
  readonly bytes: Uint8Array;
  readonly ctime: number;
  readonly mtime: number;
  /** Until then `stat` tells the size 0. */
  readonly sizeZeroUntil?: number;
}

export interface Times {
  readonly ctime?: number;
  readonly mtime?: number;
}

export interface DiskEvent {
  readonly kind: 'write' | 'remove' | 'rename';
  readonly path: string;
  readonly oldPath?: string;
  /** The app that did it; null for another program. */
  readonly by: unknown;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** By key. A file system does not look at all files to list one folder. */
class Entries extends Map<string, Entry> {
  readonly #keysIn = new Map<string, Set<string>>();

  override set(key: string, entry: Entry): this {
    const keys = this.#keysIn.get(parentOf(key)) ?? new Set();
    this.#keysIn.set(parentOf(key), keys.add(key));
    return super.set(key, entry);
  }

  override delete(key: string): boolean {
    this.#keysIn.get(parentOf(key))?.delete(key);
    return super.delete(key);
  }

  directlyIn(folder: string): Entry[] {
    return [...(this.#keysIn.get(folder) ?? [])].flatMap((key) => this.get(key) ?? []);
  }
}

/** The files of a device, as its file system has them. Every call is atomic; who writes is not its business. */
export class Disk {
  readonly rules: DiskRules;
  readonly #now: () => number;
  readonly #entries = new Entries();
  readonly #watchers = new Set<(event: DiskEvent) => void>();
  /** Called after each change, so that a page can store what must outlive it. */
  onChanged: () => void = () => undefined;

  constructor(rules: DiskRules, now: () => number, saved?: string) {
    this.rules = rules;
    this.#now = now;
    for (const { bytes, ...entry } of saved === undefined ? [] : (JSON.parse(saved) as (Entry & { bytes: number[] })[]))
      this.#entries.set(this.#key(entry.path), { ...entry, bytes: Uint8Array.from(bytes) });
  }

  /** Serialised contents, from which another process can create the same disk. */
  get saved(): string {
    return JSON.stringify([...this.#entries.values()].map((entry) => ({ ...entry, bytes: [...entry.bytes] })));
  }

  watch(watcher: (event: DiskEvent) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  get(path: string): Entry | undefined {
    return this.#entries.get(this.#key(path));
  }

  /** Lists the entries of a folder in the order of their creation. */
  list(folder: string): Entry[] {
    return this.#entries.directlyIn(this.#key(folder));
  }

  text(path: string): string | null {
    const entry = this.get(path);
    return entry?.type === 'file' ? decoder.decode(entry.bytes) : null;
  }

  /** Writes a file. @param times whole milliseconds: fractions end the app on Android (livesync#1087) */
  write(path: string, data: string | Uint8Array, times: Times = {}, by: unknown = null): Entry {
    for (const time of [times.ctime, times.mtime]) {
      if (time !== undefined && !Number.isInteger(time)) throw new TypeError(`a time in fractions: ${time}`);
    }
    const before = this.get(path);
    if (before?.type === 'folder') throw new Error(`EISDIR: ${path}`);
    if (parentOf(path) !== '' && this.get(parentOf(path))?.type !== 'folder') throw new Error(`ENOENT: ${path}`);
    const bytes = typeof data === 'string' ? encoder.encode(data) : data.slice();
    const ctime = times.ctime ?? before?.ctime ?? this.#now();
    const entry = {
      path: before?.path ?? this.#kept(path),
      type: 'file' as const,
      bytes,
      ctime,
      mtime: times.mtime ?? this.#now(),
    };
    this.#entries.set(this.#key(path), entry);
    this.#announce({ kind: 'write', path: entry.path, by });
    return entry;
  }

  /** Makes a file report size 0 for a minute. */
  hideSize(path: string): void {
    const entry = this.get(path);
    if (entry === undefined) return;
    this.#entries.set(this.#key(path), { ...entry, sizeZeroUntil: this.#now() + 60_000 });
  }

  makeFolder(path: string, by: unknown = null): void {
    if (this.get(path) !== undefined) throw new Error(`EEXIST: ${path}`);
    const now = this.#now();
    const entry = { path: this.#kept(path), type: 'folder' as const, bytes: new Uint8Array(), ctime: now, mtime: now };
    this.#entries.set(this.#key(path), entry);
    this.#announce({ kind: 'write', path: entry.path, by });
  }

  /** Removes a file, or a folder with all that is in it. */
  remove(path: string, by: unknown = null): void {
    const entry = this.get(path);
    if (entry === undefined) throw new Error(`ENOENT: ${path}`);
    for (const key of [...this.#entries.keys()]) if (key.startsWith(`${this.#key(path)}/`)) this.#entries.delete(key);
    this.#entries.delete(this.#key(path));
    this.#announce({ kind: 'remove', path: entry.path, by });
  }

  rename(from: string, to: string, by: unknown = null): void {
    const entry = this.get(from);
    if (entry === undefined) throw new Error(`ENOENT: ${from}`);
    const there = this.get(to);
    // Another spelling of the same name is no other file where names are folded.
    if (there !== undefined && this.#key(from) !== this.#key(to)) throw new Error(`EEXIST: ${to}`);
    const prefix = `${this.#key(from)}/`;
    const within = [...this.#entries].filter(([key]) => key.startsWith(prefix));
    for (const [key] of [[this.#key(from)], ...within]) this.#entries.delete(key as string);
    this.#entries.set(this.#key(to), { ...entry, path: this.#kept(to) });
    for (const [key, child] of within) {
      const path = this.#kept(`${to}/${child.path.slice(entry.path.length + 1)}`);
      this.#entries.set(`${this.#key(to)}/${key.slice(prefix.length)}`, { ...child, path });
    }
    this.#announce({ kind: 'rename', path: this.#kept(to), oldPath: entry.path, by });
  }

  #key(path: string): string {
    const form = this.rules.decomposes ? path.normalize('NFC') : path;
    return this.rules.foldsCase ? form.toLowerCase() : form;
  }

  #kept(path: string): string {
    return this.rules.decomposes ? path.normalize('NFD') : path;
  }

  #announce(event: DiskEvent): void {
    this.onChanged();
    for (const watcher of [...this.#watchers]) watcher(event);
  }
}

export function parentOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}
