import { randomBytes } from 'node:crypto';
import { constants, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderGone } from '@notevault/sync/engine/ports.ts';

/** The folder's own hidden place: its marker, and files that are not complete. It is never synced. */
export const OWN_FOLDER = '.notevault';

const NEW = 'new-';
const OLD = 'old-';
const MOVING = 'moving-';
const NOTE = '.json';

/** Folder for temporary files, on the synced folder's file system so that a rename moves them into place. */
export class TempPlace {
  readonly #own: string;
  readonly folder: string;
  readonly #newName: () => string;

  constructor(root: string, newName: () => string = () => randomBytes(12).toString('hex')) {
    this.#newName = newName;
    this.#own = join(root, OWN_FOLDER);
    this.folder = join(this.#own, 'tmp');
  }

  /** Creates it; throws FolderGone where something else has its path. */
  prepare(): void {
    for (const folder of [this.#own, this.folder]) {
      const stats = lstatSync(folder, { throwIfNoEntry: false });
      if (stats === undefined) mkdirSync(folder, { mode: 0o700 });
      else if (!stats.isDirectory())
        throw new FolderGone(`${folder} must be a folder, and is a link or a file: remove it.`);
    }
  }

  /** Opens a new file that no link can lead elsewhere. */
  async create(mode: number): Promise<{ readonly path: string; readonly file: FileHandle }> {
    this.prepare();
    const path = this.newPath();
    const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);
    return { path, file: await open(path, flags, mode) };
  }

  /** Returns a path for a file that is incomplete until it is renamed. */
  newPath(): string {
    return join(this.folder, NEW + this.#newName());
  }

  /** Returns the path of a note of files that exchange their paths, and those where they are in between. */
  newExchange(files: number): { readonly note: string; readonly temps: readonly string[] } {
    const path = join(this.folder, MOVING + this.#newName());
    return { note: path + NOTE, temps: Array.from({ length: files }, (_, at) => `${path}-${at}`) };
  }

  /** Returns the notes of exchanges that were not completed. */
  exchanges(): string[] {
    const names = readdirSync(this.folder).filter((name) => name.startsWith(MOVING) && name.endsWith(NOTE));
    return names.map((name) => join(this.folder, name));
  }

  /** Returns the path of a file on its way to the trash. */
  heldPath(id: string): string {
    return join(this.folder, OLD + id);
  }

  /** Removes incomplete files of earlier runs; returns the ids of those on their way to the trash. */
  async sweep(): Promise<string[]> {
    const names = await readdir(this.folder);
    for (const name of names) if (name.startsWith(NEW)) await rm(join(this.folder, name), { force: true });
    return names.filter((name) => name.startsWith(OLD)).map((name) => name.slice(OLD.length));
  }
}
