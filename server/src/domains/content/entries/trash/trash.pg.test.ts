import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileOf, uploadRaw } from '../../../../../test/kit/content/files.ts';
import { assertConsistent } from '../../../../../test/kit/database/assert-consistent.ts';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { type Json, notesOnOneServer, startLastingNotes, type Writer } from '../../../../../test/kit/notes.ts';
import type { Answer } from '../../../../../test/kit/person.ts';

const FILE = fileOf('png', 300);
const listed = async ({ caller }: Writer): Promise<Json[]> => (await caller.get('/trash')).body.items;
const restored = ({ caller }: Writer, id: string, path?: string): Promise<Answer> =>
  caller.post(`/trash/${id}/restore`, path === undefined ? {} : { path });
const purged = ({ caller }: Writer, id: string): Promise<Answer> => caller.delete(`/trash/${id}`);

onEachEngine('the trash', (open) => {
  const start = notesOnOneServer(open);

  test('the trash lists what was deleted and by whom, the last first, one kind and one folder like the other', async () => {
    await using notes = await startLastingNotes({ open });
    const { server, alice } = notes;
    const note = await alice.write('f/a.md', '---\ntitle: Of A\n---\ntext');
    const file = (await uploadRaw(alice.caller, 'f/g/b.png', FILE)).body.attachment;
    const other = await alice.write('c.md', 'other');
    await alice.remove('c.md');
    server.clock.advance({ minutes: 1 });
    assert.equal((await alice.caller.delete('/folders/f?recursive=true')).status, 204);
    const { user } = (await server.alice.get('/me')).body;
    const actor = { kind: 'key', name: 'lasting', user_id: user.id };
    const items = await listed(alice);
    const [last, , first] = items;
    assert.deepEqual(
      new Map(items.map(({ id, type, path, title, size_bytes }) => [id, [type, path, title, size_bytes]])),
      new Map([
        [note.id, ['note', 'f/a.md', 'Of A', note.content.length]],
        [file.id, ['attachment', 'f/g/b.png', null, FILE.length]],
        [other.id, ['note', 'c.md', 'c', 5]],
      ]),
    );
    assert.equal(first.id, other.id);
    assert.deepEqual(new Set(items.map((item) => JSON.stringify(item.actor))), new Set([JSON.stringify(actor)]));
    assert.equal(Date.parse(last.deleted_at) - Date.parse(first.deleted_at), 60_000);
    assert.equal(Date.parse(last.expires_at) - Date.parse(last.deleted_at), 90 * 24 * 3_600_000);
    await assertConsistent(server);
  });

  test('GET /trash?path= lists what had a path when it was deleted, in any case, notes and attachments alike', async () => {
    const { server, alice } = await start();
    const first = await alice.write('f/a.md', 'first');
    await alice.remove('f/a.md');
    server.clock.advance({ seconds: 1 });
    const moved = await alice.write('b.md', 'second');
    await alice.caller.post('/notes/rename', { old_path: 'b.md', new_path: 'f/A.md' });
    await alice.remove('f/A.md');
    const file = (await uploadRaw(alice.caller, 'b.png', FILE)).body.attachment;
    await alice.caller.delete('/attachments/b.png');
    const at = async (path: string) =>
      (await alice.caller.get(`/trash?path=${encodeURIComponent(path)}`)).body.items.map(({ id }: Json) => id);
    assert.deepEqual(await at('F/a.md'), [moved.id, first.id]);
    assert.deepEqual(await at('b.png'), [file.id]);
    assert.deepEqual(await at('b.md'), []);
    assert.equal((await alice.caller.get('/trash?path=..%2Fx')).status, 422);
  });

  test('the trash is read in pages, each item once, also when others are restored meanwhile', async () => {
    await using notes = await start();
    const { server, alice } = notes;
    for (let at = 0; at < 240; at += 80) {
      const slice = Array.from({ length: 80 }, (_, index) => ({ path: `f/${at + index}.md`, content: 'x', mtime: 1 }));
      const { body } = await alice.caller.post('/notes/batch', { notes: slice }, { 'x-idempotency-key': `${at}` });
      const ids = body.results.map(({ id }: Json) => id);
      await alice.caller.post('/notes/batch-delete', { ids }, { 'x-idempotency-key': `delete-${at}` });
      server.clock.advance({ seconds: 1 });
    }
    const seen: string[] = [];
    let cursor = '';
    do {
      const { status, body } = await alice.caller.get(`/trash${cursor === '' ? '' : `?cursor=${cursor}`}`);
      assert.equal(status, 200);
      seen.push(...body.items.map(({ id }: Json) => id));
      cursor = body.next_cursor ?? '';
      if (cursor !== '') assert.equal((await restored(alice, seen.at(-1) ?? '')).status, 200);
    } while (cursor !== '');
    assert.equal(seen.length, 240);
    assert.equal(new Set(seen).size, 240);
    const bob = await notes.bob();
    const { next_cursor: hers } = (await alice.caller.get('/trash')).body;
    for (const bad of ['x', `${hers}x`, hers.toUpperCase()]) {
      const refused = await alice.caller.get(`/trash?cursor=${bad}`);
      assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_cursor'], bad);
    }
    assert.equal((await bob.caller.get(`/trash?cursor=${hers}`)).status, 400);
    assert.deepEqual(await listed(bob), []);
    await assertConsistent(server);
  });

  test('the trash is empty for what is not there: unknown, live, restored and foreign ids are not found', async () => {
    await using notes = await start();
    const { alice } = notes;
    const bob = await notes.bob();
    const live = await alice.write('live.md');
    const gone = await alice.write('gone.md');
    await alice.remove('gone.md');
    for (const [who, id] of [
      [alice, live.id],
      [alice, crypto.randomUUID()],
      [bob, gone.id],
    ] as const) {
      for (const answer of [await restored(who, id), await purged(who, id)])
        assert.deepEqual([answer.status, answer.body.error], [404, 'not_found']);
    }
    for (const answer of [await restored(alice, 'x'), await purged(alice, 'x')])
      assert.deepEqual([answer.status, answer.body.error], [400, 'invalid id']);
    assert.equal((await alice.caller.post(`/trash/${gone.id}/restore`, { path: 7 })).status, 422);
    assert.equal((await restored(alice, gone.id)).status, 200);
    assert.equal((await restored(alice, gone.id)).status, 404);
  });
});
