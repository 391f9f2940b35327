import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../kit/engines.ts';
import { startServer } from '../kit/server.ts';

const CIRCLE = 24;

onEachEngine('notes that link to each other, written at once', (open) => {
  for (const order of ['as named', 'backwards'] as const) {
    test(`resolve every edge, written ${order}`, async () => {
      await using server = await startServer({ open });
      const { alice } = server;
      await alice.post('/vaults', { name: 'Notes' });
      const ids = Array.from({ length: CIRCLE }, (_, at) => at);
      const next = (at: number) => (at + 1) % CIRCLE;
      const write = (at: number) =>
        alice.post('/notes', {
          path: `folder ${at % 3}/note ${at}.md`,
          mtime: 1,
          content: `---\naliases: [the ${at}th]\n---\n[[note ${next(at)}]] and [[the ${next(next(at))}th|again]]\n`,
        });
      const written = await Promise.all((order === 'backwards' ? ids.toReversed() : ids).map(write));
      assert.deepEqual(new Set(written.map(({ status }) => status)), new Set([200]));
      const idOf = new Map(written.map(({ body }) => [body.note.path, body.note.id]));
      const path = (at: number) => `folder ${at % 3}/note ${at}.md`;
      for (const at of ids) {
        const { body } = await alice.get(`/notes/by-id/${idOf.get(path(at))}`);
        const targets = body.links.map((link: { target_path: string }) => link.target_path);
        assert.deepEqual(targets, [path(next(at)), path(next(next(at)))]);
        const { backlinks } = (await alice.get(`/notes/by-id/${body.id}/backlinks`)).body;
        const sources = backlinks.map((link: { source_path: string }) => link.source_path).sort();
        assert.deepEqual(sources, [path((at + CIRCLE - 1) % CIRCLE), path((at + CIRCLE - 2) % CIRCLE)].sort());
      }
    });
  }

  test('are never partly resolved while a target is created and deleted', async () => {
    await using server = await startServer({ open });
    const { alice } = server;
    await alice.post('/vaults', { name: 'Notes' });
    for (let round = 0; round < 10; round++) {
      const target = `target ${round}`;
      const [made] = await Promise.all([
        alice.post('/notes', { path: `${target}.md`, mtime: 1, content: 'here' }),
        alice.post('/notes', { path: `one ${round}.md`, mtime: 1, content: `[[${target}]]` }),
        alice.delete(`/notes/${encodeURIComponent(`${target}.md`)}`),
        alice.post('/notes', { path: `two ${round}.md`, mtime: 1, content: `![[${target}]]` }),
      ]);
      const { id } = made.body.note;
      const live = (await alice.get(`/notes/by-id/${id}`)).status === 200;
      for (const name of ['one', 'two']) {
        const [link] = (await alice.get(`/notes/${name}%20${round}.md`)).body.links;
        assert.equal(link.target_note_id, live ? id : null);
        assert.equal(link.dangling, !live);
      }
    }
  });
});
