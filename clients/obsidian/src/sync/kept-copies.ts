import { fileName, folderOf } from '@notevault/note-text/paths.ts';
import type { DataAdapter } from 'obsidian';

/** The plugin’s own folder in the vault. Hidden, so neither the app nor the folder sync of a machine looks into it. */
export const OWN_FOLDER = '.notevault';
const KEPT = `${OWN_FOLDER}/kept`;
const TEMP = `${OWN_FOLDER}/tmp`;
const DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A file of the vault as it was before sync replaced or deleted it. */
export interface KeptCopy {
  /** The path that it had in the vault. */
  readonly path: string;
  /** Where the copy is. */
  readonly at: string;
  /** Epoch milliseconds. */
  readonly since: number;
}

/** Copies of what sync replaces and deletes, for thirty days. */
export class KeptCopies {
  readonly #adapter: DataAdapter;
  readonly #now: () => number;
  #last = 0;

  constructor(adapter: DataAdapter, now: () => number = () => Date.now()) {
    this.#adapter = adapter;
    this.#now = now;
  }

  /** A new place for a copy of a path. */
  async place(path: string): Promise<string> {
    this.#last = Math.max(this.#now(), this.#last + 1);
    const at = `${KEPT}/${this.#last}/${path}`;
    await this.#adapter.mkdir(folderOf(at));
    return at;
  }

  /** Copies bytes; resolves to where the copy is. */
  async keep(path: string, bytes: Uint8Array): Promise<string> {
    const at = await this.place(path);
    await this.#adapter.writeBinary(at, ownBuffer(bytes));
    return at;
  }

  /** A new place for a file that is not whole yet. */
  async tempPlace(name: string): Promise<string> {
    await this.#adapter.mkdir(TEMP);
    return `${TEMP}/${name}`;
  }

  /** The copies, the newest first. */
  async list(): Promise<KeptCopy[]> {
    const copies: KeptCopy[] = [];
    for (const folder of await this.#stamps()) {
      const since = Number(fileName(folder));
      await this.#walk(folder, (at) => copies.push({ path: at.slice(folder.length + 1), at, since }));
    }
    return copies.sort((a, b) => b.since - a.since);
  }

  async forget({ at }: KeptCopy): Promise<void> {
    if (await this.#adapter.exists(at)) await this.#adapter.remove(at);
  }

  /** Removes what is older than thirty days, and what an earlier run left behind. */
  async tidy(): Promise<void> {
    if (await this.#adapter.exists(TEMP)) await this.#adapter.rmdir(TEMP, true);
    for (const folder of await this.#stamps())
      if (this.#now() - Number(fileName(folder)) > DAYS * DAY_MS) await this.#adapter.rmdir(folder, true);
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

/** The bytes as a buffer of their own, as the app takes them. */
export function ownBuffer(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer.byteLength === bytes.byteLength && bytes.buffer instanceof ArrayBuffer
    ? bytes.buffer
    : bytes.slice().buffer;
}
