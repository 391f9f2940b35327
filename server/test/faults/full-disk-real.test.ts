import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { type Answer, Caller } from '../kit/person.ts';
import { startServe } from '../kit/programs/process.ts';
import { SmallDisk } from '../kit/programs/small-disk.ts';
import { aliceAt, bearer, tokenAt } from '../kit/signed-in.ts';
import { until } from '../kit/until.ts';

const SIZE_MB = 64;
/** Free bytes left for notes before the disk is full. */
const LEFT_BYTES = 3_000_000;
const WRITERS = 8;

/** Writes notes until the disk is full; returns the text of each that was acknowledged. */
async function writeUntilFull(alice: Caller): Promise<{ kept: Map<string, string>; refusal: Answer }> {
  const kept = new Map<string, string>();
  let refusal: Answer | null = null;
  const writer = async (name: number) => {
    for (let count = 0; refusal === null; count++) {
      const [path, content] = [`${name}/${count}.md`, `${name} ${count} ${'text '.repeat(1500)}`];
      const answer = await alice.post('/notes', { path, content, mtime: 1 });
      if (answer.status === 200) kept.set(path, content);
      else refusal = answer;
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, name) => writer(name)));
  assert.ok(refusal !== null);
  return { kept, refusal };
}

async function checkKept(alice: Caller, kept: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, content] of kept) {
    const { status, body } = await alice.get(`/notes/${path}`);
    assert.deepEqual([status, body.content], [200, content], path);
  }
}

const skip = SmallDisk.isMissing('a disk that is really full');

test('a server whose disk is full loses nothing acknowledged, serves reads, and recovers with room', {
  skip,
}, async () => {
  using disk = SmallDisk.mount(SIZE_MB);
  const env = { NOTEVAULT_DATA_DIR: `${disk.path}/data`, NOTEVAULT_LOG_LEVEL: 'fatal' };
  const ballast = `${disk.path}/ballast`;
  const kept = new Map<string, string>();
  let token = '';
  {
    await using server = await startServe({ env });
    token = await tokenAt(server.url);
    const alice = bearer(server.url, token);
    await alice.post('/vaults', { name: 'Diary' });
    disk.fill(ballast, LEFT_BYTES);
    const written = await writeUntilFull(alice);
    for (const [path, content] of written.kept) kept.set(path, content);
    assert.ok(kept.size > 10, `${kept.size}`);
    assert.deepEqual([written.refusal.status, written.refusal.body.error], [503, 'storage_full']);
    assert.ok(Number(written.refusal.headers.get('retry-after')) > 0);
    await checkKept(alice, kept);
    // What it says of the disk depends on the last write, and a small one may still fit.
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);

    rmSync(ballast);
    const again = { path: 'again.md', content: 'there is room', mtime: 1 };
    await until(async () => (await alice.post('/notes', again)).status === 200, 'a write when there is room');
    kept.set(again.path, again.content);
    disk.fill(ballast, 0);
    await server.kill();
  }
  {
    await using server = await startServe({ env });
    const alice = bearer(server.url, token);
    await checkKept(alice, kept);
    // The start may have made room in the log of the database.
    const written = await writeUntilFull(alice);
    for (const [path, content] of written.kept) kept.set(path, content);
    assert.deepEqual([written.refusal.status, written.refusal.body.error], [503, 'storage_full']);
  }
  // A start recovers what is in the log of the database.
  rmSync(ballast);
  await using server = await startServe({ env });
  await checkKept(await aliceAt(server.url), kept);
});

const storageOf = async (url: string) => (await new Caller(url).get('/../readyz')).body.storage;
const alice = { email: 'alice@example.org', password: 'a long enough password' };

test('a server starts on a full disk, names its folder, and allows reads, sign-in and deletion', {
  skip,
}, async () => {
  using disk = SmallDisk.mount(SIZE_MB);
  const env = { NOTEVAULT_DATA_DIR: `${disk.path}/data`, NOTEVAULT_LOG_LEVEL: 'fatal' };
  const ballast = `${disk.path}/ballast`;
  {
    await using server = await startServe({ env });
    const caller = await aliceAt(server.url);
    await caller.post('/vaults', { name: 'Diary' });
    const note = { path: 'a.md', content: 'written before', mtime: 1 };
    assert.equal((await caller.post('/notes', note)).status, 200);
    await server.stop();
  }
  disk.fill(ballast, 0);
  await using server = await startServe({ env });
  const storage = () => storageOf(server.url);
  assert.equal(await storage(), 'full');
  const write = async (caller: Caller, content: string) =>
    (await caller.post('/notes', { path: 'b.md', content, mtime: 1 })).status;

  const anyone = new Caller(server.url);
  let cookie = '';
  for (let nth = 0; nth < 20; nth += 1) {
    const login = await anyone.post('/auth/login', alice);
    assert.equal(login.status, 200);
    const caller = bearer(server.url, login.body.access_token);
    assert.equal((await caller.get('/notes/a.md')).body.content, 'written before');
    assert.equal(await write(caller, 'refused'), 503);
    cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    assert.equal((await anyone.post('/auth/refresh', undefined, { cookie })).status, 200);
    assert.equal((await anyone.post('/auth/logout', undefined, { cookie })).status, 204);
  }
  assert.equal(await storage(), 'full');
  const caller = await aliceAt(server.url);
  assert.equal((await caller.delete('/notes/a.md')).status, 200);

  rmSync(ballast);
  await until(async () => (await write(caller, 'there is room')) === 200, 'a write when there is room');
  assert.equal(await storage(), 'ok');
  const { stderr } = await server.stop();
  assert.ok(stderr.includes(`The disk of ${disk.path}/data is full`), stderr);
});

test('people sign in to a server whose disk becomes full while it runs, and after a restart', { skip }, async () => {
  using disk = SmallDisk.mount(SIZE_MB);
  const env = { NOTEVAULT_DATA_DIR: `${disk.path}/data`, NOTEVAULT_LOG_LEVEL: 'fatal' };
  const signIn = async (url: string) => (await new Caller(url).post('/auth/login', alice)).status;
  {
    await using server = await startServe({ env });
    const caller = await aliceAt(server.url);
    await caller.post('/vaults', { name: 'Diary' });
    disk.fill(`${disk.path}/ballast`, LEFT_BYTES);
    const { kept } = await writeUntilFull(caller);
    assert.equal(await storageOf(server.url), 'full');
    for (let nth = 0; nth < 20; nth += 1) assert.equal(await signIn(server.url), 200);
    // Deletions bring room on the disk once the notes are purged, and fit into what is kept for them.
    for (const path of [...kept.keys()].slice(0, 20)) {
      assert.equal((await caller.delete(`/notes/${path}`)).status, 200, path);
    }
    await server.kill();
  }
  await using server = await startServe({ env });
  assert.equal(await storageOf(server.url), 'full');
  for (let nth = 0; nth < 20; nth += 1) assert.equal(await signIn(server.url), 200);
});
