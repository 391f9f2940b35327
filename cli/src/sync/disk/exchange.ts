import {
  type BigIntStats,
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DiskChanged, type DiskFile, DiskRefused } from '@notevault/sync/engine/ports.ts';
import { LITTER } from '@notevault/sync/rules/ignore-rules.ts';
import { reason } from '@notevault/sync/rules/reasons.ts';
import { isSameFile } from './entry.ts';
import { moveToFreePath, syncFolder } from './file-system.ts';
import { makeParents, requireRealParents } from './real-parents.ts';
import type { TempPlace } from './temp-place.ts';
import type { Trash } from './trash.ts';

/** A file that gets another path. @property from @property to as the disk spells them @property stats as expected */
export interface ExchangedFile {
  readonly from: string;
  readonly to: string;
  readonly file: DiskFile;
  readonly stats: BigIntStats;
}

/** A file of an exchange. @property temp its path between the old and the new one */
interface NotedFile {
  readonly from: string;
  readonly to: string;
  readonly temp: string;
  readonly ino: string;
}

/**
 * Exchanges the paths of files. All of them first go to the temporary place, which is never listed, and from there to their
 * new paths. A note of them is on the disk before the first one moves, so that the next start undoes an exchange that
 * was interrupted at any step.
 */
export class Exchange {
  readonly #root: string;
  readonly #place: TempPlace;
  readonly #trash: Trash;

  constructor(root: string, place: TempPlace, trash: Trash) {
    this.#root = root;
    this.#place = place;
    this.#trash = trash;
  }

  /** Undoes the exchanges that earlier runs have not completed. */
  async recover(): Promise<void> {
    for (const note of this.#place.exchanges()) {
      const files = JSON.parse(readFileSync(note, 'utf8')) as readonly NotedFile[];
      await this.#undo(files);
      rmSync(note);
    }
  }

  /**
   * Exchanges the names of files, and returns the folders that it created. If a file has changed or a path is taken,
   * undoes all moves and throws DiskChanged.
   */
  async run(files: readonly ExchangedFile[]): Promise<string[]> {
    this.#place.prepare();
    const { note, temps } = this.#place.newExchange(files.length);
    const noted = files.map(({ from, to, stats }, at) => ({ from, to, temp: temps[at] ?? '', ino: `${stats.ino}` }));
    this.#write(note, noted);
    await syncFolder(this.#place.folder);
    const made: string[] = [];
    try {
      // Nothing yields from here on, so that the files are missing for a moment only.
      for (const [at, { from, file, stats }] of files.entries()) this.#take(from, temps[at] ?? '', file, stats);
      for (const [at, { to }] of files.entries()) made.push(...this.#give(temps[at] ?? '', to));
    } catch (error) {
      await this.#undo(noted);
      rmSync(note);
      throw error;
    }
    rmSync(note);
    return made;
  }

  #write(note: string, files: readonly NotedFile[]): void {
    const incomplete = this.#place.newPath();
    const file = openSync(incomplete, 'wx', 0o600);
    try {
      writeSync(file, JSON.stringify(files));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(incomplete, note);
  }

  #take(from: string, temp: string, file: DiskFile, stats: BigIntStats): void {
    requireRealParents(this.#root, from);
    renameSync(join(this.#root, from), temp);
    const now = lstatSync(temp, { bigint: true });
    if (now.ino !== stats.ino || !isSameFile(now, file)) throw new DiskChanged(file.path);
  }

  /** Returns the folders that it has made for the file. */
  #give(temp: string, to: string): string[] {
    const at = join(this.#root, to);
    const made = makeParents(this.#root, to);
    requireRealParents(this.#root, to);
    if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory()) removeEmptyFolders(at);
    moveToFreePath(temp, at);
    return made;
  }

  /** Gives the files their former paths. One whose path is taken meanwhile keeps the new one, or goes to the trash. */
  async #undo(files: readonly NotedFile[]): Promise<void> {
    const isAt = (path: string, ino: string) => `${statsOf(join(this.#root, path))?.ino}` === ino;
    for (const { to, temp, ino } of files) {
      if (!isAt(to, ino)) continue;
      // A file that was moving may have both names.
      if (statsOf(temp) === undefined) renameSync(join(this.#root, to), temp);
      else unlinkSync(join(this.#root, to));
    }
    for (const { from, to, temp, ino } of files) {
      if (statsOf(temp) === undefined) continue;
      if (isAt(from, ino)) unlinkSync(temp);
      else if (!this.#wasGiven(temp, from) && !this.#wasGiven(temp, to))
        await this.#trash.adopt(temp, this.#trash.newId());
    }
  }

  #wasGiven(temp: string, to: string): boolean {
    try {
      this.#give(temp, to);
      return true;
    } catch {
      return false;
    }
  }
}

function statsOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A folder on the way is a file now.
    return undefined;
  }
}

/** Removes a folder that has only empty folders; throws DiskRefused for one with files, which are not synced. */
function removeEmptyFolders(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const at = join(folder, entry.name);
    if (entry.isDirectory()) removeEmptyFolders(at);
    else if (LITTER.has(entry.name)) unlinkSync(at);
    else throw new DiskRefused(reason('folderStays'));
  }
  rmdirSync(folder);
}
