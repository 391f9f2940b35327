import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrations } from '../../../src/data/migrations.ts';
import { freshPostgres, whyNoPostgres } from '../../kit/database/postgres.ts';
import { openRaw } from '../../kit/database/raw-sql.ts';
import { Caller } from '../../kit/person.ts';
import { Folder, startServe } from '../../kit/programs/process.ts';
import { registerAt } from '../../kit/setup-tokens.ts';

const skip = whyNoPostgres() ?? false;

test('processes that start at once on an empty database migrate it once, under one key, and agree', {
  skip,
}, async () => {
  using folder = new Folder();
  await using database = await freshPostgres();
  const env = { NOTEVAULT_DATA_DIR: folder.path, NOTEVAULT_DATABASE_URL: database.url };
  await using opened = new AsyncDisposableStack();
  const started = await Promise.all([1, 2, 3].map(() => startServe({ env })));
  for (const server of started) opened.use(server);
  await using raw = await openRaw(database);
  const steps = await raw.all('select number from schema_migrations order by number');
  assert.deepEqual(
    steps.map((step) => step.number),
    migrations.map((step) => step.number),
  );
  assert.equal((await raw.all('select distinct master_key_id from data_keys')).length, 1);

  const [first, ...others] = started;
  assert.ok(first !== undefined);
  const signed = await registerAt(first.url, {
    email: 'alice@example.org',
    password: 'long enough',
  });
  const as = (url: string) => new Caller(url, async () => ({ authorization: `Bearer ${signed.body.access_token}` }));
  assert.equal((await as(first.url).post('/vaults', { name: 'notes' })).status, 201);
  const written = await as(first.url).post('/notes', { path: 'a.md', content: 'of the first', mtime: 1 });
  assert.equal(written.status, 200);
  for (const other of others) assert.equal((await as(other.url).get('/notes/a.md')).body.content, 'of the first');
  for (const server of started) assert.equal((await server.stop()).code, 0);
});
