import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { testClock } from '../../../test/kit/clock.ts';
import { Folder } from '../../../test/kit/programs/process.ts';
import { blobsContract, listAll, newKey, newVault, pieces, readAll } from './blobs.contract.ts';
import { openDiskBlobs } from './disk.ts';

blobsContract('disk', {
  async open(clock) {
    const folder = new Folder();
    const blobs = await openDiskBlobs({ folder: folder.at('blobs'), clock, singleProcess: true });
    return {
      blobs,
      async close() {
        await blobs[Symbol.asyncDispose]();
        folder[Symbol.dispose]();
      },
    };
  },
});

const bytes = Buffer.alloc(1000, 'some bytes');
const HOUR_MS = 3_600_000;

describe('blobs on disk', () => {
  it('are files in folders that only their owner can read', async () => {
    using folder = new Folder();
    const blobs = await openDiskBlobs({ folder: folder.at('blobs'), clock: testClock(), singleProcess: true });
    const key = newKey();
    await blobs.put(key, pieces(bytes));
    const shard = folder.at('blobs', key.vaultId, key.blobId.slice(-2));
    assert.equal((await stat(join(shard, key.blobId))).mode & 0o777, 0o600);
    for (const path of [folder.at('blobs'), folder.at('blobs', key.vaultId), shard, folder.at('blobs', 'incoming')]) {
      assert.equal((await stat(path)).mode & 0o777, 0o700, path);
    }
    assert.deepEqual(await readdir(folder.at('blobs', 'incoming')), []);
  });

  it('are found when the folder is opened again, and files left by a killed process are removed', async () => {
    using folder = new Folder();
    const clock = testClock();
    const key = newKey();
    await (await openDiskBlobs({ folder: folder.path, clock, singleProcess: true })).put(key, pieces(bytes));
    await writeFile(folder.at('incoming', `${randomUUID()}.${clock.now()}`), bytes);
    const blobs = await openDiskBlobs({ folder: folder.path, clock, singleProcess: true });
    assert.deepEqual(await readdir(folder.at('incoming')), []);
    assert.ok((await readAll(blobs, key))?.equals(bytes));
  });

  it('keep unfinished files, which another process may be writing, for a day', async () => {
    using folder = new Folder();
    const clock = testClock();
    await mkdir(folder.at('incoming'));
    const [fresh, old] = [0, 24 * HOUR_MS + 1].map((age) => `${randomUUID()}.${clock.now() - age}`) as [string, string];
    for (const name of [fresh, old, 'not-ours']) await writeFile(folder.at('incoming', name), bytes);
    const blobs = await openDiskBlobs({ folder: folder.path, clock, singleProcess: false });
    assert.deepEqual((await readdir(folder.at('incoming'))).sort(), [fresh, 'not-ours'].sort());
    clock.advance({ hours: 25 });
    assert.deepEqual(await listAll(blobs), []);
    assert.deepEqual(await readdir(folder.at('incoming')), ['not-ours']);
  });

  it('leave no file behind when their source throws', async () => {
    using folder = new Folder();
    const blobs = await openDiskBlobs({ folder: folder.path, clock: testClock(), singleProcess: true });
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield bytes;
      throw new RangeError('the source broke');
    }
    await assert.rejects(blobs.put(newKey(), failing()), RangeError);
    assert.deepEqual(await readdir(folder.path, { recursive: true }), ['incoming']);
  });

  it('can be put again after their vault was deleted, and also during the deletion', async () => {
    using folder = new Folder();
    const blobs = await openDiskBlobs({ folder: folder.path, clock: testClock(), singleProcess: true });
    const vaultId = newVault();
    for (let round = 0; round < 20; round++) {
      const key = newKey(vaultId);
      async function* deleting(): AsyncGenerator<Uint8Array> {
        yield bytes;
        while (await blobs.deleteVault(vaultId));
      }
      await blobs.put(key, deleting());
      assert.ok((await readAll(blobs, key))?.equals(bytes));
    }
    const raced = Array.from({ length: 20 }, () => newKey(vaultId));
    await Promise.all([...raced.map((key) => blobs.put(key, pieces(bytes))), blobs.deleteVault(vaultId)]);
  });

  it('ignore files that are not blobs', async () => {
    using folder = new Folder();
    const blobs = await openDiskBlobs({ folder: folder.path, clock: testClock(), singleProcess: true });
    const key = newKey();
    await blobs.put(key, pieces(bytes));
    await writeFile(folder.at('readme.txt'), 'x');
    await writeFile(folder.at(key.vaultId, key.blobId.slice(-2), '.DS_Store'), 'x');
    assert.deepEqual(
      (await listAll(blobs)).map((blob) => blob.key),
      [key],
    );
  });

  it('report the error when the disk refuses', {
    skip: process.getuid?.() === 0 && 'root may write anywhere',
  }, async () => {
    using folder = new Folder();
    const blobs = await openDiskBlobs({ folder: folder.path, clock: testClock(), singleProcess: true });
    await chmod(folder.at('incoming'), 0o500);
    await assert.rejects(blobs.put(newKey(), pieces(bytes)), { code: 'unavailable', message: /EACCES/ });
  });

  it('report when their folder is gone', async () => {
    using folder = new Folder();
    const blobs = await openDiskBlobs({ folder: folder.at('blobs'), clock: testClock(), singleProcess: true });
    await rm(folder.at('blobs'), { recursive: true });
    await assert.rejects(blobs.put(newKey(), pieces(bytes)), { name: 'BlobError', code: 'unavailable' });
    await assert.rejects(
      openDiskBlobs({ folder: join(tmpdir(), 'no', 'such'), clock: testClock(), singleProcess: true }),
      {
        name: 'BlobError',
        message: /ENOENT/,
      },
    );
  });
});
