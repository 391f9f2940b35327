import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { freshPostgres, whyNoPostgres } from '../kit/database/postgres.ts';
import { openRaw } from '../kit/database/raw-sql.ts';
import { cli, Folder, suiteFolder } from '../kit/programs/process.ts';
import { type Data, dataAfterKill, dataOf, type Prepared, prepare } from './restorable-data.ts';

const noPostgres = whyNoPostgres() ?? false;

/** Kills a restore at a step; resolves to what a server finds then. */
const killedAt = ({ env, backups }: Prepared, step: string) => dataAfterKill(env, ['restore', backups], step);

/** A restore after a killed one ends well, and leaves nothing of it. */
async function restoreAgain({ env, backups }: Prepared): Promise<void> {
  const { code, stdout, stderr } = await cli(['restore', backups], { env });
  assert.equal(code, 0, stdout + stderr);
  assert.equal(await dataOf(env), 'new');
}

describe('a restore into a data folder that is killed', () => {
  const folder = suiteFolder();
  before(() => prepare({ NOTEVAULT_DATA_DIR: folder.at('data') }, folder.at('backups')));

  const steps: [what: string, step: string, found: Data][] = [
    ['before its data is complete', '1 ^open .*/restoring/replace', 'old'],
    // Between any two files: data/finish-restore.test.ts.
    ['when some files are replaced', '2 ^rename ', 'new'],
  ];
  for (const [at, [what, step, found]] of steps.entries()) {
    test(`${what}: the next start has the ${found} data`, async () => {
      const env = { NOTEVAULT_DATA_DIR: folder.at(`data-${at}`) };
      cpSync(folder.at('data'), env.NOTEVAULT_DATA_DIR, { recursive: true });
      const prepared = { env, backups: folder.at('backups') };
      assert.equal(await killedAt(prepared, step), found);
      assert.ok(!existsSync(join(env.NOTEVAULT_DATA_DIR, 'restoring', 'replace')));
      const points = readdirSync(env.NOTEVAULT_DATA_DIR).filter((name) => name.startsWith('restore-point-'));
      assert.equal(points.length, found === 'new' ? 1 : 0, 'the data before is kept');
      await restoreAgain(prepared);
      assert.ok(!existsSync(join(env.NOTEVAULT_DATA_DIR, 'restoring')));
    });
  }
});

describe('a restore into PostgreSQL that is killed', { skip: noPostgres }, () => {
  const steps: [what: string, step: string, found: Data][] = [
    ['as it copies rows', '1 ^copy "entries"', 'old'],
    ['when some tables are replaced', '50 set schema', 'old'],
    ['after the replacement was committed', '2 ^drop schema', 'new'],
  ];
  for (const [what, step, found] of steps) {
    test(`${what}: the next start has the ${found} data`, async () => {
      using folder = new Folder();
      await using database = await freshPostgres();
      const env = { NOTEVAULT_DATA_DIR: folder.at('data'), NOTEVAULT_DATABASE_URL: database.url };
      const prepared = { env, backups: folder.at('backups') };
      await prepare(env, prepared.backups);
      assert.equal(await killedAt(prepared, step), found);
      const { stdout } = await cli(['doctor'], { env });
      assert.match(stdout, /warn {2}restore: .*drop schema notevault_restoring cascade/);
      await restoreAgain(prepared);
      await using raw = await openRaw(database);
      const schemas = "select nspname::text as name from pg_namespace where nspname ~ '^(restore_point|notevault)_'";
      const names = (await raw.all(schemas)).map(({ name }) => String(name));
      assert.equal(names.length, found === 'new' ? 2 : 1, names.join(', '));
      assert.ok(!names.includes('notevault_restoring'));
    });
  }
});
