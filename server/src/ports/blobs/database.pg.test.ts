import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { testClock } from '../../../test/kit/clock.ts';
import { onEachEngine, rawOf } from '../../../test/kit/engines.ts';
import type { Database } from '../database/database.ts';
import { blobsContract, listAll, newKey, newVault, pieces, readAll } from './blobs.contract.ts';
import type { BlobKey } from './blobs.ts';
import * as store from './database.store.ts';
import { CHUNK_BYTES, databaseBlobs } from './database.ts';

const noise = randomBytes(10 * CHUNK_BYTES + 5);

/** A database that reports every call before it runs. */
function watched(db: Database, told: (name: string, args: unknown[]) => void): Database {
  return new Proxy(db, {
    get(target, name) {
      const member = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        told(String(name), args);
        return member.apply(target, args);
      };
    },
  });
}

onEachEngine('blobs in the database', (open) => {
  blobsContract('database', {
    async open(clock) {
      const blobs = databaseBlobs(await open(), clock);
      return { blobs, close: async () => blobs[Symbol.asyncDispose]() };
    },
  });

  /** Number of rows of a key, or of all. */
  async function rowsOf(db: Database, key?: BlobKey): Promise<{ blobs: number; chunks: number }> {
    await using raw = await rawOf(db);
    const count = async (table: string) => {
      const rows = await raw.all(`select vault_id, blob_id from ${table}`);
      return rows.filter((row) => key === undefined || row.blob_id === key.blobId).length;
    };
    return { blobs: await count('blobs'), chunks: await count('blob_chunks') };
  }

  /** A put that stops after its first transaction until it is told to continue. */
  function halting() {
    const { promise: told, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: waiting, resolve: wait } = Promise.withResolvers<void>();
    async function* source(): AsyncGenerator<Uint8Array> {
      yield noise.subarray(0, 6 * CHUNK_BYTES);
      wait();
      await told;
      yield noise.subarray(6 * CHUNK_BYTES);
    }
    return { source: source(), waiting, goOn };
  }

  it('are rows of 256 KB; a small blob is written by one transaction', async () => {
    const db = await open();
    const key = newKey();
    let transactions = 0;
    const counting = watched(db, (name) => {
      if (name === 'transact') transactions++;
    });
    const blobs = databaseBlobs(counting, testClock());
    await blobs.put(newKey(), pieces(noise.subarray(0, 4 * CHUNK_BYTES)));
    assert.equal(transactions, 1);
    await blobs.put(key, pieces(noise));
    assert.equal(transactions, 4);
    assert.deepEqual(await rowsOf(db, key), { blobs: 1, chunks: 11 });
  });

  it('are read only by the chunks that contain the range', async () => {
    const db = await open();
    const asked = new Set<number>();
    const watching = watched(db, (name, [, params]) => {
      const { n } = (params ?? {}) as { n?: number };
      if (name === 'get' && n !== undefined) asked.add(n);
    });
    const blobs = databaseBlobs(watching, testClock());
    const key = newKey();
    await blobs.put(key, pieces(noise));
    await readAll(blobs, key, { start: 3 * CHUNK_BYTES, end: 5 * CHUNK_BYTES });
    await readAll(blobs, key, { start: 7, end: 7 });
    await readAll(blobs, key, { start: 11 * CHUNK_BYTES, end: 12 * CHUNK_BYTES });
    await readAll(blobs, key, { start: 10 * CHUNK_BYTES, end: Number.POSITIVE_INFINITY });
    assert.deepEqual([...asked], [3, 4, 10]);
  });

  it('leave no rows when their source throws, when they are deleted, or when their vault is', async () => {
    const db = await open();
    const blobs = databaseBlobs(db, testClock());
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield noise;
      throw new RangeError('the source broke');
    }
    await assert.rejects(blobs.put(newKey(), failing()), RangeError);
    const vaultId = newVault();
    const keys = Array.from({ length: 9 }, () => newKey(vaultId));
    for (const [at, key] of keys.entries()) await blobs.put(key, pieces(noise.subarray(0, at * CHUNK_BYTES)));
    await blobs.delete(keys.slice(0, 5));
    while (await blobs.deleteVault(vaultId));
    assert.deepEqual(await rowsOf(db), { blobs: 0, chunks: 0 });
  });

  it('are swept an hour after a killed process left them unfinished, and at once after a deletion', async () => {
    const db = await open();
    const clock = testClock();
    const [half, going] = [newKey(), newKey()];
    await databaseBlobs(db, clock).put(going, pieces(noise));
    const { source, waiting } = halting();
    void databaseBlobs(db, clock).put(half, source);
    await waiting;
    await db.transact((handle) => handle.allMany(store.markAbandoned, { vaultId: going.vaultId }, [going.blobId]));
    const blobs = databaseBlobs(db, clock);
    assert.equal(await blobs.read(going), null);
    await listAll(blobs);
    assert.deepEqual(await rowsOf(db, going), { blobs: 0, chunks: 0 });
    assert.deepEqual(await rowsOf(db, half), { blobs: 1, chunks: 4 });
    clock.advance({ minutes: 61 });
    await listAll(blobs, newVault());
    assert.deepEqual(await rowsOf(db), { blobs: 0, chunks: 0 });
  });

  it('fail and leave nothing when their put was abandoned meanwhile', async () => {
    const db = await open();
    const clock = testClock();
    const blobs = databaseBlobs(db, clock);
    for (const giveUp of [
      async () => {
        clock.advance({ minutes: 61 });
        await listAll(blobs);
      },
      async (key: BlobKey) => assert.equal(await blobs.deleteVault(key.vaultId), false),
    ]) {
      const key = newKey();
      const { source, waiting, goOn } = halting();
      const put = blobs.put(key, source);
      await waiting;
      await giveUp(key);
      goOn();
      await assert.rejects(put, { name: 'BlobError', code: 'unavailable', message: /abandoned/ });
      assert.equal(await blobs.read(key), null);
      assert.deepEqual(await rowsOf(db), { blobs: 0, chunks: 0 });
    }
  });

  it('are not abandoned while they still arrive, however slowly', async () => {
    const db = await open();
    const clock = testClock();
    const blobs = databaseBlobs(db, clock);
    const key = newKey();
    async function* slow(): AsyncGenerator<Uint8Array> {
      for await (const piece of pieces(noise, CHUNK_BYTES)) {
        yield piece;
        clock.advance({ minutes: 10 });
        await listAll(blobs);
      }
    }
    await blobs.put(key, slow());
    assert.ok((await readAll(blobs, key))?.equals(noise));
  });

  it('refuse a key that is in use, and keep the stored blob', async () => {
    const blobs = databaseBlobs(await open(), testClock());
    const key = newKey();
    await blobs.put(key, pieces(noise));
    await assert.rejects(blobs.put(key, pieces(noise.subarray(1))), {
      name: 'BlobError',
      message: /key that is in use/,
    });
    assert.ok((await readAll(blobs, key))?.equals(noise));
  });
});
