import { type BigIntStats, closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskChanged, type DiskFile, DiskRefused, FolderGone } from '@notevault/sync/engine/ports.ts';
import { isAlike } from '@notevault/sync/engine/sync-state.ts';
import type { DiskNames } from './disk-names.ts';
import { diskFile } from './entry.ts';
import { requireRealParents } from './real-parents.ts';

const PIECE_BYTES = 1 << 20;
const SMALL_BYTES = 64 * 1024;
// A pipe in the place of the file would block.
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads files of a folder as they were listed; a file that is another one by now, or changes meanwhile, is not read. */
export class FileReader {
  readonly #root: string;
  readonly #names: DiskNames;
  readonly #hasFileIds: boolean;

  constructor(root: string, names: DiskNames, hasFileIds: boolean) {
    this.#root = root;
    this.#names = names;
    this.#hasFileIds = hasFileIds;
  }

  async readBytes(file: DiskFile): Promise<Uint8Array | null> {
    return file.size <= SMALL_BYTES ? this.#readSmall(file) : this.#reading(file, (handle) => handle.readFile());
  }

  async *read(file: DiskFile): AsyncIterable<Uint8Array> {
    await using handle = await this.#open(file);
    if (handle === null || !(await this.#isAsListed(handle, file))) throw new DiskChanged(file.path);
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(PIECE_BYTES));
      if (bytesRead === 0) break;
      yield buffer.subarray(0, bytesRead);
    }
    if (!(await this.#isAsListed(handle, file))) throw new DiskChanged(file.path);
  }

  /** Reads a file without yielding, which takes a tenth of the time. */
  #readSmall(file: DiskFile): Uint8Array | null {
    const path = this.#names.spelled(file.path);
    let descriptor: number | null = null;
    try {
      requireRealParents(this.#root, path);
      descriptor = openSync(join(this.#root, path), READ_FLAGS);
      const before = fstatSync(descriptor, { bigint: true });
      if (!this.#isListed(before, file)) return null;
      const bytes = readFileSync(descriptor);
      return this.#isListed(fstatSync(descriptor, { bigint: true }), file) ? bytes : null;
    } catch (error) {
      return unreadable(file, error);
    } finally {
      if (descriptor !== null) closeSync(descriptor);
    }
  }

  async #reading<Result>(file: DiskFile, read: (handle: FileHandle) => Promise<Result>): Promise<Result | null> {
    await using handle = await this.#open(file);
    if (handle === null || !(await this.#isAsListed(handle, file))) return null;
    const result = await read(handle);
    return (await this.#isAsListed(handle, file)) ? result : null;
  }

  async #open(file: DiskFile): Promise<FileHandle | null> {
    const path = this.#names.spelled(file.path);
    try {
      requireRealParents(this.#root, path);
      return await open(join(this.#root, path), READ_FLAGS);
    } catch (error) {
      return unreadable(file, error);
    }
  }

  async #isAsListed(handle: FileHandle, file: DiskFile): Promise<boolean> {
    return this.#isListed(await handle.stat({ bigint: true }), file);
  }

  #isListed(stats: BigIntStats, file: DiskFile): boolean {
    return stats.isFile() && isAlike(diskFile(file.path, stats, this.#hasFileIds), file);
  }
}

/** Returns null for a file that is not as listed; throws the error of the port for one that cannot be read. */
function unreadable(file: DiskFile, error: unknown): null {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (error instanceof DiskChanged || error instanceof DiskRefused || ['ENOENT', 'ELOOP'].includes(code)) return null;
  if (['EACCES', 'EPERM'].includes(code))
    throw new DiskRefused('cannot be read by this user', { cause: error, isDenied: true });
  throw new FolderGone(`${file.path} cannot be read: ${message}`, { cause: error });
}
