import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { Folder } from './process.ts';

/** Writes zeros until the disk is full; returns how many bytes. */
function writeUntilRefused(file: number): number {
  const block = Buffer.alloc(64 * 1024);
  for (let size = 0; ; ) {
    try {
      size += writeSync(file, block);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return size;
      throw error;
    }
  }
}

/** A disk of its own, of some megabytes. */
export class SmallDisk implements Disposable {
  readonly #folder = new Folder();
  readonly path: string;

  private constructor() {
    this.path = this.#folder.at('disk');
    mkdirSync(this.path);
  }

  /** Says why no disk can be mounted here, for a test to be skipped; false if one can. @param what is not tested then */
  static isMissing(what: string): string | false {
    try {
      SmallDisk.mount(1)[Symbol.dispose]();
      return false;
    } catch (error) {
      process.stderr.write(`NOT TESTED: ${what}: ${(error as Error).message}\n`);
      return (error as Error).message;
    }
  }

  static mount(sizeMb: number): SmallDisk {
    const disk = new SmallDisk();
    const args = ['-t', 'tmpfs', '-o', `size=${sizeMb}m,mode=0700`, 'tmpfs', disk.path];
    const { status, stderr, error } = spawnSync('mount', args, { encoding: 'utf8' });
    if (status === 0) return disk;
    disk.#folder[Symbol.dispose]();
    throw new Error(`no disk of its own can be mounted here: ${error?.message ?? stderr.trim()}`);
  }

  /** Writes a file that leaves only this many bytes, whatever others write at the same time. */
  fill(file: string, leave: number): void {
    const ballast = openSync(file, 'w', 0o600);
    try {
      const size = writeUntilRefused(ballast);
      ftruncateSync(ballast, Math.max(0, size - leave));
    } finally {
      closeSync(ballast);
    }
  }

  [Symbol.dispose](): void {
    spawnSync('umount', [this.path]);
    this.#folder[Symbol.dispose]();
  }
}
