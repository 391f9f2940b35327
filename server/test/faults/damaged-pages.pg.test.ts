import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databaseFile } from '../../src/data/data-folder.ts';
import { DAMAGES, prepareForDamage } from '../kit/database/damage.ts';
import { freshPostgres, whyNoPostgres } from '../kit/database/postgres.ts';
import { openRaw } from '../kit/database/raw-sql.ts';
import { cli, type Environment, Folder, startServe } from '../kit/programs/process.ts';
import { aliceAt } from '../kit/signed-in.ts';

type Env = Environment & { readonly NOTEVAULT_DATA_DIR: string };

/** Fills a vault, and damages the table of its entries. */
async function damagedData(env: Env, damage: () => void | Promise<void>): Promise<void> {
  {
    await using server = await startServe({ env });
    const alice = await aliceAt(server.url);
    await alice.post('/vaults', { name: 'Diary' });
    const notes = Array.from({ length: 60 }, (_, at) => ({ path: `${at}.md`, content: `note ${at}`, mtime: 1 }));
    await alice.post('/notes/batch', { notes }, { 'x-idempotency-key': 'filled' });
    await server.stop();
  }
  await damage();
}

async function showsDamage(env: Env): Promise<void> {
  await using server = await startServe({ env });
  const alice = await aliceAt(server.url);
  const ready = async () => {
    const answer = await fetch(`${server.url}/readyz`);
    return [answer.status, ((await answer.json()) as { database: string }).database];
  };
  for (const path of ['/sync/manifest', '/sync/changes?limit=100', '/sync/manifest']) {
    const { status, body } = await alice.get(path);
    assert.deepEqual([status, body.error], [500, 'internal'], path);
  }
  assert.deepEqual(await ready(), [200, 'damaged']);
  assert.equal((await alice.get('/vaults')).status, 200);
  const doctor = await cli(['doctor', '--port', new URL(server.url).port], { env });
  assert.equal(doctor.code, 1, doctor.stdout);
  assert.match(doctor.stdout, /^FAULT stored pages: damaged: /m);
  const { stdout } = await server.stop();
  const errors = stdout
    .split('\n')
    .filter((line) => line.includes('"level":"error"') && line.includes('"msg":"the database is damaged'));
  assert.equal(errors.length, 1, stdout);
  assert.ok(!stdout.includes('request failed'), stdout);
}

describe('damaged pages', () => {
  it('damaged pages on sqlite are logged once, shown by /readyz and doctor, and answered with 500', async () => {
    using folder = new Folder();
    const env = { NOTEVAULT_DATA_DIR: folder.at('data') };
    await damagedData(env, () => {
      prepareForDamage(databaseFile(env.NOTEVAULT_DATA_DIR));
      DAMAGES['an overwritten leaf page'](databaseFile(env.NOTEVAULT_DATA_DIR));
    });
    await showsDamage(env);
  });

  it('damaged pages on postgres are logged once, shown by /readyz and doctor, and answered with 500', {
    skip: whyNoPostgres() ?? false,
  }, async () => {
    using folder = new Folder();
    await using fresh = await freshPostgres();
    const env = { NOTEVAULT_DATA_DIR: folder.at('data'), NOTEVAULT_DATABASE_URL: fresh.url };
    await damagedData(env, async () => {
      await using raw = await openRaw(fresh);
      await raw.run("update pg_class set relfilenode = 999999999 where relname = 'entries'");
    });
    await showsDamage(env);
  });
});
