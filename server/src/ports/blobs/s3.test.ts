import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { type TestClock, testClock } from '../../../test/kit/clock.ts';
import { S3Double } from '../../../test/kit/programs/s3.ts';
import { blobsContract, listAll, newKey, newVault, pieces, readAll } from './blobs.contract.ts';
import { PART_BYTES, s3Blobs } from './s3.ts';

const credentials = { accessKeyId: 'alice', secretAccessKey: 'secret' };
const large = randomBytes(3 * PART_BYTES + 5);

function blobsOn(double: S3Double, { clock = testClock(), bucket = S3Double.bucket, prefix = 'a/' } = {}) {
  const where = { endpoint: double.url, addressing: 'path', region: 'us-east-1' } as const;
  return s3Blobs({ ...where, bucket, prefix, clock, credentials });
}

const now = (): TestClock => testClock(Date.now());

blobsContract('S3 (a double)', {
  time: 'own',
  large: Math.ceil(1.2 * PART_BYTES),
  async open(clock) {
    const double = await S3Double.start();
    const blobs = blobsOn(double, { clock });
    return {
      blobs,
      async close() {
        await blobs[Symbol.asyncDispose]();
        await double[Symbol.asyncDispose]();
      },
    };
  },
});

describe('blobs in S3', () => {
  it('are objects under the prefix, uploaded in parts when they are large, a few at once', async () => {
    await using double = await S3Double.start();
    await using blobs = blobsOn(double);
    const [small, ...larger] = Array.from({ length: 9 }, () => newKey()) as [ReturnType<typeof newKey>];
    await blobs.put(small, pieces(large.subarray(0, PART_BYTES)));
    assert.deepEqual([...double.objects.keys()], [`a/${small.vaultId}/${small.blobId}`]);
    assert.ok(double.seen.every(({ what }) => what === 'PUT object'));
    await blobs.put(newKey(), pieces(large));
    assert.ok(double.partsAtOnce <= 4, `${double.partsAtOnce} parts at once`);
    await Promise.all(larger.map((key) => blobs.put(key, pieces(large))));
    assert.ok(double.partsAtOnce <= 8 + 3, `${double.partsAtOnce} parts of eight at once`);
    for (const key of larger) assert.ok((await readAll(blobs, key))?.equals(large));
    assert.equal(double.uploads.size, 0);
  });

  it('are retried when the service fails for a moment', async () => {
    await using double = await S3Double.start();
    await using blobs = blobsOn(double);
    const failed = new Set<string>();
    double.fault = ({ what }) => {
      if (failed.has(what)) return null;
      failed.add(what);
      return { status: 503, code: 'SlowDown' };
    };
    const key = newKey();
    await blobs.put(key, pieces(large));
    assert.ok((await readAll(blobs, key))?.equals(large));
    assert.equal((await listAll(blobs)).length, 1);
    await blobs.delete([key]);
    assert.ok(failed.size >= 6);
    assert.equal(double.objects.size, 0);
  });

  for (const what of ['POST begin', 'PUT part', 'POST upload']) {
    it(`leave nothing when "${what}" is refused`, async () => {
      await using double = await S3Double.start();
      await using blobs = blobsOn(double);
      double.fault = (request) => (request.what === what ? { status: 403, code: 'AccessDenied' } : null);
      const key = newKey();
      await assert.rejects(blobs.put(key, pieces(large)), {
        name: 'BlobError',
        code: 'unavailable',
        message: /AccessDenied, status 403/,
      });
      assert.deepEqual([double.uploads.size, double.objects.size], [0, 0]);
      double.fault = () => null;
      await blobs.put(newKey(), pieces(large));
      assert.equal(double.objects.size, 1, 'the buffers are there for the next');
    });
  }

  it('leave nothing when the object was created although the answer was an error', async () => {
    await using double = await S3Double.start();
    await using blobs = blobsOn(double);
    const key = newKey();
    double.fault = ({ what, name }) => {
      if (what !== 'PUT object') return null;
      double.objects.set(name, { bytes: Buffer.alloc(1), storedAt: new Date() });
      return { status: 400, code: 'RequestTimeout' };
    };
    await assert.rejects(blobs.put(key, pieces(large.subarray(0, 10))), { name: 'BlobError' });
    assert.equal(double.objects.size, 0);
  });

  it('uploads to S3 left in parts by a killed process are aborted a day later, or at once with their vault', async () => {
    await using double = await S3Double.start();
    const clock = now();
    await using blobs = blobsOn(double, { clock });
    const [one, other] = [newVault(), newVault()];
    for (const vaultId of [one, other]) {
      const name = `a/${vaultId}/${newKey().blobId}`;
      double.uploads.set(name, { name, begunAt: new Date(clock.now()), parts: new Map() });
    }
    await listAll(blobs);
    assert.equal(double.uploads.size, 2);
    assert.equal(await blobs.deleteVault(one), false);
    assert.equal(double.uploads.size, 1);
    clock.advance({ hours: 25 });
    await listAll(blobs);
    assert.equal(double.uploads.size, 0);
  });

  it('are not reported missing when the bucket is missing, and ignore objects that are not blobs', async () => {
    await using double = await S3Double.start();
    await using elsewhere = blobsOn(double, { bucket: 'no-such-bucket' });
    await assert.rejects(readAll(elsewhere, newKey()), { name: 'BlobError', message: /NoSuchBucket/ });
    await using blobs = blobsOn(double);
    for (const name of ['a/readme', `a/${newVault()}/readme`, `b/${newVault()}/${newKey().blobId}`]) {
      double.objects.set(name, { bytes: Buffer.alloc(1), storedAt: new Date() });
    }
    assert.deepEqual(await listAll(blobs), []);
  });

  it('report a full and an unreachable service', async () => {
    const double = await S3Double.start();
    await using blobs = blobsOn(double);
    double.fault = () => ({ status: 403, code: 'QuotaExceeded' });
    await assert.rejects(blobs.put(newKey(), pieces(large.subarray(0, 10))), { name: 'BlobError', code: 'full' });
    await double[Symbol.asyncDispose]();
    await assert.rejects(blobs.read(newKey()), { name: 'BlobError', code: 'unavailable', message: /ECONNREFUSED/ });
  });
});
