import { fileName, folderOf } from '@notevault/note-text/paths.ts';
import { copiesByFile, expiredCopies, KEPT_PER_FILE, type Kept } from '@notevault/sync/rules/kept-copies.ts';
import type { DataAdapter } from 'obsidian';

/** The plugin’s own folder in the vault. Hidden, so neither the app nor the folder sync of a machine looks into it. */
export const OWN_FOLDER = '.notevault';
const KEPT = `${OWN_FOLDER}/kept`;
const TEMP = `${OWN_FOLDER}/tmp`;

/** A file of the vault as it was before sync replaced or deleted it. */
export interface KeptCopy extends Kept {
  /** Path of the copy. */
  readonly at: string;
}

/** Copies of what sync replaces and deletes, each in a folder of its own that is named by its time. */
export class KeptCopies {
  readonly #adapter: DataAdapter;
  readonly #now: () => number;
  #last = 0;
  /** Copies of the last listing, and those made since. */
  #known: Map<string, KeptCopy[]> = new Map();

  constructor(adapter: DataAdapter, now: () => number = () => Date.now()) {
    this.#adapter = adapter;
    this.#now = now;
  }

  /** Returns a new place for a copy of a path. */
  async place(path: string): Promise<string> {
    this.#last = Math.max(this.#now(), this.#last + 1);
    const at = `${KEPT}/${this.#last}/${path}`;
    await this.#adapter.mkdir(folderOf(at));
    const copies = [...(this.#known.get(path) ?? []), { path, at, since: this.#last }];
    this.#known.set(path, copies);
    if (copies.length > KEPT_PER_FILE) for (const copy of expiredCopies(copies, this.#now())) await this.forget(copy);
    return at;
  }

  /** Copies bytes; resolves to where the copy is. */
  async keep(path: string, bytes: Uint8Array): Promise<string> {
    const at = await this.place(path);
    await this.#adapter.writeBinary(at, ownBuffer(bytes));
    return at;
  }

  /** Returns a new place for a file that is not whole yet. */
  async tempPlace(name: string): Promise<string> {
    await this.#adapter.mkdir(TEMP);
    return `${TEMP}/${name}`;
  }

  /** Returns the copies, the newest first. */
  async list(): Promise<KeptCopy[]> {
    const copies: KeptCopy[] = [];
    for (const folder of await this.#stamps()) {
      const since = Number(fileName(folder));
      await this.#walk(folder, (at) => copies.push({ path: at.slice(folder.length + 1), at, since }));
    }
    this.#known = copiesByFile(copies);
    return copies.sort((a, b) => b.since - a.since);
  }

  async forget({ path, at }: KeptCopy): Promise<void> {
    if (await this.#adapter.exists(at)) await this.#adapter.rmdir(at.slice(0, -path.length - 1), true);
    this.#known.set(path, this.#known.get(path)?.filter((copy) => copy.at !== at) ?? []);
  }

  /** Removes expired copies, and leftovers of an earlier run. */
  async tidy(): Promise<void> {
    if (await this.#adapter.exists(TEMP)) await this.#adapter.rmdir(TEMP, true);
    for (const copy of expiredCopies(await this.list(), this.#now())) await this.forget(copy);
  }

  async #stamps(): Promise<string[]> {
    if (!(await this.#adapter.exists(KEPT))) return [];
    return (await this.#adapter.list(KEPT)).folders.filter((folder) => /^\d+$/.test(fileName(folder)));
  }

  async #walk(folder: string, found: (at: string) => void): Promise<void> {
    const { files, folders } = await this.#adapter.list(folder);
    for (const file of files) found(file);
    for (const inner of folders) await this.#walk(inner, found);
  }
}

/** Returns the bytes as a buffer of their own, as the app takes them. */
export function ownBuffer(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer.byteLength === bytes.byteLength && bytes.buffer instanceof ArrayBuffer
    ? bytes.buffer
    : bytes.slice().buffer;
}
