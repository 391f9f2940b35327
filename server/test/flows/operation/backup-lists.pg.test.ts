import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { databaseFile } from '../../../src/data/data-folder.ts';
import { keyFile } from '../../../src/open-ports.ts';
import { fileOf, readRaw, sha256 } from '../../kit/content/files.ts';
import { type FreshDatabase, freshPostgres, whyNoPostgres } from '../../kit/database/postgres.ts';
import { openRaw } from '../../kit/database/raw-sql.ts';
import type { Caller } from '../../kit/person.ts';
import { cli, type Environment, Folder, startServe } from '../../kit/programs/process.ts';
import { aliceAt } from '../../kit/signed-in.ts';
import { until } from '../../kit/until.ts';

const NOTES = 520;
const AT_ONCE = 20;
const noPostgres = whyNoPostgres() ?? false;
if (noPostgres !== false) process.stderr.write(`NOT TESTED ON POSTGRESQL: backups of large vaults: ${noPostgres}\n`);

const textOf = (at: number) => `# Note ${at}\n[[${at + 1}]] follows.\n`;
const picture = fileOf('png', 50_000);

async function succeed(args: string[], env: Environment): Promise<string> {
  const { code, stdout, stderr } = await cli(args, { env });
  assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

/** Imports a folder, reads its lists, and waits until the server has stored pages of them. */
async function fill(env: Environment & { NOTEVAULT_DATA_DIR: string }, folder: string, database: FreshDatabase | null) {
  await using server = await startServe({ env });
  const alice = await aliceAt(server.url);
  await succeed(['import', folder, '--vault', 'Large'], env);
  await using raw = await openRaw(database ?? { file: databaseFile(env.NOTEVAULT_DATA_DIR) });
  const hasPages = async () => (await raw.all('select 1 as one from cache_pages limit 1')).length > 0;
  assert.equal((await alice.get('/sync/manifest')).body.total_notes, NOTES);
  // Written by a job every ten seconds, of the rows that were read.
  await until(hasPages, 'a page of the lists');
}

async function readAll(alice: Caller): Promise<void> {
  const { notes } = (await alice.get('/sync/manifest')).body as { notes: { path: string }[] };
  assert.equal(notes.length, NOTES);
  for (let at = 0; at < NOTES; at += AT_ONCE) {
    const reads = notes.slice(at, at + AT_ONCE).map(async ({ path }) => {
      assert.equal((await alice.get(`/notes/${path}`)).body.content, textOf(Number.parseInt(path, 10)), path);
    });
    await Promise.all(reads);
  }
  assert.equal(sha256((await readRaw(alice, 'picture.png')).bytes), sha256(picture));
}

async function testReturn(database: FreshDatabase | null, empty: FreshDatabase | null): Promise<void> {
  using folder = new Folder();
  const notes = folder.at('notes');
  mkdirSync(notes);
  for (let at = 0; at < NOTES; at++) writeFileSync(`${notes}/${at}.md`, textOf(at));
  writeFileSync(`${notes}/picture.png`, picture);
  const on = (place: FreshDatabase | null) => (place === null ? {} : { NOTEVAULT_DATABASE_URL: place.url });
  const env = { NOTEVAULT_DATA_DIR: folder.at('data'), ...on(database) };
  const backups = folder.at('backups');
  await fill(env, notes, database);
  await succeed(['backup', backups], env);
  assert.match(await succeed(['verify', backups, '--deep'], env), /The backup is good\./);
  const there = {
    ...{ NOTEVAULT_DATA_DIR: folder.at('elsewhere'), ...on(empty) },
    NOTEVAULT_MASTER_KEY: readFileSync(keyFile(env.NOTEVAULT_DATA_DIR), 'utf8').trim(),
  };
  await succeed(['restore', backups], there);
  assert.match(await succeed(['doctor'], there), /sealed values: one of each table opened/);
  await using server = await startServe({ env: there });
  await readAll(await aliceAt(server.url));
  assert.equal((await server.stop()).code, 0);
  // The data before a return from a backup: its pages are of the epoch before it.
  await succeed(['restore', backups], env);
  const point = /^restore[-_]point\S+/m.exec(await succeed(['restore', '--list-points'], env))?.[0] ?? '';
  await succeed(['restore', '--point', point], env);
  await succeed(['doctor', '--restored'], env);
  assert.match(await succeed(['doctor'], env), /sealed values: one of each table opened/);
}

describe('a backup of a vault with stored pages of its lists', () => {
  test('a backup of a vault with stored pages of its lists is restored into an empty data folder, and all of it can be read', async () => {
    await testReturn(null, null);
  });

  test('a backup of a vault with stored pages of its lists is restored into an empty PostgreSQL database, and all of it can be read', {
    skip: noPostgres,
  }, async () => {
    await using database = await freshPostgres();
    await using empty = await freshPostgres();
    await testReturn(database, empty);
  });
});
