import { type BigIntStats, chmodSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DiskChanged, type DiskFile } from '@notevault/sync/engine/ports.ts';
import { isSameFile } from './entry.ts';
import { linkToFreePath, moveToFreePath } from './file-system.ts';
import type { TempPlace } from './temp-place.ts';
import type { Trash, TrashedFile, TrashReason } from './trash.ts';

type Expected = Omit<TrashedFile, 'since'>;

/**
 * Replaces, removes and moves files in a folder that other programs change at the same time. No system call of Node
 * replaces a file and keeps what it replaced. So a file is first renamed into the temporary place, which takes whatever
 * is there at that moment, and only then looked at: if it is not what was expected, it goes back. Nothing yields in
 * between, so that the file is missing for some microseconds only.
 */
export class FileChanges {
  readonly #root: string;
  readonly #place: TempPlace;
  readonly #trash: Trash;

  constructor(root: string, place: TempPlace, trash: Trash) {
    this.#root = root;
    this.#place = place;
    this.#trash = trash;
  }

  /** Finishes what an earlier run left: a file that was to be replaced goes back, and others go to the trash. */
  async recover(): Promise<void> {
    for (const id of await this.#place.sweep()) {
      const [held, file] = [this.#place.heldPath(id), this.#trash.expected(id)];
      if (file?.reason === 'overwritten' && wasMovedBack(held, join(this.#root, file.path))) continue;
      // A file that was moved has a second name by then.
      if (file === null && lstatSync(held).nlink > 1) rmSync(held);
      else await this.#trash.adopt(held, id);
    }
    this.#trash.expectNone();
  }

  /**
   * Puts a new file in the place of one, which goes to the trash; returns its id there. Throws DiskChanged when it is
   * another one.
   *
   * @param stats of the file that is expected `at` the path
   */
  async replace(temp: string, at: string, file: DiskFile, stats: BigIntStats): Promise<string> {
    chmodSync(temp, Number(stats.mode & 0o7777n));
    const taken = this.#expect(file, 'overwritten');
    const held = this.#place.heldPath(taken.id);
    try {
      this.#take(at, held, file, stats);
      moveToFreePath(temp, at);
    } catch (error) {
      await this.#putBack(held, at, taken);
      throw error;
    }
    await this.#trash.add(held, taken);
    return taken.id;
  }

  /** Moves a file to the trash. Throws DiskChanged when it is another one. @param stats of the expected file */
  async remove(at: string, file: DiskFile, stats: BigIntStats): Promise<void> {
    this.#place.prepare();
    const taken = this.#expect(file, 'deleted');
    const held = this.#place.heldPath(taken.id);
    try {
      this.#take(at, held, file, stats);
    } catch (error) {
      await this.#putBack(held, at, taken);
      throw error;
    }
    await this.#trash.add(held, taken);
  }

  /** Moves a file to a free path, or to another spelling of its own. @param stats of the expected file */
  async move(from: string, to: string, file: DiskFile, stats: BigIntStats): Promise<void> {
    const there = lstatSync(to, { bigint: true, throwIfNoEntry: false });
    const isSpelling = there !== undefined && there.ino === stats.ino && there.dev === stats.dev && stats.nlink === 1n;
    if (isSpelling) return renameSync(from, to);
    this.#place.prepare();
    if (!linkToFreePath(from, to)) return;
    const id = this.#trash.newId();
    const held = this.#place.heldPath(id);
    renameSync(from, held);
    if (lstatSync(held).ino === lstatSync(to, { throwIfNoEntry: false })?.ino) rmSync(held);
    // Another program has put a new file there: it stays, beside the one that moved.
    else await this.#putBack(held, from, { ...this.#fields(file), id, reason: 'overwritten' });
  }

  #fields({ path, size, mtimeMs }: DiskFile): Pick<Expected, 'path' | 'size' | 'mtime'> {
    return { path, size, mtime: mtimeMs / 1000 };
  }

  /** Notes where a file was, for the case of a crash before it is in the trash. */
  #expect(file: DiskFile, reason: TrashReason): Expected {
    const taken = { ...this.#fields(file), id: this.#trash.newId(), reason };
    this.#trash.expect(taken);
    return taken;
  }

  #take(at: string, held: string, file: DiskFile, stats: BigIntStats): void {
    renameSync(at, held);
    const now = lstatSync(held, { bigint: true });
    if (now.ino !== stats.ino || !isSameFile(now, file)) throw new DiskChanged(file.path);
  }

  /** Gives a file its path again, if it was taken; it goes to the trash when something newer is there. */
  async #putBack(held: string, at: string, taken: Expected): Promise<void> {
    const isTaken = lstatSync(held, { throwIfNoEntry: false }) !== undefined;
    if (isTaken && !wasMovedBack(held, at)) await this.#trash.add(held, taken);
    else this.#trash.expectNone(taken.id);
  }
}

function wasMovedBack(held: string, at: string): boolean {
  try {
    moveToFreePath(held, at);
    return true;
  } catch {
    return false;
  }
}
