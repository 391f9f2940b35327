import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobError, type Blobs } from '../../src/ports/blobs/blobs.ts';
import { databaseBlobs } from '../../src/ports/blobs/database.ts';
import { type Database, DatabaseError } from '../../src/ports/database/database.ts';
import { portError as postgresError } from '../../src/ports/database/postgres/errors.ts';
import { portError as sqliteError } from '../../src/ports/database/sqlite/errors.ts';
import { FlakySocket } from '../kit/clients/provider-clients.ts';
import { testClock } from '../kit/clock.ts';
import { onEachEngine } from '../kit/engines.ts';
import type { Person } from '../kit/person.ts';
import { startServer } from '../kit/server.ts';
import { setUpTotp } from '../kit/totp.ts';
import { until } from '../kit/until.ts';

/** A database and blobs on a disk that can be filled. */
function fillable(db: Database, blobs: Blobs) {
  const disk = { full: false };
  const refuse = async (error: Error) => {
    throw error;
  };
  const over = <Port extends object>(port: Port, name: string, error: () => Error): Port =>
    new Proxy(port, {
      get(target, key) {
        const own: unknown = Reflect.get(target, key, target);
        if (typeof own !== 'function') return own;
        return (...sent: unknown[]) => (key === name && disk.full ? refuse(error()) : own.apply(target, sent));
      },
    });
  const full = () => new DatabaseError('unavailable', 'the disk is full', undefined, { full: true });
  return {
    disk,
    db: over(db, 'transact', full),
    blobs: over(blobs, 'put', () => new BlobError('full', 'The disk is full (ENOSPC).')),
  };
}

onEachEngine('a full disk', (open) => {
  test('a full disk refuses writes with storage_full while reads go on, and is over when there is room', async () => {
    const real = await open();
    const clock = testClock();
    const { disk, db, blobs } = fillable(real, databaseBlobs(real, clock));
    await using server = await startServer({ open: async () => db, clock, blobs });
    const { alice } = server;
    const { accessToken } = await alice.signed();
    const { vault } = (await alice.post('/vaults', { name: 'Work' })).body;
    const headers = { 'x-vault-id': vault.id, 'x-device-id': 'laptop' };
    const write = (content: string) => alice.post('/notes', { path: 'a.md', content, mtime: 1 }, headers);
    const { note } = (await write('before')).body;
    const ready = async () => {
      const { status, body } = await server.anyone.get('/../readyz');
      return [status, body.storage];
    };
    assert.deepEqual(await ready(), [200, 'ok']);
    using line = new FlakySocket(server.url);
    using editor = line.open(note.id, accessToken);
    await until(() => editor.doc.getText('content').toString() === 'before', 'the text');

    disk.full = true;
    const refused = await write('after');
    assert.deepEqual([refused.status, refused.body], [503, { error: 'storage_full' }]);
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    const upload = await alice.put('/attachments/a.txt', 'bytes', { ...headers, 'content-type': 'text/plain' });
    assert.deepEqual([upload.status, upload.body.error], [503, 'storage_full']);
    const reads = ['/notes/a.md', '/sync/manifest', '/sync/changes', '/vault/tree', '/vault/graph', '/tags', '/me'];
    for (const url of reads) assert.equal((await alice.get(url, headers)).status, 200, url);
    assert.deepEqual(await ready(), [200, 'full']);
    editor.doc.getText('content').insert(0, 'typed ');
    // The edit is not acknowledged: the client keeps it and connects again.
    await until(() => line.closes.length > 0, 'the end of the socket');
    assert.equal((await alice.get('/notes/a.md', headers)).body.content, 'before');

    disk.full = false;
    assert.equal((await write('after')).status, 200);
    assert.deepEqual(await ready(), [200, 'ok']);
  });

  const start = async () => {
    const real = await open();
    const clock = testClock();
    const { disk, db, blobs } = fillable(real, databaseBlobs(real, clock));
    const server = await startServer({ open: async () => db, clock, blobs });
    const logIn = ({ email, password }: Person) => server.anyone.post('/auth/login', { email, password });
    return { disk, server, logIn, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  };

  test('a sign-in on a full disk gets access for 15 minutes and no refresh cookie', async () => {
    await using full = await start();
    const { disk, logIn, server } = full;
    const { alice, bob, clock } = server;
    await bob.signed();
    const { vault } = (await alice.post('/vaults', { name: 'Work' })).body;
    const headers = { 'x-vault-id': vault.id };
    const note = { path: 'a.md', content: 'before', mtime: 1 };
    await alice.post('/notes', note, headers);

    disk.full = true;
    const { status, body, cookie } = await logIn(alice);
    assert.deepEqual([status, body.expires_in, cookie('refresh_token')], [200, 900, null]);
    const caller = server.bearer(body.access_token);
    assert.equal((await caller.get('/notes/a.md', headers)).body.content, 'before');
    assert.equal((await caller.post('/notes', note, headers)).body.error, 'storage_full');
    const [user = '', id = '', signature = ''] = body.access_token.slice('nv_ses_'.length).split('.');
    const other = (await bob.signed()).id;
    for (const forged of [`${other}.${id}.${signature}`, `${user}.${id}.${signature.slice(1)}`, `${user}.${other}.x`]) {
      assert.equal((await server.bearer(`nv_ses_${forged}`).get('/me')).status, 401, forged);
    }

    disk.full = false;
    assert.equal((await caller.post('/notes', note, headers)).status, 200);
    clock.advance({ minutes: 15 });
    assert.equal((await caller.get('/notes/a.md', headers)).status, 401);
  });

  test('access from a sign-in on a full disk ends with the sessions of the account', async () => {
    await using full = await start();
    const { disk, logIn, server } = full;
    const { alice } = server;
    await alice.signed();
    disk.full = true;
    const caller = server.bearer((await logIn(alice)).body.access_token);
    assert.equal((await caller.get('/me')).status, 200);
    disk.full = false;
    assert.equal((await alice.delete('/me/sessions')).status, 200);
    assert.equal((await caller.get('/me')).status, 401);
  });

  test('wrong passwords are counted on a full disk, and an account with a second factor is refused', async () => {
    await using full = await start();
    const { disk, logIn, server } = full;
    const { alice, bob, anyone, clock } = server;
    await setUpTotp(bob, clock);
    await alice.signed();
    disk.full = true;
    assert.deepEqual((await logIn(bob)).body, { error: 'storage_full' });
    const wrong = () => anyone.post('/auth/login', { email: alice.email, password: 'a wrong password' });
    for (let nth = 0; nth < 10; nth += 1) assert.equal((await wrong()).status, 401);
    assert.equal((await logIn(alice)).status, 429);
    clock.advance({ seconds: 1 });
    assert.equal((await logIn(alice)).status, 200);
  });
});

test('the errors of both engines for a full disk are recognized', () => {
  const sqlite = sqliteError(Object.assign(new Error('database or disk is full'), { errcode: 13 }));
  assert.ok(sqlite instanceof DatabaseError && sqlite.full);
  const other = sqliteError(Object.assign(new Error('disk I/O error'), { errcode: 10 }));
  assert.ok(other instanceof DatabaseError && !other.full);
  assert.equal((postgresError(new Error('gone')) as DatabaseError).full, false);
});
