import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../../../test/kit/engines.ts';
import type { Answer } from '../../../../test/kit/person.ts';
import { startServer } from '../../../../test/kit/server.ts';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { IdempotencyTables } from './idempotency.tables.ts';

const { statement } = statementsOver<IdempotencyTables>();
const allAnswers = statement((db, _: Record<never, never>) => db.selectFrom('idempotent_responses').selectAll());
const keyed = (key: string) => ({ 'x-idempotency-key': key });
const replayed = (answer: Answer) => answer.headers.get('idempotency-replayed');
const note = (path: string, content = 'text') => ({ path, content, mtime: 1 });

onSqlite('An idempotency key', (open) => {
  test('an idempotency key returns the first answer again, whatever happened since, without effect', async () => {
    await using server = await startServer({ open });
    const { alice } = server;
    await alice.post('/vaults', { name: 'Notes' });
    const first = await alice.post('/notes', note('a.md', 'one'), keyed('k'));
    assert.deepEqual([first.status, replayed(first)], [200, null]);
    await alice.post('/notes', note('a.md', 'two'));
    const again = await alice.post('/notes', { mtime: 1, content: 'one', path: 'a.md' }, keyed('k'));
    assert.deepEqual([again.status, replayed(again), again.body], [200, 'true', first.body]);
    const now = await alice.get('/notes/a.md');
    assert.deepEqual([now.body.content, now.body.version], ['two', 2]);
  });

  test('an idempotency key returns a long text again without storing it twice', async () => {
    await using server = await startServer({ open });
    const { alice, db } = server;
    await alice.post('/vaults', { name: 'Notes' });
    const content = Array.from({ length: 20_000 }, (_, at) => (at * 2_654_435_761).toString(36)).join(' ');
    const first = await alice.post('/notes', note('long.md', content), keyed('k'));
    const [row] = await db.all(allAnswers, {});
    assert.ok((row?.response.length ?? 0) < 1000);
    await alice.post('/notes', note('long.md', 'short'));
    const again = await alice.post('/notes', note('long.md', content), keyed('k'));
    assert.deepEqual([again.status, replayed(again), again.body], [200, 'true', first.body]);
    assert.equal(again.body.note.content, content);
    const other = await alice.post('/notes', note('long.md', `${content}.`), keyed('k'));
    assert.deepEqual([other.status, other.body], [422, { error: 'idempotency_key_reused' }]);
  });

  test('an idempotency key belongs to one request: another body with it is refused', async () => {
    await using server = await startServer({ open });
    const { alice } = server;
    await alice.post('/vaults', { name: 'Notes' });
    await alice.post('/notes', note('a.md'), keyed('k'));
    const other = await alice.post('/notes', note('b.md'), keyed('k'));
    assert.deepEqual([other.status, other.body], [422, { error: 'idempotency_key_reused' }]);
    assert.equal((await alice.get('/notes/b.md')).status, 404);
  });

  test('an idempotency key is checked before the body is used', async () => {
    await using server = await startServer({ open });
    const { alice } = server;
    await alice.post('/vaults', { name: 'Notes' });
    for (const key of [' ', 'a b', 'k\u00e9', 'x'.repeat(256), 'tab\tbed']) {
      const answer = await alice.post('/notes', note('a.md'), keyed(key));
      assert.deepEqual([answer.status, answer.body], [400, { error: 'invalid_idempotency_key' }], key);
    }
    const longest = keyed('x'.repeat(255));
    assert.equal((await alice.post('/notes', note('a.md'), longest)).status, 200);
    assert.equal(replayed(await alice.post('/notes', note('a.md'), longest)), 'true');
  });

  test('an idempotency key is scoped to user, vault and route', async () => {
    await using server = await startServer({ open });
    const { alice, bob } = server;
    const home = await alice.post('/vaults', { name: 'Home' }, keyed('k'));
    const work = await alice.post('/vaults', { name: 'Work' });
    assert.equal(replayed(await bob.post('/vaults', { name: 'Home' }, keyed('k'))), null);
    for (const { body } of [home, work]) {
      const headers = { ...keyed('k'), 'x-vault-id': body.vault.id };
      const answer = await alice.post('/notes', note('a.md'), headers);
      assert.deepEqual([answer.status, replayed(answer)], [200, null]);
    }
    assert.equal(replayed(await bob.post('/notes', note('a.md'), keyed('k'))), null);
  });

  test('an idempotency key is free again after a failure, and after a day', async () => {
    await using server = await startServer({ open });
    const { alice, clock } = server;
    await alice.post('/vaults', { name: 'Notes' });
    const stale = { ...note('a.md'), base_hash: 'no such hash' };
    assert.equal((await alice.post('/notes', stale, keyed('k'))).status, 409);
    const good = await alice.post('/notes', note('a.md'), keyed('k'));
    assert.deepEqual([good.status, replayed(good)], [200, null]);
    clock.advance({ hours: 23, minutes: 59 });
    // The session has expired by then; the account still exists.
    const login = await alice.logIn();
    const later = server.bearer(login.body.access_token);
    assert.equal(replayed(await later.post('/notes', note('a.md'), keyed('k'))), 'true');
    clock.advance({ minutes: 1 });
    const other = await later.post('/notes', note('b.md'), keyed('k'));
    assert.deepEqual([other.status, replayed(other)], [200, null]);
    assert.equal(replayed(await later.post('/notes', note('b.md'), keyed('k'))), 'true');
  });

  test('an idempotency key requires the access of the first call for a replay', async () => {
    await using server = await startServer({ open });
    const { alice, bob, anyone } = server;
    const { body } = await alice.post('/vaults', { name: 'Notes' });
    const headers = { ...keyed('k'), 'x-vault-id': body.vault.id };
    await alice.post('/notes', note('a.md'), headers);
    assert.equal((await anyone.post('/notes', note('a.md'), headers)).status, 401);
    assert.equal((await bob.post('/notes', note('a.md'), headers)).status, 404);
    await alice.delete(`/vaults/${body.vault.id}`);
    assert.equal((await alice.post('/notes', note('a.md'), headers)).status, 404);
  });

  test('an idempotency key works on every POST of vaults', async () => {
    await using server = await startServer({ open });
    const { alice } = server;
    const twice = async (path: string, body: unknown, status: number) => {
      const first = await alice.post(path, body, keyed('k'));
      const second = await alice.post(path, body, keyed('k'));
      assert.deepEqual(
        [first.status, replayed(first), second.status, replayed(second)],
        [status, null, status, 'true'],
      );
      assert.deepEqual(second.body, first.body);
      return first.body;
    };
    const { vault } = await twice('/vaults', { name: 'Home' }, 201);
    await twice('/vaults/register', { client_id: 'laptop', name: 'Laptop' }, 201);
    const known = await alice.post('/vaults/register', { client_id: 'laptop', name: 'Other' }, keyed('k2'));
    const again = await alice.post('/vaults/register', { client_id: 'laptop', name: 'Other' }, keyed('k2'));
    assert.deepEqual([known.status, again.status, replayed(again)], [200, 200, 'true']);
    await alice.delete(`/vaults/${vault.id}`);
    await twice(`/vaults/${vault.id}/restore`, undefined, 200);
    const unknown = await alice.post(`/vaults/${known.body.id}/restore`, undefined, keyed('k'));
    assert.deepEqual([unknown.status, unknown.body], [422, { error: 'idempotency_key_reused' }]);
    await alice.delete(`/vaults/${vault.id}`);
    await twice(`/vaults/${vault.id}/purge`, undefined, 200);
    assert.equal((await alice.get('/vaults')).body.vaults.length, 1);
  });

  test('an idempotency key is deleted with its vault and its account', async () => {
    await using server = await startServer({ open });
    const { bob, db } = server;
    await server.alice.signed();
    const { vault } = (await bob.post('/vaults', { name: 'Notes' }, keyed('k'))).body;
    await bob.post('/notes', note('a.md'), keyed('k'));
    assert.equal((await db.all(allAnswers, {})).length, 2);
    await bob.delete(`/vaults/${vault.id}`);
    await bob.post(`/vaults/${vault.id}/purge`);
    assert.equal((await db.all(allAnswers, {})).length, 1);
    assert.equal((await bob.delete('/me', { password: bob.password })).status, 200);
    assert.deepEqual(await db.all(allAnswers, {}), []);
  });
});
