import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listSizes, statementsOver } from './statement.ts';

test('listSizes cuts a long list into few pieces of few sizes, and leaves a short one whole', () => {
  const sizes = new Set<number>();
  for (let count = 0; count <= 1000; count++) {
    const pieces = listSizes(count);
    assert.equal(
      pieces.reduce((sum, size) => sum + size, 0),
      count,
    );
    assert.ok(pieces.length <= (count <= 32 ? 1 : Math.floor(count / 128) + 3), `${count}: ${pieces}`);
    for (const size of pieces) sizes.add(size);
  }
  assert.deepEqual(listSizes(0), []);
  assert.deepEqual(listSizes(327), [128, 128, 64, 7]);
  assert.equal(sizes.size, 34);
});

const { table } = statementsOver<{ pages: { vault_id: string; id: string; data: string | null } }>();
const pages = table('pages');

test('the plain statements over a table name their parameters as its columns', () => {
  const put = pages.put(['vault_id', 'id'], ['data']).compiled('postgres');
  assert.equal(
    put.sql,
    'insert into "pages" ("vault_id", "id", "data") values ($1, $2, $3) ' +
      'on conflict ("vault_id", "id") do update set "data" = "excluded"."data"',
  );
  assert.deepEqual(put.bind({ data: null, id: 'p', vault_id: 'v' }, []), ['v', 'p', null]);
  const found = pages.find(['vault_id', 'id'], ['data']).compiled('sqlite');
  assert.equal(found.sql, 'select "data" from "pages" where ("vault_id" = ? and "id" = ?)');
  assert.ok(found.isSelect);
  assert.deepEqual(found.bind({ id: 'p', vault_id: 'v' }, []), ['v', 'p']);
});

test('the plain statements over a table take the values of a list beside their parameters', () => {
  const inserted = pages.insertMany(['vault_id'], ['id', 'data']).compiled('postgres', 2);
  assert.equal(inserted.sql, 'insert into "pages" ("vault_id", "id", "data") values ($1, $2, $3), ($4, $5, $6)');
  const rows = [
    { id: 'p', data: 'one' },
    { id: 'q', data: null },
  ];
  assert.deepEqual(inserted.bind({ vault_id: 'v' }, rows), ['v', 'p', 'one', 'v', 'q', null]);
  const deleted = pages.deleteMany(['vault_id'], 'id').compiled('postgres', 2);
  assert.equal(deleted.sql, 'delete from "pages" where "vault_id" = $1 and "id" in ($2, $3)');
  assert.deepEqual(deleted.bind({ vault_id: 'v' }, ['p', 'q']), ['v', 'p', 'q']);
});
