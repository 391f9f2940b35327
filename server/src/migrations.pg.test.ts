import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshPostgres, whyNoPostgres } from '../test/kit/postgres.ts';
import { Folder } from '../test/kit/process.ts';
import { migrations } from './migrations.ts';
import { type Database, SchemaError } from './ports/database/database.ts';
import { stepsLeft } from './ports/database/migrations.ts';
import { openPostgres } from './ports/database/postgres/postgres.ts';
import { openSqlite } from './ports/database/sqlite/sqlite.ts';

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

test('migrating refuses a database of an unknown step as that of another product', () => {
  assert.throws(() => stepsLeft(migrations, [{ number: 1, name: 'elsewhere' }]), /another product's or branch's/);
});
