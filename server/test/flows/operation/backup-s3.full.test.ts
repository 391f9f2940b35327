import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { BackupLease } from '../../../src/backup/take/lease.ts';
import { keyFile } from '../../../src/open-ports.ts';
import { s3Blobs } from '../../../src/ports/blobs/s3.ts';
import { readKeyFile } from '../../../src/ports/keyring/key-file.ts';
import { testClock } from '../../kit/clock.ts';
import { fileOf, readRaw, sha256, uploadRaw } from '../../kit/content/files.ts';
import { onSqlite } from '../../kit/engines.ts';
import { assertFails, cli, Folder, startServe } from '../../kit/programs/process.ts';
import { S3Double } from '../../kit/programs/s3.ts';
import { startServer } from '../../kit/server.ts';
import { aliceAt } from '../../kit/signed-in.ts';

const credentials = { AWS_ACCESS_KEY_ID: 'alice', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'us-east-1' };
const small = fileOf('png', 100_000);
/** Uploaded to S3 in parts. */
const large = fileOf('png', 9_000_000);

describe('backups of a server whose attachments are in S3', () => {
  const folder = new Folder();
  const backups = folder.at('backups');
  let s3: S3Double;
  const envAt = (dataDir: string, prefix: string) => ({
    ...credentials,
    NOTEVAULT_DATA_DIR: folder.at(dataDir),
    NOTEVAULT_BLOBS: `s3://${S3Double.bucket}/${prefix}`,
    NOTEVAULT_S3_ENDPOINT: s3.url,
  });
  const env = () => envAt('data', 'here/');
  /** How many objects an action reads; it makes no other requests. A large object is read in ranges. */
  async function objectsRead(action: () => Promise<unknown>): Promise<number> {
    const from = s3.seen.length;
    await action();
    const seen = s3.seen.slice(from);
    assert.deepEqual(
      seen.filter(({ what }) => what !== 'GET object'),
      [],
    );
    return new Set(seen.map(({ name }) => name)).size;
  }
  const backUp = async () => {
    const { code, stderr } = await cli(['backup', backups], { env: env() });
    assert.equal(code, 0, stderr);
  };

  before(async () => {
    s3 = await S3Double.start();
    await using server = await startServe({ env: env() });
    const alice = await aliceAt(server.url);
    await alice.post('/vaults', { name: 'Diary' });
    assert.equal((await uploadRaw(alice, 'small.png', small)).status, 200);
    assert.equal((await uploadRaw(alice, 'large.png', large)).status, 200);
    await server.stop();
  });
  after(async () => {
    await s3[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  test('backups of attachments in S3 read each object once, and again only those that are new', async () => {
    assert.equal(await objectsRead(backUp), 2);
    assert.equal(await objectsRead(backUp), 0);
    {
      await using server = await startServe({ env: env() });
      await uploadRaw(await aliceAt(server.url), 'third.png', fileOf('png', 1000));
      await server.stop();
    }
    assert.equal(await objectsRead(backUp), 1);
  });

  test('backups of attachments in S3 are verified without S3', async () => {
    const verify = async () => {
      const { code, stdout, stderr } = await cli(['verify', backups, '--deep'], { env: env() });
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /3 attachments listed/);
    };
    assert.equal(await objectsRead(verify), 0);
  });

  test('backups of attachments in S3 are restored into S3, under another prefix', async () => {
    const there = { ...envAt('elsewhere', 'there/'), NOTEVAULT_MASTER_KEY: await keyOf(folder.at('data')) };
    const { code, stdout, stderr } = await cli(['restore', backups], { env: there });
    assert.equal(code, 0, stdout + stderr);
    const below = (prefix: string) => [...s3.objects.keys()].filter((name) => name.startsWith(prefix));
    assert.equal(below('there/').length, 3);
    const before = below('here/');
    await using server = await startServe({ env: there });
    const alice = await aliceAt(server.url);
    for (const [path, bytes] of [
      ['small.png', small],
      ['large.png', large],
    ] as const) {
      assert.equal(sha256((await readRaw(alice, path)).bytes), sha256(bytes), path);
    }
    assert.deepEqual(below('here/'), before, 'the bytes of the other server are as they were');
    await server.stop();
  });

  test('backups of attachments in S3 are restored into the same prefix without losing the previous bytes', async () => {
    const objects = new Set(s3.objects.keys());
    const { code, stdout, stderr } = await cli(['restore', backups], { env: env() });
    assert.equal(code, 0, stdout + stderr);
    assert.deepEqual(
      [...objects].filter((name) => !s3.objects.has(name)),
      [],
    );
    await using server = await startServe({ env: env() });
    assert.equal(sha256((await readRaw(await aliceAt(server.url), 'large.png')).bytes), sha256(large));
    await server.stop();
  });

  test('backups of attachments in S3 say what is missing, and what to do when S3 does not answer', async () => {
    const objects = [...s3.objects.keys()].filter((name) => name.startsWith('here/'));
    const away = new Map(objects.map((name) => [name, s3.objects.get(name)] as const));
    for (const name of objects) s3.objects.delete(name);
    const fresh = folder.at('other-backups');
    assertFails(await cli(['backup', fresh], { env: env() }), /MISSING: the files of 3 attachments/);
    for (const [name, object] of away) if (object !== undefined) s3.objects.set(name, object);
    s3.fault = ({ what }) => (what === 'GET object' ? { status: 403, code: 'AccessDenied' } : null);
    const refused = await cli(['backup', folder.at('refused-backups')], { env: env() });
    assertFails(refused, /attachment storage: S3 cannot be used \(AccessDenied/);
    s3.fault = () => null;
    // The failed one has released its lease.
    await backUp();
  });
});

onSqlite('the lease of a backup', (open) => {
  test('keeps objects in S3 until it ends', async () => {
    await using s3 = await S3Double.start();
    const clock = testClock(Date.now());
    await using blobs = s3Blobs({
      bucket: S3Double.bucket,
      prefix: '',
      endpoint: s3.url,
      addressing: 'path',
      region: 'us-east-1',
      credentials: { accessKeyId: 'alice', secretAccessKey: 'secret' },
      clock,
    });
    const trashLimits = { notes: 0, textBytes: 0, attachmentBytes: () => 0 };
    await using server = await startServer({ open, blobs, clock, trashLimits });
    const { alice, app, db } = server;
    await alice.post('/vaults', { name: 'Kept' });
    await uploadRaw(alice, 'a.png', fileOf('png'));
    await uploadRaw(alice, 'a.png', fileOf('png'));
    clock.advance({ minutes: 11 });
    {
      await using _lease = await BackupLease.acquire(db, clock);
      assert.equal(await app.attachments.collect(), 0);
      assert.equal(s3.objects.size, 2);
    }
    assert.equal(await app.attachments.collect(), 1);
    assert.equal(s3.objects.size, 1);
  });
});

async function keyOf(dataDir: string): Promise<string> {
  return (await readKeyFile(keyFile(dataDir)))?.toString('base64') ?? '';
}
