import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderGone } from '@notevault/sync/engine/ports.ts';
import type { Setting } from '@notevault/sync/rules/settings-files.ts';
import { DISK_FAULTS } from '../disk/disk-errors.ts';

/** A folder that this machine syncs. */
export interface FolderRecord {
  readonly folderId: string;
  /** Path of the folder; empty if another folder is there now. */
  readonly root: string;
  readonly url: string;
  readonly vaultId: string;
  readonly vaultName: string;
  readonly settings: readonly Setting[];
  /** Whether the user paused syncing. */
  readonly isPaused: boolean;
}

const NAME = 'folder.json';

/** Folders that this machine syncs, each with a folder for its state. */
export class FolderRegistry {
  readonly #folder: string;

  /** @param stateFolder the user's folder for program state */
  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, 'sync');
  }

  /** Returns the folder that stores a synced folder's state. */
  stateOf({ folderId }: Pick<FolderRecord, 'folderId'>): string {
    return join(this.#folder, folderId);
  }

  async all(): Promise<FolderRecord[]> {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const records = await Promise.all(names.map((name) => this.#read(name)));
    return records.filter((record) => record !== null);
  }

  async #read(folderId: string): Promise<FolderRecord | null> {
    try {
      return JSON.parse(await readFile(join(this.#folder, folderId, NAME), 'utf8')) as FolderRecord;
    } catch (error) {
      // Its first sync was interrupted before the record was written.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  async save(record: FolderRecord): Promise<void> {
    const place = this.stateOf(record);
    await mkdir(place, { recursive: true, mode: 0o700 });
    await replaceFile(join(place, NAME), `${JSON.stringify(record, null, 2)}\n`);
  }
}

/** Replaces a file durably and atomically; only its owner can read it. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temp = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(temp, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temp, path);
  } catch (error) {
    // Repeated starts on a full disk would otherwise leave one temporary file each.
    await rm(temp, { force: true });
    const fault = DISK_FAULTS[(error as NodeJS.ErrnoException).code ?? ''];
    if (fault === undefined) throw error;
    throw new FolderGone(`${path} cannot be written: ${fault}.`, { cause: error });
  }
}
