import assert from 'node:assert/strict';
import { test } from 'node:test';
import { YjsClient } from '../../kit/clients/yjs-client.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { type Json, startNotes } from '../../kit/notes.ts';
import { oneServer } from '../../kit/server.ts';

/** Every way to read a vault, and a test that it shows an edit which somebody typed a moment before. */
const READS: readonly [path: string, shows: (body: Json, word: string) => boolean][] = [
  ['/sync/manifest?since_seq=SEQ', (body) => body.unchanged === undefined && body.change_seq > 0],
  ['/sync/manifest', (body) => body.notes.some(({ seq }: Json) => seq === body.change_seq)],
  ['/sync/changes?fields=all', (body, word) => body.changes.at(-1).content.includes(word)],
  ['/sync/changes?cursor=CURSOR', (body) => body.changes.length === 1],
  ['/vault/tree', (body) => body.notes.some(({ updated_at }: Json) => updated_at !== body.notes[0].created_at)],
  ['/notes/typed.md', (body, word) => body.content.includes(word)],
  ['/notes/by-id/ID', (body, word) => body.content.includes(word) && body.version > 1],
  ['/notes/by-id/ID/versions', (body) => body.versions.length > 1],
  ['/notes/by-id/TARGET/backlinks', (body) => body.backlinks.length === 1],
  ['/tags', (body, word) => body.tags.some(({ name }: Json) => name === word)],
  ['/types', (body, word) => body.types.some(({ name }: Json) => name === word)],
  ['/folders/list?folder=', (body, word) => body.notes.some(({ tags }: Json) => tags.includes(word))],
];

onEachEngine('what is typed over a socket', (open) => {
  const start = oneServer(() => ({ open }));
  const startOther = oneServer(async () => {
    const { db, clock, masterKey } = await start();
    return { open: async () => db, clock, masterKey };
  });

  for (const [path, shows] of READS) {
    test(`[6.1] [6.2] is in ${path.replace(/=.*/, '')} of either process as soon as it is acknowledged`, async () => {
      const { alice, server } = await startNotes(await start());
      const other = (await startOther()).bearer((await server.alice.signed()).accessToken);
      const target = await alice.write('target.md');
      const { id } = await alice.write('typed.md', '');
      using client = await new YjsClient('bob').join(server.app, alice.vault, id);
      for (const [at, caller] of [alice.caller, other].entries()) {
        const { body: before } = await alice.caller.get('/sync/changes');
        const { change_seq: seq } = (await alice.caller.get('/sync/manifest')).body;
        server.clock.advance({ seconds: 1 });
        const word = `word${at}`;
        const text = `---\ntype: ${word}\n---\n[[target]] #${word}\n`;
        assert.equal(await client.type(text, 0, client.text.length), 'stored');
        // At once: a cursor may contain one of the words.
        const named: Json = { SEQ: seq, CURSOR: before.resume_cursor, ID: id, TARGET: target.id };
        const asked = path.replace(/SEQ|CURSOR|ID|TARGET/, (word) => named[word]);
        const { status, body } = await caller.get(asked);
        assert.equal(status, 200, JSON.stringify(body));
        assert.ok(shows(body, word), JSON.stringify(body).slice(0, 300));
      }
    });
  }

  test('[6.2] is found by a search as soon as it is acknowledged', async () => {
    const { alice, server } = await startNotes(await start());
    const { id } = await alice.write('typed.md', '');
    using client = await new YjsClient('bob').join(server.app, alice.vault, id);
    for (const word of ['quokka', 'wombat']) {
      await client.type(`${word} `);
      const { status, body } = await alice.caller.post('/search', { query: word, mode: 'keyword' });
      assert.deepEqual([status, body.results.map((found: Json) => found.path)], [200, ['typed.md']]);
    }
  });

  test('[6.6] is merged with a write that is based on an older version', async () => {
    const { alice, server } = await startNotes(await start());
    const { id, version } = await alice.write('typed.md', 'one\ntwo\n');
    using client = await new YjsClient('bob').join(server.app, alice.vault, id);
    await client.type('typed\n', 0);
    const { note } = (await alice.put('typed.md', { content: 'one\ntwo\nwritten\n', version })).body;
    assert.equal(note.content, 'typed\none\ntwo\nwritten\n');
    await client.type('more\n', 0);
    const appended = (await alice.caller.post('/notes/append', { path: 'typed.md', text: 'appended' })).body.note;
    assert.equal(appended.content, 'more\ntyped\none\ntwo\nwritten\nappended');
  });
});
