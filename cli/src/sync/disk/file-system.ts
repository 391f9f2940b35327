import { constants, linkSync, lstatSync, renameSync, unlinkSync } from 'node:fs';
import { type FileHandle, open, rm, statfs } from 'node:fs/promises';
import { DiskChanged, FolderGone } from '@notevault/sync/engine/ports.ts';
import type { TempPlace } from './temp-place.ts';

/** Returns whether the file system has birth times: where it has none, the time of the last change is shown instead. */
export async function hasBirthTimes(place: TempPlace): Promise<boolean> {
  const { path, file } = await place.create(0o600);
  try {
    const before = await file.stat({ bigint: true });
    for (let tries = 0; tries < 50; tries++) {
      await file.chmod(tries % 2 === 0 ? 0o644 : 0o600);
      const after = await file.stat({ bigint: true });
      if (after.ctimeNs !== before.ctimeNs) return after.birthtimeNs === before.birthtimeNs && before.birthtimeNs > 0n;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return false;
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

/**
 * Gives a file a second name, which nothing has. A link fails where something is, while a rename would replace it. Where
 * the file system has no links, the file is moved. Returns whether it has both names.
 */
export function linkToFreePath(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (!hasNoLinks(error)) throw error;
    if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) throw new DiskChanged(to);
    renameSync(from, to);
    return false;
  }
}

/** Moves a file to an unused path. */
export function moveToFreePath(from: string, to: string): void {
  if (linkToFreePath(from, to)) unlinkSync(from);
}

function hasNoLinks(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Makes the entries of a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders; there, the file system orders the changes by itself.
  if (process.platform === 'win32') return;
  let handle: FileHandle;
  try {
    handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch (error) {
    // It was removed or moved since: its parent is flushed for that.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return;
    throw error;
  }
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Share of a disk that syncing leaves free. */
const FREE_SHARE = 0.01;

const ROOM_MS = 1000;

/** Keeps a part of the disk free. It asks the system once a second, and counts what is written meanwhile. */
export class FreeRoom {
  readonly #folder: string;
  #left = 0;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Throws FolderGone unless a file of this size fits. */
  async require(size: number): Promise<void> {
    if (performance.now() - this.#askedAt > ROOM_MS || this.#left < size) {
      const { bavail, blocks, bsize } = await statfs(this.#folder);
      this.#left = bavail * bsize - blocks * bsize * FREE_SHARE;
      this.#askedAt = performance.now();
    }
    this.#left -= size;
    if (this.#left < 0) throw new FolderGone('Nothing is written: less than 1 % of the disk would be free. Make room.');
  }
}
