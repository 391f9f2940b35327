import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countedDatabase } from '../../../../../../test/kit/database/counted-database.ts';
import { onEachEngine } from '../../../../../../test/kit/engines.ts';
import { startNotes } from '../../../../../../test/kit/notes.ts';

const NOTES = 30;

onEachEngine('the reads of a batch', (open) => {
  test('their number does not grow with the folders of the notes', async () => {
    const db = countedDatabase(await open());
    await using notes = await startNotes({ open: async () => db });
    const { alice } = notes;
    const send = async (key: string, pathOf: (index: number) => string) => {
      const sent = Array.from({ length: NOTES }, (_, index) => ({ path: pathOf(index), content: key, mtime: 1 }));
      db.reset();
      const { body } = await alice.caller.post('/notes/batch', { notes: sent }, { 'x-idempotency-key': key });
      assert.ok(body.results.every(({ status }: { status: string }) => status === 'ok'));
      return db.counts.reads;
    };
    await send('folders', (index) => `Top/Folder ${index}/first.md`);
    const one = await send('one', (index) => `Top/Folder 1/one ${index}.md`);
    const many = await send('many', (index) => `top/folder ${index}/many.md`);
    const missing = await send('missing', (index) => `Top/Folder 1/Missing ${index}/missing.md`);
    assert.deepEqual([many, missing], [one, one + 1], 'for missing folders, those above them are read once');
    const { content, path } = (await alice.read('Top/Folder 7/many.md')).body;
    assert.deepEqual([content, path], ['many', 'Top/Folder 7/many.md']);
  });
});
