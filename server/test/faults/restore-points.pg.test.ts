import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshPostgres, whyNoPostgres } from '../kit/database/postgres.ts';
import { assertFails, cli, Folder, startServe } from '../kit/programs/process.ts';
import { type Data, type DataEnvironment, dataAfterKill, dataOf, prepare } from './restorable-data.ts';

const noPostgres = whyNoPostgres() ?? false;

async function run(args: string[], env: DataEnvironment): Promise<string> {
  const { code, stdout, stderr } = await cli(args, { env });
  assert.equal(code, 0, stdout + stderr);
  return stdout;
}

/** The names of the restore points, as the command lists them. */
async function pointsOf(env: DataEnvironment): Promise<string[]> {
  const listed = await run(['restore', '--list-points'], env);
  return listed.match(/^restore[-_]point[-_]\S+(?= {2}\d+\.\d MB$)/gm) ?? [];
}

async function onlyPointOf(env: DataEnvironment): Promise<string> {
  const [point = '', ...others] = await pointsOf(env);
  assert.deepEqual(others, []);
  return point;
}

/** Restores a backup over data, returns to the data before, and returns from that. */
async function testReturns(env: DataEnvironment, backups: string, steps: readonly (readonly [string, Data])[]) {
  await prepare(env, backups);
  assert.match(await run(['restore', '--list-points'], env), /^There are no restore points/);
  await run(['restore', backups], env);
  const before = await onlyPointOf(env);
  assertFails(await cli(['restore', '--point', 'other'], { env }), /There is no restore point other\. There are: /);
  {
    await using server = await startServe({ env });
    assertFails(await cli(['restore', '--point', before], { env }), /notevault process works in|stop every server/);
    await server.stop();
  }
  let found: Data = 'new';
  for (const [step, expected] of steps) {
    found = await dataAfterKill(env, ['restore', '--point', before], step);
    assert.equal(found, expected, step);
  }
  if (found === 'new') await run(['restore', '--point', before], env);
  assert.equal(await dataOf(env), 'old');
  const [after = '', ...others] = (await pointsOf(env)).filter((name) => name !== before);
  assert.ok(after !== '' && others.length === 0, 'the restored data is a restore point now');
  await run(['restore', '--point', after], env);
  assert.ok(!(await pointsOf(env)).includes(after), 'the point itself is none any more');
  assert.equal(await dataOf(env), 'new');
}

describe('notevault restore --point', () => {
  test('puts the data before a restore of a data folder back, whole or not at all if it is killed', async () => {
    using folder = new Folder();
    await testReturns({ NOTEVAULT_DATA_DIR: folder.at('data') }, folder.at('backups'), [
      ['1 ^open .*/restoring/data/', 'new'],
      ['1 ^open .*/restoring/replace', 'new'],
      // The present database is out of the way, and the other not yet in its place: the next start completes it.
      ['1 ^rename .*/restoring/data/notevault.sqlite$', 'old'],
    ]);
  });

  test('puts the tables before a restore into PostgreSQL back, whole or not at all if it is killed', {
    skip: noPostgres,
  }, async () => {
    using folder = new Folder();
    await using database = await freshPostgres();
    const env = { NOTEVAULT_DATA_DIR: folder.at('data'), NOTEVAULT_DATABASE_URL: database.url };
    await testReturns(env, folder.at('backups'), [
      ['50 set schema', 'new'],
      ['1 ^drop schema', 'old'],
    ]);
  });
});
