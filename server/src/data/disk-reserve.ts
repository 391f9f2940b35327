import { randomBytes } from 'node:crypto';
import { open, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { freeBytesOf } from '../backup/files.ts';
import type { DiskReserve } from '../telemetry/storage-state.ts';

/** Name of the reserve file in the data folder. */
export const RESERVE_FILE = 'reserve';
/** Size of the reserve in bytes: enough to copy the longest log into the database, after which the log is reused. */
const RESERVE_BYTES = 16 * MB;
/** Minimum free bytes: a disk with less counts as full, because opening the database needs some. */
const LEAST_BYTES = 4 * MB;

/**
 * A file in the data folder that takes up room on its disk. On a full disk it is emptied, so that people can sign in and
 * delete; all other writes are refused until the disk has room for it again. An empty file shows that it was given back,
 * also after a restart; a disk that never had room for it is used without.
 */
export class ReserveFile implements DiskReserve {
  readonly #folder: string;
  readonly #file: string;
  #bytes: number | null;
  #emptying: Promise<void> | undefined;
  #isFull = false;

  private constructor(folder: string, file: string, bytes: number | null) {
    this.#folder = folder;
    this.#file = file;
    this.#bytes = bytes;
  }

  /** Takes the room, or gives it back on a full disk: call it before the database is opened. */
  static async open(folder: string): Promise<ReserveFile> {
    const file = join(folder, RESERVE_FILE);
    const bytes = await stat(file).then(
      ({ size }) => size,
      () => null,
    );
    const reserve = new ReserveFile(folder, file, bytes);
    reserve.#isFull = !(await reserve.take());
    if (reserve.#isFull) await reserve.release();
    return reserve;
  }

  /** Whether the disk was full when the file was opened. */
  get isFull(): boolean {
    return this.#isFull;
  }

  async take(): Promise<boolean> {
    const free = await freeBytesOf(this.#folder);
    if (this.#bytes === RESERVE_BYTES) return free >= LEAST_BYTES;
    if (free >= RESERVE_BYTES + LEAST_BYTES) return await this.#write();
    return this.#bytes === null && free >= LEAST_BYTES;
  }

  async release(): Promise<void> {
    if (this.#bytes !== null && this.#bytes > 0) {
      this.#bytes = 0;
      this.#emptying = truncate(this.#file);
    }
    await this.#emptying;
  }

  async #write(): Promise<boolean> {
    // Random bytes, because a disk may compress.
    const block = randomBytes(MB);
    await using handle = await open(this.#file, 'w', 0o600);
    try {
      for (let at = 0; at < RESERVE_BYTES; at += block.length) await handle.write(block);
      this.#bytes = RESERVE_BYTES;
      return true;
    } catch {
      await handle.truncate();
      this.#bytes = 0;
      return false;
    }
  }
}
