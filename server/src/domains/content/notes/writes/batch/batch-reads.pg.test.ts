import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../../../test/kit/engines.ts';
import { startNotes, type Writer } from '../../../../../../test/kit/notes.ts';

const LAPTOP = { 'x-device-id': 'laptop' };

/** Gives a vault a live note, deleted ones and a folder, and returns what a device sends then. */
async function notesToSend({ write, remove, caller }: Writer) {
  await write('Docs/live.md', 'before');
  const { id: ended } = await write('ended.md');
  const { id: moved } = await write('deleted.md', 'deleted');
  await write('recent.md', 'recent', {}, LAPTOP);
  for (const path of ['deleted.md', 'recent.md', 'ended.md']) await remove(path, { 'x-device-id': 'phone' });
  assert.equal((await caller.delete(`/trash/${ended}`)).status, 200);
  const { id: taken } = await write('taken.md');
  return [
    { path: 'docs/LIVE.md', content: 'after' },
    { path: 'docs/new.md', content: 'in the same folder' },
    { path: 'docs/deep/new.md', content: 'in a new folder' },
    { path: 'deleted.md', content: 'deleted, and written again' },
    { path: 'revived.md', content: 'by its id', id: moved },
    { path: 'recent.md', content: 'recent' },
    { path: 'other.md', content: 'with the id of another', id: taken },
    { path: 'spent.md', content: 'with a spent id', id: ended },
    { path: 'taken.md/below.md', content: 'below a note' },
    { path: 'root.md', content: 'in the root', id: crypto.randomUUID() },
  ].map((note) => ({ ...note, mtime: 3 }));
}

onEachEngine('a batch of notes', (open) => {
  test('finds of each what a single upsert finds', async () => {
    await using notes = await startNotes({ open });
    const { alice } = notes;
    const bob = await notes.bob();
    const single: unknown[] = [];
    for (const { path, ...fields } of await notesToSend(alice)) {
      const { status, body } = await alice.put(path, fields, LAPTOP);
      const { note } = body;
      const stored = note === undefined ? null : [note.path, note.version, note.id === (fields as { id?: string }).id];
      single.push([status, stored]);
    }
    const sent = await notesToSend(bob);
    const { body } = await bob.caller.post(
      '/notes/batch',
      { notes: sent },
      { ...LAPTOP, 'x-idempotency-key': 'batch' },
    );
    const batch = body.results.map((result: Record<string, unknown>, at: number) => {
      if (result.status !== 'ok') return [result.status === 'conflict' ? 409 : 422, null];
      return [200, [result.server_path ?? result.path, result.version, result.id === (sent[at] as { id?: string }).id]];
    });
    assert.deepEqual(batch, single);
    assert.deepEqual(new Set(single.map((each) => (each as [number])[0])), new Set([200, 409]));
  });
});
