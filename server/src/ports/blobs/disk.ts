import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BlobId, type EpochMs, parseUuid, type VaultId } from '@notevault/protocol/values/ids.ts';
import type { Clock } from '../clock/clock.ts';
import { syncFolder } from '../fsync/fsync.ts';
import {
  BlobError,
  type BlobKey,
  type Blobs,
  type ByteRange,
  checkKey,
  checkUuid,
  LIST_PAGE,
  type StoredBlob,
} from './blobs.ts';

export interface DiskOptions {
  /** Created if missing; its parent folder must exist. */
  readonly folder: string;
  readonly clock: Clock;
  /** Whether no other process stores blobs in this folder: unfinished files at the start are then of a killed one. */
  readonly singleProcess: boolean;
}

const READ_BYTES = 256 * 1024;
const DELETES_AT_ONCE = 16;
/** Number of a vault's up to 256 folders that `deleteVault` removes at a time. */
const SHARDS_A_SLICE = 16;
/** Number of folders remembered as durable; a forgotten one costs another sync. */
const KNOWN_FOLDERS_MAX = 10_000;
/** Age at which an unfinished file is removed when several processes run; no upload takes as long. */
const PART_MS = 24 * 3_600_000;

/**
 * Blobs as files: `<folder>/<vault>/<xx>/<blob>`, where xx is the end of the blob's id (its beginning is the time,
 * which hardly changes). A file is written as `<folder>/incoming/<blob>.<time>` and renamed when all of it is on disk.
 */
export async function openDiskBlobs(options: DiskOptions): Promise<Blobs> {
  const blobs = new DiskBlobs(options);
  await blobs.prepare();
  return blobs;
}

class DiskBlobs implements Blobs {
  readonly #folder: string;
  readonly #incoming: string;
  readonly #clock: Clock;
  readonly #singleProcess: boolean;
  readonly #known = new Map<string, Promise<void>>();

  constructor({ folder, clock, singleProcess }: DiskOptions) {
    this.#folder = folder;
    this.#incoming = join(folder, 'incoming');
    this.#clock = clock;
    this.#singleProcess = singleProcess;
  }

  async prepare(): Promise<void> {
    await storing(async () => {
      await makeFolder(this.#folder);
      await makeFolder(this.#incoming);
      await this.#sweepParts(this.#singleProcess ? Number.POSITIVE_INFINITY : this.#clock.now() - PART_MS);
    });
  }

  async put(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    checkKey(key);
    const part = join(this.#incoming, `${key.blobId}.${this.#clock.now()}`);
    const handle = await storing(() => open(part, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600));
    try {
      try {
        for await (const piece of bytes) await storing(() => writeAll(handle, piece));
        await storing(async () => {
          const storedAt = this.#clock.now() / 1000;
          await handle.utimes(storedAt, storedAt);
          await handle.sync();
        });
      } finally {
        await storing(() => handle.close());
      }
      await storing(() => this.#giveName(part, key));
    } catch (error) {
      await rm(part, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  async read(key: BlobKey, range: ByteRange = { start: 0, end: Number.POSITIVE_INFINITY }) {
    checkKey(key);
    return storing(async () => {
      const handle = await unlessMissing(open(this.#fileOf(key), 'r'));
      return handle === null ? null : new FileBytes(handle, range);
    });
  }

  // Not synced: if a power cut undoes a deletion, the remaining bytes cannot be opened or named any more.
  async delete(keys: readonly BlobKey[]): Promise<void> {
    for (const key of keys) checkKey(key);
    for (let at = 0; at < keys.length; at += DELETES_AT_ONCE) {
      const some = keys.slice(at, at + DELETES_AT_ONCE);
      await storing(() => Promise.all(some.map((key) => rm(this.#fileOf(key), { force: true }))));
    }
  }

  async *list(vaultId?: VaultId): AsyncGenerator<readonly StoredBlob[]> {
    if (vaultId !== undefined) checkUuid(vaultId);
    await storing(() => this.#sweepParts(this.#clock.now() - PART_MS));
    for (const vault of vaultId === undefined ? await idsIn(this.#folder) : [vaultId]) {
      for (const shard of await storing(() => namesIn(join(this.#folder, vault)))) {
        yield* this.#listShard(vault as VaultId, join(this.#folder, vault, shard));
      }
    }
  }

  async deleteVault(vaultId: VaultId): Promise<boolean> {
    checkUuid(vaultId);
    const folder = join(this.#folder, vaultId);
    return storing(async () => {
      const shards = await namesIn(folder);
      for (const shard of shards.slice(0, SHARDS_A_SLICE)) {
        this.#known.delete(join(folder, shard));
        await rm(join(folder, shard), { recursive: true, force: true });
      }
      if (shards.length > SHARDS_A_SLICE) return true;
      this.#known.delete(folder);
      // Not empty when a blob was added meanwhile; the next slice removes it.
      return (await rmdir(folder).then(() => 'gone', codeOf)) === 'ENOTEMPTY';
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#known.clear();
  }

  #fileOf({ vaultId, blobId }: BlobKey): string {
    return join(this.#folder, vaultId, blobId.slice(-2), blobId);
  }

  async #giveName(part: string, key: BlobKey): Promise<void> {
    const file = this.#fileOf(key);
    const shard = dirname(file);
    const take = async () => {
      await this.#onDisk(dirname(shard));
      await this.#onDisk(shard);
      await rename(part, file);
    };
    try {
      await take();
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      // The folder was known, but the vault's blobs have just been deleted.
      this.#known.delete(shard);
      this.#known.delete(dirname(shard));
      await take();
    }
    try {
      await syncFolder(shard);
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
  }

  /** Creates a folder; resolves when its name is durable, even if another put created it and has not synced it yet. */
  #onDisk(folder: string): Promise<void> {
    const known = this.#known.get(folder);
    if (known !== undefined) return known;
    const made = makeFolder(folder);
    this.#known.set(folder, made);
    made.catch(() => this.#known.delete(folder));
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= KNOWN_FOLDERS_MAX) break;
      this.#known.delete(oldest);
    }
    return made;
  }

  async *#listShard(vaultId: VaultId, shard: string): AsyncGenerator<readonly StoredBlob[]> {
    const ids = await idsIn(shard);
    for (let at = 0; at < ids.length; at += LIST_PAGE) {
      const page: StoredBlob[] = [];
      for (const blobId of ids.slice(at, at + LIST_PAGE)) {
        const found = await storing(() => unlessMissing(stat(join(shard, blobId))));
        if (found === null) continue;
        page.push({ key: { vaultId, blobId: blobId as BlobId }, storedAt: Math.round(found.mtimeMs) as EpochMs });
      }
      if (page.length > 0) yield page;
    }
  }

  /** Removes unfinished files that were started before `until`. */
  async #sweepParts(until: number): Promise<void> {
    for (const name of await namesIn(this.#incoming)) {
      const [, began] = /^[0-9a-f-]{36}\.(\d+)$/.exec(name) ?? [];
      if (began !== undefined && Number(began) < until) await rm(join(this.#incoming, name), { force: true });
    }
  }
}

/** A range of an open file, piece by piece in one buffer; closes the file at the end or on `return`. */
class FileBytes implements AsyncIterableIterator<Uint8Array> {
  readonly #handle: FileHandle;
  #at: number;
  readonly #end: number;
  readonly #buffer: Buffer;
  #closed = false;

  constructor(handle: FileHandle, { start, end }: ByteRange) {
    this.#handle = handle;
    this.#at = start;
    this.#end = end;
    this.#buffer = Buffer.allocUnsafe(Math.max(0, Math.min(READ_BYTES, end - start)));
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const wanted = Math.min(READ_BYTES, this.#end - this.#at);
    if (this.#closed || wanted <= 0) return this.return();
    try {
      const { bytesRead, buffer } = await this.#handle.read(this.#buffer, 0, wanted, this.#at);
      if (bytesRead === 0) return this.return();
      this.#at += bytesRead;
      return { done: false, value: buffer.subarray(0, bytesRead) };
    } catch (error) {
      await this.return();
      throw failure(error);
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    if (!this.#closed) {
      this.#closed = true;
      await this.#handle.close();
    }
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
}

/** Creates a folder that only its owner can read, unless it exists; resolves when its name is durable. */
async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  await syncFolder(dirname(folder));
}

async function namesIn(folder: string): Promise<string[]> {
  return ((await unlessMissing(readdir(folder))) ?? []).sort();
}

async function idsIn(folder: string): Promise<string[]> {
  return (await storing(() => namesIn(folder))).filter((name) => parseUuid(name) === name);
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Runs work on the disk; converts its errors to BlobError. */
async function storing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failure(error);
  }
}

function failure(error: unknown): BlobError {
  if (error instanceof BlobError) return error;
  const code = codeOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return new BlobError('full', `The disk is full (${code}).`, error);
  return new BlobError('unavailable', `A file of the blob store cannot be used (${code ?? error}).`, error);
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
