import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderGone } from '@notevault/sync/engine/ports.ts';
import type { Setting } from '@notevault/sync/rules/settings-files.ts';
import { DISK_FAULTS } from '../disk/disk-errors.ts';

/** A folder that this machine syncs. */
export interface FolderRecord {
  readonly folderId: string;
  /** Where the folder is; empty when another one is there now. */
  readonly root: string;
  readonly url: string;
  readonly vaultId: string;
  readonly vaultName: string;
  readonly settings: readonly Setting[];
  /** Whether the user stopped syncing for now. */
  readonly isPaused: boolean;
}

const NAME = 'folder.json';

/** The folders that this machine syncs, each with a place for its state. */
export class FolderRegistry {
  readonly #folder: string;

  /** @param stateFolder where this user's programs keep state. */
  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, 'sync');
  }

  /** The place of a folder's state. */
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
      // Its first sync was stopped before it was known.
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

/** Replaces a file that only its owner can read, durably and as a whole. */
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
    // A program that is started again and again on a full disk would leave one each time.
    await rm(temp, { force: true });
    const fault = DISK_FAULTS[(error as NodeJS.ErrnoException).code ?? ''];
    if (fault === undefined) throw error;
    throw new FolderGone(`${path} cannot be written: ${fault}.`, { cause: error });
  }
}
