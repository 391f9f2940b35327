import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../kit/engines.ts';
import { startServer } from '../kit/server.ts';

const ROUNDS = 8;

onEachEngine('two servers that move and delete the same notes at once', (open) => {
  async function pair() {
    const server = await startServer({ open });
    const { alice, db, clock, masterKey } = server;
    const second = await startServer({ open: async () => db, clock, masterKey });
    const { vault } = (await alice.post('/vaults', { name: 'Notes' })).body;
    const other = second.bearer((await alice.signed()).accessToken);
    const opened = new AsyncDisposableStack();
    opened.use(server);
    opened.use(second);
    return { alice, other, vault: vault.id, [Symbol.asyncDispose]: () => opened.disposeAsync() };
  }
  const note = (path: string, content = '') => ({ path, content, mtime: 1 });

  test('two servers that move and delete the same notes never count less than none in a vault', async () => {
    await using both = await pair();
    const { alice, other, vault } = both;
    for (let round = 0; round < ROUNDS; round++) {
      const [a, b] = [await alice.post('/notes', note('Box/a.md')), await alice.post('/notes', note('Box/b.md'))];
      const ids = [a.body.note.id, b.body.note.id];
      const answers = await Promise.all([
        alice.post('/notes/batch-delete', { ids }, { 'x-idempotency-key': `delete-${round}` }),
        other.delete('/folders/Box?recursive=true'),
        alice.delete('/notes/Box/a.md'),
        other.delete(`/notes/by-id/${ids[0]}`),
      ]);
      const statuses = answers.map(({ status }) => status);
      assert.ok(
        statuses.every((status) => [200, 204, 404].includes(status)),
        `${statuses}`,
      );
      assert.equal((await alice.get(`/vaults/${vault}`)).body.vault.note_count, 0);
      assert.equal((await alice.get('/folders')).body.folders.length, 1);
    }
  });

  test('two servers that move and delete the same notes keep a rename and a concurrent edit, and backlinks', async () => {
    await using both = await pair();
    const { alice, other } = both;
    await alice.post('/notes', note('n0.md', 'first\n'));
    await alice.post('/notes', note('s.md', '[[n0]]\n'));
    for (let round = 0; round < ROUNDS; round++) {
      const [path, next] = [`n${round}.md`, `n${round + 1}.md`];
      const typed = (await alice.get(`/notes/${path}`)).body;
      const source = (await alice.get('/notes/s.md')).body;
      const [renamed, edited] = await Promise.all([
        alice.post('/notes/rename', { old_path: path, new_path: next }),
        other.post('/notes', { ...note('s.md', `${source.content}line ${round}\n`), version: source.version }),
        other.post('/notes', {
          ...note(path, `${typed.content}line ${round}\n`),
          id: typed.id,
          version: typed.version,
        }),
      ]);
      assert.deepEqual([renamed.status, edited.status], [200, 200]);
      const lines = Array.from({ length: round + 1 }, (_, at) => `line ${at}\n`).join('');
      const now = (await alice.get('/notes/s.md')).body;
      assert.deepEqual([now.content, now.links[0].target_path], [`[[n${round + 1}]]\n${lines}`, next]);
    }
  });
});
