import { MB } from '@notevault/protocol/values/byte-units.ts';
import { wholeOf } from '@notevault/sync/engine/file-contents.ts';
import {
  DiskChanged,
  type DiskFile,
  DiskRefused,
  type Expected,
  type FileContent,
} from '@notevault/sync/engine/ports.ts';
import { kindOf } from '@notevault/sync/plan/trees.ts';
import type { App } from 'obsidian';
import { reason } from '../texts/reasons/en.ts';
import type { FileFacts } from './file-facts.ts';
import { type KeptCopies, ownBuffer } from './kept-copies.ts';
import type { VaultFiles } from './vault-files.ts';
import { isHidden, type VaultListing } from './vault-listing.ts';
import type { WriteJournal } from './write-journal.ts';

export interface FileWriterOptions {
  readonly app: App;
  readonly facts: FileFacts;
  readonly files: VaultFiles;
  readonly journal: WriteJournal;
  readonly kept: KeptCopies;
  readonly listing: VaultListing;
  /** Whether a view shows a file, so that it has to stay the same to the app. */
  readonly isOpen: (path: string) => boolean;
  /** Throws DiskRefused while something holds a file that is not on the disk yet, such as an editor. */
  readonly requireFree: (path: string) => void;
  /** Returns an unused file name. */
  readonly newName: () => string;
}

/** Size above which a file is written in chunks, in bytes. */
const WHOLE_BYTES = 4 * MB;
const PIECE_BYTES = MB;
const WRITES_MAX = 3;

/** Writes files into the vault, and reads them back. What they replace is kept as a copy. */
export class FileWriter {
  readonly #options: FileWriterOptions;
  readonly #app: App;
  readonly #facts: FileFacts;
  readonly #files: VaultFiles;
  readonly #journal: WriteJournal;
  readonly #kept: KeptCopies;
  readonly #listing: VaultListing;

  constructor(options: FileWriterOptions) {
    this.#options = options;
    this.#app = options.app;
    this.#facts = options.facts;
    this.#files = options.files;
    this.#journal = options.journal;
    this.#kept = options.kept;
    this.#listing = options.listing;
  }

  /** See Disk.write. Call for one path after the other only. */
  async write(path: string, content: FileContent, over: Expected): Promise<DiskFile> {
    const isLong = content.size === null || content.size > WHOLE_BYTES;
    if (isLong && kindOf(path) === 'attachment') return this.#writeLong(path, content, over);
    const bytes = await wholeOf(content.bytes);
    return this.#writeWhole(path, { bytes, mtime: Math.round(content.mtime * 1000) }, over);
  }

  async #writeWhole(path: string, next: { bytes: Uint8Array; mtime: number }, over: Expected): Promise<DiskFile> {
    const at = this.#listing.onDisk(path);
    this.#options.requireFree(path);
    if (over !== null && kindOf(path) === 'attachment' && !this.#options.isOpen(path)) {
      const taken = await this.#takeAway(over);
      try {
        return await this.#writeWhole(path, next, null);
      } catch (error) {
        if (await this.#files.isFree(path)) await this.#app.vault.adapter.rename(taken, at);
        throw error;
      }
    }
    const old = over === null ? null : await this.#files.expected(over);
    if (old === null && !(await this.#files.isFree(path))) throw new DiskChanged(path);
    const kept = old === null ? null : await this.#kept.keep(path, old);
    if (old === null) await this.#files.makeParents(path);
    // The app replaces bytes without looking at those that are there.
    if (over !== null) await this.#files.requireListed(over);
    this.#journal.begin({ path, size: next.bytes.length, kept });
    try {
      for (let tries = 1; ; tries++) {
        await this.#put(path, next, old, tries > 1);
        // First the time: what somebody writes after the bytes were read must not be taken for them.
        const stat = await this.#app.vault.adapter.stat(at).catch(() => null);
        const there = await this.#app.vault.adapter.readBinary(at).catch(() => null);
        const isThere = there !== null && isEqual(new Uint8Array(there), next.bytes);
        if (isThere) return this.#files.given(path, next.bytes.length, stat?.mtime ?? next.mtime);
        // Somebody has written to it since: then it is listed as another one.
        const isOld = there === null || there.byteLength === 0 || (old !== null && isEqual(new Uint8Array(there), old));
        if (!isOld) return this.#files.shown(path, next.bytes.length, next.mtime);
        if (tries === WRITES_MAX) throw new DiskRefused(reason('otherBytes'));
      }
    } finally {
      this.#journal.end(path);
    }
  }

  /** Writes through the app if it knows the file, so that open editors are updated. */
  async #put(
    path: string,
    { bytes, mtime }: { bytes: Uint8Array; mtime: number },
    old: Uint8Array | null,
    isAgain: boolean,
  ): Promise<void> {
    const { vault } = this.#app;
    const file = vault.getFileByPath(path);
    this.#facts.proved(path, mtime, bytes.length);
    if (file === null) {
      // What was written before may be there, and unknown to the app.
      const isFree = old === null && !isHidden(path) && !(isAgain && (await vault.adapter.exists(path)));
      if (isFree) {
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
    const temp = await this.#kept.tempPlace(this.#options.newName());
    try {
      const length = await this.#append(temp, bytes, Math.round(mtime * 1000));
      const stat = await adapter.stat(temp);
      const told = stat?.size ?? 0;
      // Where the system tells nothing, only reading does.
      if (told !== length && (await adapter.readBinary(temp)).byteLength !== length)
        throw new DiskRefused(reason('otherBytes'));
      if (size !== null && length !== size) throw new DiskRefused(reason('otherSize'));
      if (over === null && !(await this.#files.isFree(path))) throw new DiskChanged(path);
      await this.#files.makeParents(path);
      if (over !== null) await this.#takeAway(over);
      await adapter.rename(temp, path);
      // Somebody may write to it as soon as it has its name.
      return this.#files.given(path, length, stat?.mtime ?? Math.round(mtime * 1000));
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

  /**
   * Moves a file that is to be replaced to the kept copies: whatever is there at that moment goes with it, and comes back
   * if it is not the listed one. Returns where it is.
   */
  async #takeAway(file: DiskFile): Promise<string> {
    const { adapter } = this.#app.vault;
    const [from, taken] = [this.#listing.onDisk(file.path), await this.#kept.place(file.path)];
    await this.#files.requireListed(file);
    await adapter.rename(from, taken);
    const stat = await adapter.stat(taken);
    if (stat?.mtime === file.mtimeMs && (stat.size === file.size || stat.size === 0)) return taken;
    if (await this.#files.isFree(file.path)) await adapter.rename(taken, from);
    throw new DiskChanged(file.path);
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

/** Returns the text as the app reads it; null where a text and its bytes are not one to one. */
function textOf(bytes: Uint8Array): string | null {
  try {
    const text = utf8.decode(bytes);
    return text.startsWith('\ufeff') ? null : text;
  } catch {
    return null;
  }
}
