import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { freshPostgres, whyNoPostgres } from '../../test/kit/database/postgres.ts';
import { openRaw } from '../../test/kit/database/raw-sql.ts';
import { Folder } from '../../test/kit/programs/process.ts';
import { SmallDisk } from '../../test/kit/programs/small-disk.ts';
import { readConfig } from '../config/config.ts';
import { openDatabase } from '../open-ports.ts';
import { type Database, SchemaError } from '../ports/database/database.ts';
import { stepsLeft } from '../ports/database/migrations.ts';
import { openPostgres } from '../ports/database/postgres/postgres.ts';
import { openSqlite } from '../ports/database/sqlite/sqlite.ts';
import { migrations } from './migrations.ts';

async function checkRefused(db: Database): Promise<void> {
  await db.migrate([{ number: 1, name: 'foundation', ddl: 'create table notes (stamp bigint not null)' }]);
  await assert.rejects(db.migrate(migrations), (error) => {
    assert.ok(error instanceof SchemaError);
    assert.match(error.message, /made by Notevault 0\.1\.0.* export .* with 0\.1\.0 .* import/);
    return true;
  });
}

test('openDatabase refuses a SQLite database of 0.1.0 and says what to do', async () => {
  using folder = new Folder();
  const db = await openSqlite({ file: folder.at('data.sqlite') });
  try {
    await checkRefused(db);
  } finally {
    await db[Symbol.asyncDispose]();
  }
});

test('openDatabase refuses a PostgreSQL database of 0.1.0 and says what to do', {
  skip: whyNoPostgres() ?? false,
}, async () => {
  await using fresh = await freshPostgres();
  const db = await openPostgres({ url: fresh.url });
  try {
    await checkRefused(db);
  } finally {
    await db[Symbol.asyncDispose]();
  }
});

for (const engine of ['sqlite', 'postgres'] as const) {
  const skip = engine === 'postgres' && (whyNoPostgres() ?? false);
  test(`migrating to step 4 gives the devices of a vault to its owner on ${engine}`, { skip }, async () => {
    using folder = new Folder();
    await using fresh = engine === 'postgres' ? await freshPostgres() : null;
    const place = fresh ?? { file: folder.at('data.sqlite') };
    const db = await ('url' in place ? openPostgres(place) : openSqlite(place));
    try {
      await db.migrate(migrations.slice(0, 3));
      await using raw = await openRaw(place);
      const id = (last: number) => `00000000-0000-7000-8000-00000000000${last}`;
      const [owner, vault, bytes] = [id(1), id(2), Buffer.of(7)];
      const user = `insert into users (id, email, role, plan, analytics_opt_out, created_at) values ($1, 'a', 'member', '', 0, 0)`;
      await raw.run(user, owner);
      const columns = '(id, user_id, is_default, slug_blind, meta, meta_version, created_at)';
      await raw.run(`insert into vaults ${columns} values ($1, $2, 0, $3, $3, 1, 0)`, vault, owner, bytes);
      await raw.run('insert into sync_devices values ($1, $2, 5, 6)', vault, bytes);
      await db.migrate(migrations);
      assert.deepEqual(await raw.all('select * from sync_devices'), [
        { vault_id: vault, user_id: owner, device_key: bytes, watermark: 5, seen_at: 6 },
      ]);
    } finally {
      await db[Symbol.asyncDispose]();
    }
  });
}

test('openDatabase copies an embedded database before the first step of an upgrade', async () => {
  using folder = new Folder();
  const config = { ...readConfig({}), dataDir: folder.path };
  await (await openDatabase(config))[Symbol.asyncDispose]();
  const copies = () => readdirSync(folder.path).filter((name) => name.startsWith('before-upgrade-'));
  assert.deepEqual(copies(), [], 'a new database needs no copy');
  const later = { number: migrations.length + 1, name: 'later', version: '9.9.9', ddl: 'create table later (id uuid)' };
  await (await openDatabase(config, undefined, [...migrations, later]))[Symbol.asyncDispose]();
  const [copy = '', ...others] = copies();
  assert.deepEqual(others, []);
  // The copy opens with this version, which refuses the database after the upgrade and names both.
  await (await openDatabase({ ...config, dataDir: folder.at(copy) }))[Symbol.asyncDispose]();
  const { number, version } = migrations.at(-1) ?? {};
  const refusal = new RegExp(
    `step ${later.number} \\(of Notevault 9\\.9\\.9\\), .* only ${number} \\(of Notevault ${version}\\)`,
  );
  await assert.rejects(openDatabase(config), refusal);
});

test('openDatabase says how much room an upgrade needs when the disk has less, and leaves nothing behind', {
  skip: SmallDisk.isMissing('an upgrade on a full disk'),
}, async () => {
  using disk = SmallDisk.mount(8);
  const config = { ...readConfig({}), dataDir: join(disk.path, 'data') };
  await (await openDatabase(config))[Symbol.asyncDispose]();
  disk.fill(join(disk.path, 'ballast'), 100_000);
  const later = { number: migrations.length + 1, name: 'later', version: '9.9.9', ddl: 'create table later (id uuid)' };
  const steps = [...migrations, later];
  await assert.rejects(openDatabase(config, undefined, steps), /needs [1-9]\d* MB in .*, where \d MB are free/);
  assert.deepEqual(
    readdirSync(config.dataDir).filter((name) => name.startsWith('before-upgrade-')),
    [],
  );
  await (await openDatabase(config))[Symbol.asyncDispose]();
});

test('migrating refuses a database of an unknown step as that of another product', () => {
  assert.throws(() => stepsLeft(migrations, [{ number: 1, name: 'elsewhere' }]), /another product's or branch's/);
});
