/**
 * A failover to a standby that lacks commits: cursors that name lost changes must not count as current once their seqs
 * are given to others.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Client } from 'pg';
import { type Config, readConfig } from '../../src/config/config.ts';
import { openDatabase, openDatabaseAsIs } from '../../src/open-ports.ts';
import { TcpLine } from '../kit/clients/tcp-line.ts';
import { testClock } from '../kit/clock.ts';
import { migratedPostgres, whyNoPostgres } from '../kit/database/postgres.ts';
import { startCluster } from '../kit/database/postgres-cluster.ts';
import { openRaw } from '../kit/database/raw-sql.ts';
import { Folder } from '../kit/programs/process.ts';
import { startServer } from '../kit/server.ts';

const skip = whyNoPostgres() ?? false;

const configFor = (url: string, { path }: Folder): Config =>
  readConfig({ NOTEVAULT_DATA_DIR: path, NOTEVAULT_DATABASE_URL: url });

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const epochs = async (url: string) =>
  (await query(url, 'select distinct feed_epoch::int as epoch from vault_feeds')).map(({ epoch }) => epoch as number);
/** Makes the next check find another server than the stored one. */
const moveElsewhere = (url: string) => query(url, "update server_identity set identity = 'elsewhere'");

describe('a failover of PostgreSQL', { skip }, () => {
  test('a failover of PostgreSQL to a standby that lacks commits voids the cursors that name them', async () => {
    using cluster = await startCluster({ standby: true });
    await using line = new TcpLine(cluster.url);
    using folder = new Folder();
    const config = configFor(await line.open(), folder);
    await using db = await openDatabase(config);
    await using server = await startServer({ open: async () => db, blobs: 'database' });
    const { alice } = server;
    const { vault } = (await alice.post('/vaults', { name: 'Home' })).body;
    const write = (path: string) => alice.post('/notes', { path, content: path, mtime: 1 });
    assert.equal((await write('kept.md')).status, 200);
    await query(cluster.url, 'checkpoint');
    await cluster.crash();
    const startStandby = cluster.copyToStandby();
    await cluster.restart();
    const retried = async <T extends { readonly status: number }>(send: () => Promise<T>) => {
      for (;;) {
        const answer = await send();
        if (answer.status !== 503) return answer;
      }
    };
    await retried(() => write('lost.md'));
    const { resume_cursor: cursor } = (await alice.get('/sync/changes')).body;
    const changesSince = () => alice.get(`/sync/changes?cursor=${encodeURIComponent(cursor)}`);
    assert.deepEqual((await changesSince()).body.changes, []);

    line.down = true;
    line.cut();
    await cluster.crash();
    const standby = await startStandby();
    line.leadTo(standby);
    line.down = false;
    await assert.rejects(openDatabaseAsIs(config), { code: 'unavailable' }, 'nothing is read from a standby');
    await query(standby, 'select pg_promote()');
    const later = await retried(() => write('later.md'));
    assert.equal(later.status, 200);
    const expired = await changesSince();
    assert.deepEqual([expired.status, expired.body.error], [410, 'history_expired']);
    const { body } = await alice.get('/sync/changes');
    const paths = body.changes.map((change: { path: string }) => change.path);
    assert.deepEqual(paths, ['kept.md', 'later.md'], vault.id);
    await query(standby, 'checkpoint');
    const [epoch] = await epochs(standby);
    await using _other = await openDatabase(config);
    assert.deepEqual(await epochs(standby), [epoch], 'a checkpoint changes nothing');
  });

  test('a failover of PostgreSQL begins one epoch, however many servers find out at once', async () => {
    await using fresh = await migratedPostgres();
    using folder = new Folder();
    const config = configFor(fresh.url, folder);
    {
      await using db = await openDatabase(config);
      await using server = await startServer({ open: async () => db, clock: testClock(0), blobs: 'database' });
      await server.alice.post('/vaults', { name: 'Home' });
      assert.deepEqual(await epochs(fresh.url), [1], 'the first server begins none');
    }
    await moveElsewhere(fresh.url);
    // A clock at the epoch's begin, so that each time a feed is counted up by one.
    const opened = await Promise.all(Array.from({ length: 6 }, () => openDatabase(config, testClock(0))));
    assert.deepEqual(await epochs(fresh.url), [2]);
    for (const db of opened) await db[Symbol.asyncDispose]();
  });

  test('a failover of PostgreSQL is found by a role without privileges', async () => {
    await using fresh = await migratedPostgres();
    await using raw = await openRaw(fresh);
    const role = `plain_${process.pid}`;
    await raw.run(`create role ${role} login nosuperuser password 'secret'`);
    await raw.run(`grant select, insert, update on server_identity to ${role}`);
    const url = new URL(fresh.url);
    [url.username, url.password] = [role, 'secret'];
    using folder = new Folder();
    {
      await using db = await openDatabaseAsIs(configFor(url.href, folder));
      assert.equal(db.engine, 'postgres');
      assert.match(
        String((await raw.all('select identity from server_identity'))[0]?.identity),
        /^\d{10,} [0-9A-F]{8}$/,
      );
    }
    await raw.run(`drop owned by ${role}`);
    await raw.run(`drop role ${role}`);
  });
});
