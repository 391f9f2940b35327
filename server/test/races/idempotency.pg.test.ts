import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../kit/engines.ts';
import type { Answer, Caller } from '../kit/person.ts';
import { oneServer, startServer, type TestServer } from '../kit/server.ts';

const keyed = (key: string) => ({ 'x-idempotency-key': key });
const replayed = (answers: readonly Answer[]) =>
  answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true').length;

/** A second server over the same database and keys; like a second process it shares nothing else with the first. */
function startTwin({ db, clock, masterKey }: TestServer): Promise<TestServer> {
  return startServer({ open: async () => db, clock, masterKey });
}

/** Makes the same call `times` times at once, by the callers in turn. */
function atOnce(times: number, callers: readonly Caller[], path: string, body: unknown, headers: object) {
  return Promise.all(
    Array.from({ length: times }, (_, at) => {
      const caller = callers[at % callers.length];
      if (caller === undefined) throw new RangeError('no caller');
      return caller.post(path, body, { ...headers });
    }),
  );
}

onEachEngine('requests with one idempotency key at once', (open) => {
  const start = oneServer(() => ({ open }));

  test('run once when sent over twenty connections, and all get the answer', async () => {
    const { alice } = await start();
    await alice.post('/vaults', { name: 'Notes' });
    const answers = await atOnce(20, [alice], '/notes/append', { path: 'log.md', text: 'line' }, keyed('k'));
    assert.equal(replayed(answers), 19);
    for (const { status, body } of answers) assert.deepEqual([status, body], [200, answers[0]?.body]);
    assert.equal((await alice.get('/notes/log.md')).body.content, '# log\n\nline');
  });

  test('run once when sent to two servers, and all get the answer', async () => {
    await using server = await start();
    await using twin = await startTwin(server);
    const { alice } = server;
    const { vault } = (await alice.post('/vaults', { name: 'Notes' })).body;
    const also = twin.bearer((await alice.signed()).accessToken);
    await alice.post('/notes', { path: 'log.md', content: 'log', mtime: 1 });
    for (let round = 0; round < 10; round++) {
      const text = `line ${round}`;
      const answers = await atOnce(8, [alice, also], '/notes/append', { path: 'log.md', text }, keyed(`a${round}`));
      assert.equal(replayed(answers), 7);
      for (const { status, body } of answers) assert.deepEqual([status, body], [200, answers[0]?.body]);
    }
    const { content } = (await alice.get('/notes/log.md')).body;
    assert.equal(content, `log\n${Array.from({ length: 10 }, (_, at) => `line ${at}`).join('\n')}`);
    const notes = Array.from({ length: 20 }, (_, at) => ({
      path: `dir ${at % 3}/${at}.md`,
      content: `${at}`,
      mtime: 1,
    }));
    const answers = await atOnce(6, [alice, also], '/notes/batch', { notes }, keyed('b'));
    assert.equal(replayed(answers), 5);
    for (const { status, body } of answers) assert.deepEqual([status, body], [200, answers[0]?.body]);
    assert.equal((await alice.get(`/vaults/${vault.id}`)).body.vault.note_count, 21);
  });

  test('get the first answer from the other server, even if a second run would be refused', async () => {
    const config = { defaultPlan: 'free' };
    await using server = await startServer({ open, config });
    await using twin = await startTwin(server);
    const { alice } = server;
    const also = twin.bearer((await alice.signed()).accessToken);
    const made = await atOnce(8, [alice, also], '/vaults', { name: 'Only' }, keyed('v'));
    for (const { status, body } of made) assert.deepEqual([status, body], [201, made[0]?.body]);
    const ids: string[] = [];
    for (const path of ['a.md', 'b.md']) {
      ids.push((await alice.post('/notes', { path, content: path, mtime: 1 })).body.note.id);
    }
    const deleted = await atOnce(8, [alice, also], '/notes/batch-delete', { ids }, keyed('d'));
    for (const { status, body } of deleted) assert.deepEqual([status, body], [200, { deleted: 2 }]);
    assert.equal(replayed(deleted), 7);
  });

  test('requests with one idempotency key at once with different bodies run once, and the other is refused', async () => {
    await using server = await start();
    await using twin = await startTwin(server);
    const { alice } = server;
    await alice.post('/vaults', { name: 'Notes' });
    const also = twin.bearer((await alice.signed()).accessToken);
    const answers = await Promise.all([
      alice.post('/notes', { path: 'a.md', content: 'a', mtime: 1 }, keyed('k')),
      also.post('/notes', { path: 'b.md', content: 'b', mtime: 1 }, keyed('k')),
    ]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422]);
    const found = await Promise.all(['/notes/a.md', '/notes/b.md'].map((path) => alice.get(path)));
    assert.deepEqual(
      found.map(({ status }) => status),
      answers.map(({ status }) => (status === 200 ? 200 : 404)),
    );
  });
});
