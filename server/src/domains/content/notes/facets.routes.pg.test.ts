import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { notesOnOneServer, startNotes } from '../../../../test/kit/notes.ts';

const GONE = 'This feed was retired: use GET /sync/changes, or GET /sync/manifest and the sync socket.';

onEachEngine('tags and types', (open) => {
  const start = notesOnOneServer(open);

  test('are counted over live notes, ignoring case, in the spelling of the oldest note, ordered by name', async () => {
    const { alice, server } = await start();
    const { caller } = alice;
    assert.deepEqual((await caller.get('/tags')).body, { tags: [] });
    assert.deepEqual((await caller.get('/types')).body, { types: [] });
    await alice.write('a.md', '---\ntype: Person\ntags: [Work, ぶんしょ]\n---\n#work #b/c');
    server.clock.advance({ seconds: 1 });
    await alice.write('b.md', '---\ntype: person\n---\n#WORK #Éa #a', { id: '00000000-0000-4000-8000-000000000001' });
    await alice.write('c.md', '---\ntype: Book\n---\n#gone');
    await alice.remove('c.md');
    assert.deepEqual((await caller.get('/tags')).body.tags, [
      { name: 'a', count: 1 },
      { name: 'b/c', count: 1 },
      { name: 'Work', count: 2 },
      { name: 'Éa', count: 1 },
      { name: 'ぶんしょ', count: 1 },
    ]);
    assert.deepEqual((await caller.get('/types')).body.types, [{ name: 'Person', count: 2 }]);
    await alice.write('a.md', 'no tags any more');
    assert.deepEqual((await caller.get('/tags')).body.tags, [
      { name: 'a', count: 1 },
      { name: 'WORK', count: 1 },
      { name: 'Éa', count: 1 },
    ]);
  });

  test('cover more notes than one slice, and only those of this vault', async () => {
    const { alice, bob } = await start();
    await (await bob()).write('a.md', '#foreign');
    for (let from = 0; from < 1100; from += 100) {
      const some = Array.from({ length: 100 }, (_, at) => ({ path: `${from + at}.md`, content: '#all', mtime: 1 }));
      await alice.caller.post('/notes/batch', { notes: some }, { 'x-idempotency-key': `${from}` });
    }
    assert.deepEqual((await alice.caller.get('/tags')).body.tags, [{ name: 'all', count: 1100 }]);
  });
});

onEachEngine('the retired feeds', (open) => {
  test('the routes that are gone answer 410 to every credential', async () => {
    await using notes = await startNotes({ open });
    for (const path of ['/notes/changes', '/attachments/changes']) {
      const { status, body } = await notes.alice.caller.get(path);
      assert.deepEqual([status, body], [410, { error: 'gone', errors: 'gone', message: GONE }]);
      assert.equal((await notes.server.anyone.get(path)).status, 401);
    }
  });
});
