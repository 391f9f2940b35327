import { readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DataFolderBusy, lockDataFolder } from '../../data/data-folder.ts';
import { freeBytesOf, makeFolder, once, renameDurably, writeFileDurably } from '../files.ts';
import { BackupError, MANIFEST_FILE, type ObjectKind, type ObjectRef, objectPath } from '../format.ts';
import type { BackupTarget } from './take-backup.ts';

/** The folder of unfinished files, which the next backup removes. */
export const INCOMING = 'incoming';

/** Opens a folder for one backup at a time; it is created if missing. Throws BackupError while another one runs. */
export async function openFolderTarget(folder: string): Promise<BackupTarget> {
  await makeFolder(folder);
  let lock: Disposable;
  try {
    lock = lockDataFolder(folder);
  } catch (error) {
    if (!(error instanceof DataFolderBusy)) throw error;
    throw new BackupError(`Another backup into ${folder} is running: wait for its end.`);
  }
  const scratch = join(folder, INCOMING);
  // Left by a backup that was killed.
  await rm(scratch, { recursive: true, force: true });
  await makeFolder(scratch);
  return new FolderTarget(folder, scratch, lock);
}

class FolderTarget implements BackupTarget {
  readonly scratch: string;
  readonly #folder: string;
  readonly #lock: Disposable;
  readonly #made = new Set<string>();
  #parts = 0;

  constructor(folder: string, scratch: string, lock: Disposable) {
    this.#folder = folder;
    this.scratch = scratch;
    this.#lock = lock;
  }

  async has(kind: ObjectKind, { hash, size }: ObjectRef): Promise<boolean> {
    const found = await stat(join(this.#folder, objectPath(kind, hash))).catch(() => null);
    // Files appear only when they are complete; one of another size was damaged since, and is replaced.
    return found?.isFile() === true && found.size === size;
  }

  async put(kind: ObjectKind, hash: string, bytes: Uint8Array): Promise<void> {
    const object = { hash, size: bytes.length };
    // Compared, not only found: a piece that was damaged since would be one of every later backup.
    const present = (await this.has(kind, object)) ? await this.#read(kind, object) : null;
    if (present?.equals(bytes) === true) return;
    const part = join(this.scratch, `${this.#parts++}.part`);
    await writeFileDurably(part, once(bytes));
    await this.adopt(kind, object, part);
  }

  async adopt(kind: ObjectKind, object: ObjectRef, file: string): Promise<void> {
    const path = join(this.#folder, objectPath(kind, object.hash));
    await this.#makeFolder(dirname(path));
    await renameDurably(file, path);
  }

  async finish(name: string, manifest: string): Promise<void> {
    await makeFolder(join(this.#folder, name));
    const part = join(this.scratch, MANIFEST_FILE);
    await writeFileDurably(part, once(manifest));
    await renameDurably(part, join(this.#folder, name, MANIFEST_FILE));
  }

  freeBytes(): Promise<number> {
    return freeBytesOf(this.#folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.scratch, { recursive: true, force: true });
    this.#lock[Symbol.dispose]();
  }

  /** Returns the bytes of an object; null when the disk cannot read them. */
  #read(kind: ObjectKind, { hash }: ObjectRef): Promise<Buffer | null> {
    return readFile(join(this.#folder, objectPath(kind, hash))).catch(() => null);
  }

  async #makeFolder(folder: string): Promise<void> {
    if (this.#made.has(folder)) return;
    await makeFolder(folder);
    this.#made.add(folder);
  }
}
