import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { BlobId, VaultId } from '@notevault/protocol/values/ids.ts';
import { type TestClock, testClock } from '../../../test/kit/clock.ts';
import {
  BlobError,
  type BlobKey,
  type Blobs,
  type ByteRange,
  LIST_PAGE,
  probeBlobs,
  type StoredBlob,
} from './blobs.ts';

export interface OpenedBlobs {
  readonly blobs: Blobs;
  close(): Promise<void>;
}

export interface BlobsUnderTest {
  /** Opens a new, empty store. */
  open(clock: TestClock): Promise<OpenedBlobs>;
  /** Size from which a blob is put and read in several steps. */
  readonly large?: number;
  /** The clock of `storedAt`: the one that was passed in by default, `own` for the service's. */
  readonly time?: 'own';
}

const LARGE = 3 * MB + 77;

export const newVault = () => randomUUID() as VaultId;
export const newKey = (vaultId: VaultId = newVault()): BlobKey => ({ vaultId, blobId: randomUUID() as BlobId });

export async function* pieces(bytes: Uint8Array, size = 100_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export async function readAll(blobs: Blobs, key: BlobKey, range?: ByteRange): Promise<Buffer | null> {
  const found = await blobs.read(key, range);
  // Copies each piece, because the next one may overwrite it.
  return found === null ? null : Buffer.concat(await Array.fromAsync(found, (piece) => Buffer.from(piece)));
}

export async function listAll(blobs: Blobs, vaultId?: VaultId): Promise<StoredBlob[]> {
  return (await Array.fromAsync(blobs.list(vaultId))).flat();
}

/** The contract suite of the port; an adapter's test calls it. */
export function blobsContract(name: string, { open, time, large = LARGE }: BlobsUnderTest): void {
  describe(`${name} keeps the blobs contract`, () => {
    const clock = testClock();
    const noise = randomBytes(large);
    let opened: OpenedBlobs;
    const blobs = (): Blobs => opened.blobs;
    before(async () => {
      opened = await open(clock);
    });
    after(() => opened.close());
    describe('put and read', () => putContract(blobs, noise));
    describe('unfinished puts', () => unfinishedContract(blobs, noise));
    describe('list', () => listContract(blobs, noise, time === 'own' ? null : clock));
    describe('delete', () => deleteContract(blobs, noise));
    it('blobs pass a probe that leaves nothing behind', async () => {
      const before = (await listAll(blobs())).length;
      await probeBlobs(blobs(), clock);
      assert.equal((await listAll(blobs())).length, before);
    });
  });
}

function putContract(blobs: () => Blobs, noise: Buffer): void {
  it('blobs return what was put, of any size and in pieces of any size', async () => {
    const sizes = [0, 1, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, MB, noise.length];
    for (const [at, size] of sizes.entries()) {
      const key = newKey();
      await blobs().put(key, pieces(noise.subarray(0, size), [70_000, noise.length, 256 * 1024][at % 3]));
      assert.ok((await readAll(blobs(), key))?.equals(noise.subarray(0, size)), `${size} bytes`);
    }
  });

  it('blobs accept empty pieces, and keep none of the buffers they are given', async () => {
    const key = newKey();
    async function* reused(): AsyncGenerator<Uint8Array> {
      const buffer = Buffer.alloc(1000);
      for (let at = 0; at < 600; at++) {
        yield buffer.fill(at);
        buffer.fill(0xff);
        yield Buffer.alloc(0);
      }
    }
    await blobs().put(key, reused());
    const expected = Buffer.concat(Array.from({ length: 600 }, (_, at) => Buffer.alloc(1000, at)));
    assert.ok((await readAll(blobs(), key))?.equals(expected));
  });

  it('blobs return any range as a slice would', async () => {
    const key = newKey();
    const chunk = 256 * 1024;
    const bytes = noise.subarray(0, 4 * chunk + 77);
    await blobs().put(key, pieces(bytes));
    const bounds = [0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk, bytes.length - 1, bytes.length, bytes.length + chunk];
    for (const start of bounds) {
      for (const end of bounds) {
        const found = await readAll(blobs(), key, { start, end });
        assert.ok(found?.equals(bytes.subarray(start, end)), `${start} to ${end}`);
      }
    }
    const long = newKey();
    await blobs().put(long, pieces(noise));
    const found = await readAll(blobs(), long, { start: 5, end: noise.length - 5 });
    assert.ok(found?.equals(noise.subarray(5, noise.length - 5)), 'a range that is read in several steps');
  });

  it('blobs return null for a key that was never put, or was put in another vault', async () => {
    const key = newKey();
    await blobs().put(key, pieces(noise.subarray(0, 10)));
    assert.equal(await blobs().read(newKey()), null);
    assert.equal(await blobs().read({ ...key, vaultId: newVault() }), null);
    assert.equal(await blobs().read({ ...key, blobId: randomUUID() as BlobId }, { start: 3, end: 5 }), null);
  });

  it('blobs accept eight puts and eight reads at once', async () => {
    const keys = Array.from({ length: 8 }, () => newKey());
    await Promise.all(keys.map((key, at) => blobs().put(key, pieces(noise.subarray(at), 64 * 1024))));
    const found = await Promise.all(keys.map((key) => readAll(blobs(), key)));
    for (const [at, bytes] of found.entries()) assert.ok(bytes?.equals(noise.subarray(at)));
  });

  it('blobs allow a read to end in the middle, or before the first byte', async () => {
    const key = newKey();
    await blobs().put(key, pieces(noise));
    for await (const piece of (await blobs().read(key)) ?? []) {
      assert.ok(piece.length > 0);
      break;
    }
    const found = await blobs().read(key, { start: 5, end: 10 });
    await found?.[Symbol.asyncIterator]().return?.();
    assert.ok((await readAll(blobs(), key))?.equals(noise));
  });

  it('blobs never mix two puts of one key', async () => {
    const key = newKey();
    const [one, other] = [noise.subarray(0, noise.length - 5), noise.subarray(5)];
    const puts = await Promise.allSettled([blobs().put(key, pieces(one)), blobs().put(key, pieces(other))]);
    await blobs()
      .put(key, pieces(other))
      .catch(() => undefined);
    assert.ok(puts.some(({ status }) => status === 'fulfilled'));
    const found = await readAll(blobs(), key);
    assert.ok(found?.equals(one) || found?.equals(other));
  });

  it('blobs refuse keys that are not UUIDs', async () => {
    const good = newKey();
    for (const bad of [
      '',
      '..',
      '../../etc/passwd',
      good.blobId.toUpperCase(),
      `${good.blobId}/x`,
      `${good.blobId}\n`,
    ]) {
      for (const key of [
        { ...good, blobId: bad as BlobId },
        { ...good, vaultId: bad as VaultId },
      ]) {
        await assert.rejects(blobs().put(key, pieces(noise.subarray(0, 1))), TypeError);
        await assert.rejects(blobs().read(key), TypeError);
        await assert.rejects(blobs().delete([key]), TypeError);
      }
      await assert.rejects(blobs().deleteVault(bad as VaultId), TypeError);
      await assert.rejects(listAll(blobs(), bad as VaultId), TypeError);
    }
  });
}

function unfinishedContract(blobs: () => Blobs, noise: Buffer): void {
  it('unfinished puts are invisible, however much has arrived', async () => {
    const key = newKey();
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: waits, resolve: wait } = Promise.withResolvers<void>();
    async function* halting(): AsyncGenerator<Uint8Array> {
      yield* pieces(noise.subarray(0, 2_000_000));
      wait();
      await rest;
      yield noise.subarray(2_000_000);
    }
    const put = blobs().put(key, halting());
    await waits;
    assert.equal(await blobs().read(key), null);
    assert.deepEqual(await listAll(blobs(), key.vaultId), []);
    goOn();
    await put;
    assert.ok((await readAll(blobs(), key))?.equals(noise));
    assert.equal((await listAll(blobs(), key.vaultId)).length, 1);
  });

  it('unfinished puts leave nothing when their source throws, and rethrow its error', async () => {
    for (const size of [0, 1000, noise.length]) {
      const key = newKey();
      const broken = new RangeError('the source broke');
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield* pieces(noise.subarray(0, size));
        throw broken;
      }
      await assert.rejects(blobs().put(key, failing()), (error) => error === broken);
      assert.equal(await blobs().read(key), null);
      assert.deepEqual(await listAll(blobs(), key.vaultId), []);
      assert.equal(await blobs().deleteVault(key.vaultId), false);
    }
  });
}

function listContract(blobs: () => Blobs, noise: Buffer, clock: TestClock | null): void {
  it('list returns each blob once, with the time when it was stored, of one vault or of all', async () => {
    const [one, other] = [newVault(), newVault()];
    const stored: StoredBlob[] = [];
    for (const vaultId of [one, other, one, one]) {
      clock?.advance({ hours: 1, ms: 1 });
      const key = newKey(vaultId);
      const now = clock?.now();
      await blobs().put(key, pieces(noise.subarray(0, 10)));
      const [found] = (await listAll(blobs(), vaultId)).filter((blob) => blob.key.blobId === key.blobId);
      assert.ok(found !== undefined);
      if (now === undefined)
        assert.ok(Math.abs(found.storedAt - Date.now()) < 60_000, 'the clock of the service differs');
      else assert.equal(found.storedAt, now);
      stored.push(found);
    }
    const byId = (a: StoredBlob, b: StoredBlob) => (a.key.blobId < b.key.blobId ? -1 : 1);
    for (const vaultId of [one, other]) {
      const expected = stored.filter(({ key }) => key.vaultId === vaultId);
      assert.deepEqual((await listAll(blobs(), vaultId)).sort(byId), expected.sort(byId));
    }
    const all = (await listAll(blobs())).filter(({ key }) => key.vaultId === one || key.vaultId === other);
    assert.deepEqual(all.sort(byId), stored.sort(byId));
    assert.deepEqual(await listAll(blobs(), newVault()), []);
    for await (const page of blobs().list()) assert.ok(page.length > 0 && page.length <= LIST_PAGE);
  });
}

function deleteContract(blobs: () => Blobs, noise: Buffer): void {
  it('delete removes the named blobs and no other, any number at once, and ignores missing ones', async () => {
    const vaultId = newVault();
    const [kept, ...gone] = Array.from({ length: 6 }, () => newKey(vaultId)) as [BlobKey, ...BlobKey[]];
    for (const key of [kept, ...gone]) await blobs().put(key, pieces(noise.subarray(0, 300_000)));
    const missing = Array.from({ length: 1100 }, () => newKey(vaultId));
    const elsewhere = { ...kept, vaultId: newVault() };
    await blobs().delete([...missing.slice(0, 1050), ...gone, ...missing.slice(1050), elsewhere]);
    for (const key of gone) assert.equal(await blobs().read(key), null);
    assert.deepEqual(
      (await listAll(blobs(), vaultId)).map(({ key }) => key),
      [kept],
    );
    assert.ok((await readAll(blobs(), kept))?.equals(noise.subarray(0, 300_000)));
    await blobs().delete(gone);
    await blobs().delete([]);
  });

  it('delete lets a reader of the blob finish, or fails its read', async () => {
    const key = newKey();
    await blobs().put(key, pieces(noise));
    const got: Uint8Array[] = [];
    try {
      for await (const piece of (await blobs().read(key)) ?? []) {
        if (got.length === 0) await blobs().delete([key]);
        got.push(Buffer.from(piece));
      }
      assert.ok(Buffer.concat(got).equals(noise));
    } catch (error) {
      assert.ok(error instanceof BlobError && error.code === 'gone', String(error));
    }
    assert.equal(await blobs().read(key), null);
  });

  it('delete removes all blobs of a vault, slice by slice, and none of another', async () => {
    const vaultId = newVault();
    const other = newKey();
    await blobs().put(other, pieces(noise.subarray(0, 10)));
    const keys = Array.from({ length: 40 }, () => newKey(vaultId));
    await Promise.all(keys.map((key) => blobs().put(key, pieces(noise.subarray(0, 1000)))));
    await blobs().put(newKey(vaultId), pieces(noise));
    let slices = 1;
    while (await blobs().deleteVault(vaultId)) assert.ok(++slices < 1000);
    assert.deepEqual(await listAll(blobs(), vaultId), []);
    for (const key of keys) assert.equal(await blobs().read(key), null);
    assert.equal((await readAll(blobs(), other))?.length, 10);
    assert.equal(await blobs().deleteVault(vaultId), false);
    const again = newKey(vaultId);
    await blobs().put(again, pieces(noise.subarray(0, 10)));
    assert.equal((await readAll(blobs(), again))?.length, 10);
  });
}
