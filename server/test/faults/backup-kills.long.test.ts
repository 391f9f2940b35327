import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { verifyBackup } from '../../src/backup/verify/verify-backup.ts';
import { readConfig } from '../../src/config/config.ts';
import { databaseFile } from '../../src/data/data-folder.ts';
import { keyFile } from '../../src/open-ports.ts';
import { fileOf, readRaw, sha256, uploadRaw } from '../kit/content/files.ts';
import { type FreshDatabase, freshPostgres, whyNoPostgres } from '../kit/database/postgres.ts';
import { openRaw } from '../kit/database/raw-sql.ts';
import { cli, type Environment, Folder, startCli, startServe } from '../kit/programs/process.ts';
import { Random, seedOfRun } from '../kit/random.ts';
import { aliceAt } from '../kit/signed-in.ts';

const RUNS = 100;
/** Runs after which a backup and a restore are left to end. */
const WHOLE_EVERY = 10;
const NOTES = 20;

type Data = Environment & { readonly NOTEVAULT_DATA_DIR: string };
/** The text of each note, and the hash of each attachment, by path. */
type Contents = ReadonlyMap<string, string>;

/** Changes some notes and adds an attachment. */
async function change(env: Data, run: number, random: Random, before: Contents): Promise<Contents> {
  await using server = await startServe({ env });
  const alice = await aliceAt(server.url);
  const after = new Map(before);
  if (run === 0) assert.equal((await alice.post('/vaults', { name: 'Diary' })).status, 201);
  for (let each = 0; each < (run === 0 ? NOTES : 3); each++) {
    const path = `n${run === 0 ? each : random.below(NOTES)}.md`;
    const content = `${path} in run ${run}, ${each}`;
    assert.equal((await alice.post('/notes', { path, content, mtime: run })).status, 200);
    after.set(path, content);
  }
  const picture = fileOf('png', 1000 + random.below(50_000));
  assert.equal((await uploadRaw(alice, `p${run}.png`, picture)).status, 200);
  after.set(`p${run}.png`, sha256(picture));
  assert.equal((await server.stop()).code, 0);
  return after;
}

async function contentsOf(env: Data): Promise<Contents> {
  await using server = await startServe({ env });
  const alice = await aliceAt(server.url);
  const { notes, attachments } = (await alice.get('/sync/manifest')).body as Record<string, { path: string }[]>;
  const found = new Map<string, string>();
  for (const { path } of notes ?? []) found.set(path, (await alice.get(`/notes/${path}`)).body.content);
  for (const { path } of attachments ?? []) found.set(path, sha256((await readRaw(alice, path)).bytes));
  assert.equal((await server.stop()).code, 0);
  return found;
}

/** Kills a command after a random time; false when it had ended before. */
async function killed(args: string[], env: Data, random: Random): Promise<boolean> {
  using command = startCli(args, { env });
  const timer = setTimeout(() => command.kill('SIGKILL'), 150 + random.below(1500));
  const { signal } = await command.ended;
  clearTimeout(timer);
  return signal === 'SIGKILL';
}

/** A killed backup keeps its lease for three minutes. */
async function endLease(env: Data, database: FreshDatabase | null): Promise<void> {
  await using raw = await openRaw(database ?? { file: databaseFile(env.NOTEVAULT_DATA_DIR) });
  await raw.run('update backup_state set holder = null, lease_until = 0');
}

/** Flips a bit of a piece that an earlier backup has written. */
function damagePiece(backups: string, random: Random): void {
  const pieces = readdirSync(join(backups, 'database'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const file = random.pick(pieces);
  if (statSync(file).size === 0) return;
  const bytes = readFileSync(file);
  const at = random.below(bytes.length);
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random.below(8)), at);
  writeFileSync(file, bytes);
}

async function testKills(t: TestContext, database: FreshDatabase | null, empty: FreshDatabase | null): Promise<void> {
  const random = new Random(seedOfRun(t));
  using folder = new Folder();
  const on = (place: FreshDatabase | null) => (place === null ? {} : { NOTEVAULT_DATABASE_URL: place.url });
  const env: Data = { NOTEVAULT_DATA_DIR: folder.at('data'), ...on(database) };
  const backups = folder.at('backups');
  let contents: Contents = new Map();
  let kills = { backups: 0, restores: 0 };
  let restored: Contents | null = null;
  for (let run = 0; run < RUNS; run++) {
    if (run % WHOLE_EVERY === 0) contents = await change(env, run, random, contents);
    if (run % 7 === 3 && run > WHOLE_EVERY) damagePiece(backups, random);
    if (await killed(['backup', backups], env, random)) kills = { ...kills, backups: kills.backups + 1 };
    await endLease(env, database);
    if (run % WHOLE_EVERY !== WHOLE_EVERY - 1) continue;

    const taken = await cli(['backup', backups, '--keep', '3'], { env });
    assert.equal(taken.code, 0, taken.stderr);
    const key = readFileSync(keyFile(env.NOTEVAULT_DATA_DIR), 'utf8').trim();
    const config = readConfig({ ...env, NOTEVAULT_MASTER_KEY: key });
    const { opened } = await verifyBackup({ path: backups, config, passphrase: null, deep: true });
    assert.deepEqual(opened?.faults, [], `run ${run}`);

    // Over the data of the restore before, which is what a killed one must leave.
    const there = { NOTEVAULT_DATA_DIR: folder.at('there'), ...on(empty), NOTEVAULT_MASTER_KEY: key };
    for (let attempt = 0; attempt < 2; attempt++) {
      if (await killed(['restore', backups], there, random)) kills = { ...kills, restores: kills.restores + 1 };
      if (restored === null) continue;
      const found = await contentsOf(there);
      const isEither = [restored, contents].some((each) => equal(found, each));
      assert.ok(isEither, `run ${run}: the data after a killed restore is neither of the two`);
    }
    const whole = await cli(['restore', backups], { env: there });
    assert.equal(whole.code, 0, whole.stderr);
    assert.deepEqual(await contentsOf(there), contents, `run ${run}`);
    restored = contents;
  }
  t.diagnostic(`${kills.backups} backups and ${kills.restores} restores were killed`);
}

function equal(a: Contents, b: Contents): boolean {
  return a.size === b.size && [...a].every(([path, content]) => b.get(path) === content);
}

test(`backups and restores that are killed at any time in ${RUNS} runs, on sqlite`, (t) => testKills(t, null, null));

test(`backups and restores that are killed at any time in ${RUNS} runs, on postgres`, {
  skip: whyNoPostgres() ?? false,
}, async (t) => {
  await using database = await freshPostgres();
  await using empty = await freshPostgres();
  await testKills(t, database, empty);
});
