import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freshPostgres, whyNoPostgres } from '../../../../test/kit/database/postgres.ts';
import { openRaw } from '../../../../test/kit/database/raw-sql.ts';
import { cli, Folder } from '../../../../test/kit/programs/process.ts';
import { migrations } from '../../../data/migrations.ts';
import { checkPostgres } from './check.ts';
import { openPostgres } from './postgres.ts';

describe('the check of a PostgreSQL database', { skip: whyNoPostgres() ?? false }, () => {
  it('reads all tables of a sound database, and names what cannot be read of a damaged one', async () => {
    await using fresh = await freshPostgres();
    await using db = await openPostgres({ url: fresh.url });
    await db.migrate(migrations);
    const sound = await checkPostgres(fresh.url);
    assert.deepEqual([sound.faults, sound.indexes], [[], 0]);
    assert.ok(sound.tables > 20);

    await using raw = await openRaw(fresh);
    // Imitates a missing table file.
    await raw.run("update pg_class set relfilenode = 999999999 where relname = 'log_records'");
    const { faults } = await checkPostgres(fresh.url);
    assert.deepEqual(faults, ['table log_records cannot be read (58P01)']);

    using folder = new Folder();
    const env = { NOTEVAULT_DATA_DIR: folder.at('data'), NOTEVAULT_DATABASE_URL: fresh.url };
    const { code, stdout } = await cli(['doctor'], { env });
    assert.equal(code, 1);
    assert.match(stdout, /FAULT stored pages: damaged: table log_records cannot be read \(58P01\)\. Stop every/);
  });

  it('compares indexes with their tables where amcheck is installed', async (t) => {
    await using fresh = await freshPostgres();
    await using db = await openPostgres({ url: fresh.url });
    await db.migrate(migrations);
    await using raw = await openRaw(fresh);
    try {
      await raw.run('create extension amcheck');
    } catch {
      t.skip('this PostgreSQL has no amcheck');
      return;
    }
    const { indexes, faults } = await checkPostgres(fresh.url);
    assert.deepEqual(faults, []);
    assert.ok(indexes > 20);
  });
});
