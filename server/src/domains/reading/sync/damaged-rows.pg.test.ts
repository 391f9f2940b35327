import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine, rawOf } from '../../../../test/kit/engines.ts';
import { type Json, startNotes, type Writer } from '../../../../test/kit/notes.ts';
import type { Database } from '../../../ports/database/database.ts';

/** A vault with a damaged note, a damaged attachment, and a note with a damaged text. */
async function damagedVault(open: () => Promise<Database>) {
  const notes = await startNotes({ open });
  const { alice, server } = notes;
  await alice.write('sound.md');
  const note = await alice.write('damaged.md');
  const text = await alice.write('text.md');
  const made = await alice.caller.post('/attachments', { path: 'a.txt', content_base64: 'dGV4dA==', mtime: 1 });
  const file = made.body.attachment;
  await using raw = await rawOf(server.db);
  for (const { id } of [note, file]) await raw.run('update entries set meta = $2 where id = $1', id, Buffer.alloc(64));
  await raw.run('update note_bodies set content = $2 where note_id = $1', text.id, Buffer.alloc(64));
  const unreadable = [
    { id: note.id, seq: 2, type: 'note' },
    { id: file.id, seq: 4, type: 'attachment' },
  ];
  return { notes, alice, text, unreadable };
}

const get = async ({ caller }: Writer, path: string) => {
  const { status, body } = await caller.get(path);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const paths = (rows: Json[]) => rows.map(({ path }) => path);

onEachEngine('a vault with damaged rows', (open) => {
  test('[2.4] fails the manifest and the tree, which name the rows', async () => {
    const { notes, alice, unreadable } = await damagedVault(open);
    await using _server = notes;
    for (const path of ['/sync/manifest', '/vault/tree', '/vault/graph', '/tags']) {
      for (const _ of ['first', 'again']) {
        const { status, body } = await alice.caller.get(path);
        assert.deepEqual([status, body], [500, { error: 'note_unreadable', unreadable: [unreadable[0]] }], path);
      }
    }
  });

  test('[2.9] a vault lists damaged rows apart in manifest and tree on request, until they are rewritten', async () => {
    const { notes, alice, unreadable } = await damagedVault(open);
    await using _server = notes;
    for (const path of ['/sync/manifest?unreadable=list', '/vault/tree?unreadable=list']) {
      const body = await get(alice, path);
      assert.deepEqual(paths(body.notes), ['sound.md', 'text.md']);
      assert.deepEqual(body.attachments, []);
      assert.deepEqual(body.unreadable, unreadable);
      assert.equal((await alice.caller.get(path.replace('list', 'yes'))).status, 422);
    }
    await alice.write('sound.md', 'written again');
    assert.deepEqual((await get(alice, '/sync/manifest?unreadable=list')).unreadable, unreadable);
    const other = await notes.bob();
    assert.equal((await get(other, '/sync/manifest?unreadable=list')).unreadable, undefined);
  });

  test('[3.10] damaged rows go by in the change feed, with what follows them', async () => {
    const { notes, alice, text, unreadable } = await damagedVault(open);
    await using _server = notes;
    const flagged = unreadable.map((row) => ({ ...row, unreadable: true }));
    const first = await get(alice, '/sync/changes?limit=2');
    assert.deepEqual([first.changes[0].path, first.changes[1]], ['sound.md', flagged[0]]);
    const rest = await get(alice, `/sync/changes?cursor=${encodeURIComponent(first.next_cursor)}`);
    assert.deepEqual([rest.changes[0].path, rest.changes[1], rest.has_more], ['text.md', flagged[1], false]);
    const { changes } = await get(alice, '/sync/changes?fields=all');
    assert.equal(changes[0].content, 'sound.md');
    assert.deepEqual(changes.slice(1), [
      flagged[0],
      { id: text.id, seq: 3, type: 'note', unreadable: true },
      flagged[1],
    ]);
  });
});
