import { type BlobId, type EpochMs, NIL_UUID, type VaultId } from '@notevault/protocol/values/ids.ts';
import type { Clock } from '../clock/clock.ts';
import { ConstraintError, type Database, DatabaseError } from '../database/database.ts';
import { countStreamed, freeBuffer } from '../gc/gc.ts';
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
import * as store from './database.store.ts';
import { rechunk } from './rechunk.ts';

export const CHUNK_BYTES = 256 * 1024;
/** Chunks per transaction: more would block other writers, fewer would wait for the disk more often. */
const CHUNKS_A_WRITE = 4;
/** Bytes of garbage per byte: PostgreSQL's driver transfers bytes as hexadecimal text and copies them several times. */
const TEXT_GARBAGE = 6;
/** Bytes per read on PostgreSQL, where each connection keeps a buffer of twice the longest answer. */
const TEXT_SLICE_BYTES = 64 * 1024;
const CHUNKS_A_DELETE = 32;
/** Approximate number of chunks removed by one call of `deleteVault`. */
const CHUNKS_A_SLICE = 512;
const BLOBS_A_SLICE = 200;
/** A put that wrote nothing for this long is dead; a stalled client is cut off much sooner. */
const ABANDONED_MS = 3_600_000;

/**
 * Blobs as rows of 256 KB in the database, written by many short transactions, of which the last makes the blob
 * visible. A deletion first makes the blob invisible, in one transaction, and then removes it chunk by chunk. `list`
 * removes what crashes left behind.
 *
 * @param db has the tables of `database.tables.ts`; stays open when the blobs are closed.
 */
export function databaseBlobs(db: Database, clock: Clock): Blobs {
  return new DatabaseBlobs(db, clock);
}

class DatabaseBlobs implements Blobs {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async put(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    checkKey(key);
    // Reused after each transaction; no more input is read until then.
    let reused: Buffer | null = null;
    const buffer = () => {
      reused ??= Buffer.allocUnsafe(CHUNKS_A_WRITE * CHUNK_BYTES);
      return reused;
    };
    let written = 0;
    try {
      for await (const { bytes: part, isLast } of rechunk(bytes, buffer)) {
        const chunks = chunksOf(part, written);
        await this.#write(key, { written, chunks, isLast });
        written += chunks.length;
      }
    } catch (error) {
      // Without a written row there is nothing to remove, or the row belongs to another blob whose key was used twice.
      if (written > 0) await this.#remove(key.vaultId, [key.blobId]).catch(() => undefined);
      throw error;
    }
  }

  async read(key: BlobKey, range: ByteRange = { start: 0, end: Number.POSITIVE_INFINITY }) {
    checkKey(key);
    const found = await storing(() => this.#db.get(store.findStored, key));
    return found === undefined ? null : this.#chunks(key, found.chunks, range);
  }

  async delete(keys: readonly BlobKey[]): Promise<void> {
    for (const key of keys) checkKey(key);
    for (const [vaultId, some] of Map.groupBy(keys, (key) => key.vaultId)) {
      const ids = some.map(({ blobId }) => blobId);
      await this.#remove(vaultId, ids);
    }
  }

  async *list(vaultId?: VaultId): AsyncGenerator<readonly StoredBlob[]> {
    if (vaultId !== undefined) checkUuid(vaultId);
    await this.#removeAbandoned();
    if (vaultId !== undefined) {
      yield* this.#listVault(vaultId);
      return;
    }
    for (let after: string = NIL_UUID; ; ) {
      const next = await storing(() => this.#db.get(store.findNextVault, { after }));
      if (next === undefined) return;
      yield* this.#listVault(next.vault_id);
      after = next.vault_id;
    }
  }

  async deleteVault(vaultId: VaultId): Promise<boolean> {
    checkUuid(vaultId);
    const some = await storing(() => this.#db.all(store.findSome, { vaultId, limit: BLOBS_A_SLICE }));
    let chunks = 0;
    const slice = some.filter((row) => {
      const before = chunks;
      chunks += row.chunks;
      return before < CHUNKS_A_SLICE;
    });
    await this.#remove(
      vaultId,
      slice.map((row) => row.blob_id),
    );
    return (await storing(() => this.#db.all(store.findSome, { vaultId, limit: 1 }))).length > 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /** One transaction of a put. The first creates the blob's row, the last makes it visible; they may be the same. */
  async #write(key: BlobKey, { written, chunks, isLast }: ChunkWrite): Promise<void> {
    const now = this.#clock.now();
    const row = { ...key, chunks: written + chunks.length, now, storedAt: isLast ? now : null };
    await storing(() =>
      this.#db.transact(async (handle) => {
        if (written === 0) await handle.run(store.insertBlob, row);
        else if ((await handle.run(store.touchBlob, row)) === 0) throw new BlobError('unavailable', ABANDONED);
        await handle.runMany(store.insertChunks, key, chunks);
      }),
    );
  }

  async *#chunks(key: BlobKey, count: number, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
    if (start >= end) return;
    const isText = this.#db.engine === 'postgres';
    const slice = isText ? TEXT_SLICE_BYTES : CHUNK_BYTES;
    for (let at = Math.floor(start / slice) * slice; at < Math.min(count * CHUNK_BYTES, end); at += slice) {
      const where = { ...key, n: Math.floor(at / CHUNK_BYTES), from: (at % CHUNK_BYTES) + 1, count: slice };
      const found = await storing(() => this.#db.get(store.readChunk, where));
      if (found === undefined) throw new BlobError('gone', 'A blob was deleted while it was read.');
      const { bytes } = found;
      if (isText) countStreamed(bytes.length * TEXT_GARBAGE);
      const wanted = bytes.subarray(Math.max(0, start - at), Math.min(bytes.length, end - at));
      if (wanted.length > 0) yield wanted;
      freeBuffer(bytes);
    }
  }

  async *#listVault(vaultId: VaultId): AsyncGenerator<readonly StoredBlob[]> {
    for (let after = NIL_UUID as BlobId; ; ) {
      const rows = await storing(() => this.#db.all(store.listStored, { vaultId, after, limit: LIST_PAGE }));
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows.map((row) => ({ key: { vaultId, blobId: row.blob_id }, storedAt: row.stored_at as EpochMs }));
      if (rows.length < LIST_PAGE) return;
      after = last.blob_id;
    }
  }

  async #remove(vaultId: VaultId, ids: readonly BlobId[]): Promise<void> {
    if (ids.length === 0) return;
    const rows = await storing(() =>
      this.#db.transact((handle) => handle.allMany(store.markAbandoned, { vaultId }, ids)),
    );
    await this.#purge(rows.map((row) => ({ vaultId, blobId: row.blob_id, chunks: row.chunks })));
  }

  /** Removes the rows of abandoned blobs: many small ones at once, a large one in parts. */
  async #purge(blobs: readonly PurgeSlice[]): Promise<void> {
    let some: PurgeSlice[] = [];
    let weight = 0;
    const erase = async () => {
      const now = some;
      some = [];
      weight = 0;
      if (now.length === 0) return;
      await storing(() =>
        this.#db.transact(async (handle) => {
          for (const blob of now) {
            await handle.run(store.deleteChunksBelow, { ...blob, below: blob.chunks });
            await handle.run(store.deleteBlob, blob);
          }
        }),
      );
    };
    for (const blob of blobs) {
      for (let below = CHUNKS_A_DELETE; below < blob.chunks; below += CHUNKS_A_DELETE) {
        await storing(() => this.#db.transact((handle) => handle.run(store.deleteChunksBelow, { ...blob, below })));
      }
      some.push(blob);
      weight += 1 + Math.min(blob.chunks, CHUNKS_A_DELETE);
      if (weight > CHUNKS_A_DELETE) await erase();
    }
    await erase();
  }

  async #removeAbandoned(): Promise<void> {
    const before = this.#clock.now() - ABANDONED_MS;
    for (;;) {
      const rows = await storing(() => this.#db.all(store.findAbandoned, { before, limit: BLOBS_A_SLICE }));
      for (const { vault_id: vaultId, blob_id: blobId } of rows) {
        const dead = await storing(() =>
          this.#db.transact((handle) => handle.get(store.markStaleAbandoned, { vaultId, blobId, before })),
        );
        if (dead !== undefined) await this.#purge([{ vaultId, blobId, chunks: dead.chunks }]);
      }
      if (rows.length < BLOBS_A_SLICE) return;
    }
  }
}

interface ChunkWrite {
  /** Number of chunks written before. */
  readonly written: number;
  readonly chunks: readonly { n: number; bytes: Uint8Array }[];
  readonly isLast: boolean;
}

interface PurgeSlice extends BlobKey {
  readonly chunks: number;
}

const ABANDONED = 'A blob arrived too slowly, or its vault was purged; its put was abandoned.';

function chunksOf(bytes: Uint8Array, from: number): { n: number; bytes: Uint8Array }[] {
  const count = Math.ceil(bytes.length / CHUNK_BYTES);
  return Array.from({ length: count }, (_, at) => ({
    n: from + at,
    bytes: bytes.subarray(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES),
  }));
}

/** Runs work on the database; converts its errors to BlobError. */
async function storing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseError && error.code !== 'body_left_open') {
      throw new BlobError('unavailable', 'The database that stores the blobs is unavailable.', error);
    }
    if (error instanceof ConstraintError) {
      throw new BlobError('unavailable', 'A blob was put under a key that is in use.', error);
    }
    throw error;
  }
}
