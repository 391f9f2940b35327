import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusOf } from '../../../../../test/kit/clients/searching.ts';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { faulty } from '../../../../../test/kit/faulty-embedder.ts';
import { type NotesServer, startNotes } from '../../../../../test/kit/notes.ts';
import { IDLE } from '../../../../concurrency/idle.ts';
import { EmbedderError } from '../../../../ports/embedder/embedder.ts';

const BURST = 200;
const { signal } = new AbortController();

/** Writes new notes faster than an import. */
async function writeBurst({ alice: { caller } }: NotesServer, folder: string): Promise<void> {
  for (let at = 0; at < BURST; at += 100) {
    const notes = Array.from({ length: 100 }, (_, index) => {
      return { path: `${folder}/${at + index}.md`, content: folder, mtime: 1 };
    });
    const { status } = await caller.post('/notes/batch', { notes }, { 'x-idempotency-key': `${folder}-${at}` });
    assert.equal(status, 200);
  }
}

async function pendingIn({ server, alice }: NotesServer): Promise<number> {
  await server.app.search.embedInBackground(signal);
  return (await statusOf(alice)).pending;
}

onEachEngine('embedding in the background', (open) => {
  test('embedding in the background begins once writes have rested', async () => {
    await using notes = await startNotes({ open, embedder: faulty('m') });
    await writeBurst(notes, 'first');
    assert.equal(await pendingIn(notes), BURST);
    notes.server.clock.advance({ seconds: 2 });
    assert.equal(await pendingIn(notes), 0);
  });

  test('embedding in the background tells a run that waits after a failure from one that did its work', async () => {
    const embedder = faulty('m');
    await using notes = await startNotes({ open, embedder });
    const { search } = notes.server.app;
    await writeBurst(notes, 'first');
    notes.server.clock.advance({ seconds: 2 });
    embedder.faults.push(new EmbedderError('unavailable', 'away'));
    await assert.rejects(search.embedInBackground(signal), EmbedderError);
    assert.equal(await search.embedInBackground(signal), IDLE);
    notes.server.clock.advance({ hours: 1 });
    assert.notEqual(await search.embedInBackground(signal), IDLE);
    assert.equal(embedder.made, BURST);
  });
});
