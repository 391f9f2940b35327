import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { freeBuffer } from '../gc/gc.ts';
import type { Spool } from './spool.ts';

const HELD_MAX = 8 * MB;

/**
 * Keeps values in memory up to a limit, and the rest in an unnamed file in `folder`, which disappears with the process.
 */
export class DiskSpool<Value> implements Spool<Value> {
  readonly #folder: string;
  readonly #heldMax: number;
  readonly #held: Buffer[] = [];
  /** Position and length in the file of values that are not in memory. */
  readonly #filed: { readonly at: number; readonly length: number }[] = [];
  #file: FileHandle | undefined;
  #end = 0;
  #closed = false;
  heldBytes = 0;

  /** @param heldMax bytes kept in memory before the file is used. */
  constructor(folder: string, heldMax: number = HELD_MAX) {
    this.#folder = folder;
    this.#heldMax = heldMax;
  }

  get isOnDisk(): boolean {
    return this.#file !== undefined;
  }

  async add(value: Value): Promise<void> {
    this.#checkOpen();
    const bytes = serialize(value);
    if (this.#file === undefined && this.heldBytes + bytes.length <= this.#heldMax) {
      this.#held.push(bytes);
      this.heldBytes += bytes.length;
      return;
    }
    this.#file ??= await openNameless(this.#folder);
    const { length } = bytes;
    await this.#file.appendFile(bytes);
    freeBuffer(bytes);
    this.#filed.push({ at: this.#end, length });
    this.#end += length;
  }

  async *values(): AsyncGenerator<Value> {
    this.#checkOpen();
    for (const bytes of this.#held) {
      yield deserialize(bytes) as Value;
      this.#checkOpen();
    }
    for (const { at, length } of this.#filed) {
      const bytes = Buffer.allocUnsafe(length);
      const read = await this.#file?.read(bytes, 0, length, at);
      if (read?.bytesRead !== length) throw new Error('the spool is shorter than what was written to it');
      yield deserialize(bytes) as Value;
      this.#checkOpen();
    }
  }

  /** Throws once the spool is closed: returning no values would make a caller believe that there were none. */
  #checkOpen(): void {
    if (this.#closed) throw new Error('the spool is closed');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#file?.close();
    this.#held.length = 0;
  }
}

async function openNameless(folder: string): Promise<FileHandle> {
  const path = join(folder, `spool-${crypto.randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}
