import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileOf, readRaw, sha256, uploadRaw } from '../kit/content/files.ts';
import { type FreshDatabase, freshPostgres, whyNoPostgres } from '../kit/database/postgres.ts';
import { openRaw } from '../kit/database/raw-sql.ts';
import { startPgbouncer, whyNoPgbouncer } from '../kit/programs/pgbouncer.ts';
import { assertFails, cli, Folder, startServe } from '../kit/programs/process.ts';
import { aliceAt } from '../kit/signed-in.ts';

const skip = whyNoPostgres() ?? false;
if (skip !== false) process.stderr.write(`NOT TESTED: restoring over PostgreSQL: ${skip}\n`);
const noPooler = whyNoPgbouncer() ?? false;
if (noPooler !== false) process.stderr.write(`NOT TESTED: restoring behind a pooler: ${noPooler}\n`);

describe('notevault restore over a PostgreSQL database with data', { skip }, () => {
  const folder = new Folder();
  const backups = folder.at('backups');
  const picture = fileOf('png', 100_000);
  let database: FreshDatabase;
  const env = () => ({ NOTEVAULT_DATA_DIR: folder.at('data'), NOTEVAULT_DATABASE_URL: database.url });

  before(async () => {
    database = await freshPostgres();
    await using server = await startServe({ env: env() });
    const alice = await aliceAt(server.url);
    await alice.post('/vaults', { name: 'Diary' });
    await alice.post('/notes', { path: 'both.md', content: 'before', mtime: 1 });
    await uploadRaw(alice, 'picture.png', picture);
    const taken = await cli(['backup', backups], { env: env() });
    assert.equal(taken.code, 0, taken.stderr);
    await alice.post('/notes', { path: 'both.md', content: 'after', mtime: 2 });
    await alice.delete('/attachments/picture.png');
    await server.stop();
  });
  after(async () => {
    await database?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  async function noteOf(server: { readonly url: string }): Promise<string> {
    return (await (await aliceAt(server.url)).get('/notes/both.md')).body.content;
  }

  async function schemas(): Promise<string[]> {
    await using raw = await openRaw(database);
    const sql =
      "select nspname::text as name from pg_namespace where nspname ~ '^(restore_point|notevault)_' order by 1";
    return (await raw.all(sql)).map(({ name }) => String(name));
  }

  test('is refused while a server runs', async () => {
    await using server = await startServe({ env: env() });
    assertFails(await cli(['restore', backups], { env: env() }), /stop every server on it.*Nothing was changed/);
    assert.equal(await noteOf(server), 'after');
    await server.stop();
  });

  test('changes nothing when the restored data does not work', async () => {
    await using broken = await freshPostgres();
    const elsewhere = { ...env(), NOTEVAULT_DATABASE_URL: broken.url };
    const first = await cli(['restore', backups], { env: elsewhere });
    assert.equal(first.code, 0, first.stderr);
    {
      await using raw = await openRaw(broken);
      assert.equal(await raw.run("update vaults set meta = '\\x00'::bytea || substr(meta, 2)"), 1);
    }
    const bad = folder.at('bad');
    const taken = await cli(['backup', bad], { env: elsewhere });
    assert.equal(taken.code, 0, taken.stderr);
    assertFails(await cli(['restore', bad], { env: env() }), /restored data does not work .*Nothing was changed/);
    assert.deepEqual(await schemas(), []);
    await using server = await startServe({ env: env() });
    assert.equal(await noteOf(server), 'after');
    await server.stop();
  });

  test('keeps the data before in a schema, and what it made can be backed up again', async () => {
    const restored = await cli(['restore', backups], { env: env() });
    assert.equal(restored.code, 0, restored.stderr);
    const [point = '', ...others] = await schemas();
    assert.deepEqual(others, []);
    assert.ok(restored.stdout.includes(`kept in ${point}`), restored.stdout);
    {
      await using raw = await openRaw(database);
      const gone = await raw.all(`select count(*)::int as count from "${point}".entries where deleted_at is not null`);
      assert.deepEqual(gone, [{ count: 1 }], 'the deletion after the backup is in the data before');
    }
    await using server = await startServe({ env: env() });
    assert.equal(await noteOf(server), 'before');
    const alice = await aliceAt(server.url);
    assert.equal(sha256((await readRaw(alice, 'picture.png')).bytes), sha256(picture));
    const again = await cli(['backup', backups], { env: env() });
    assert.equal(again.code, 0, again.stderr);
    const checked = await cli(['verify', backups, '--deep'], { env: env() });
    assert.equal(checked.code, 0, checked.stdout + checked.stderr);
    await server.stop();
  });

  test('works behind a pooler, which keeps connections of a stopped server open', {
    skip: noPooler,
  }, async () => {
    await using pooler = await startPgbouncer(database.url);
    const pooled = {
      ...env(),
      NOTEVAULT_DATABASE_URL: pooler.url,
      NOTEVAULT_DATABASE_DIRECT_URL: database.url,
      NOTEVAULT_DATABASE_PREPARED: 'off',
    };
    {
      await using server = await startServe({ env: pooled });
      assertFails(await cli(['restore', backups], { env: pooled }), /stop every server on it/);
      await server.stop();
    }
    const restored = await cli(['restore', backups], { env: pooled });
    assert.equal(restored.code, 0, restored.stderr);
    await using server = await startServe({ env: pooled });
    assert.equal(await noteOf(server), 'before');
  });
});
