import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { embed, find, near, statusOf } from '../../../../../test/kit/clients/searching.ts';
import { onEachEngine, rawOf } from '../../../../../test/kit/engines.ts';
import { faulty } from '../../../../../test/kit/faulty-embedder.ts';
import { type NotesServer, putAll, startNotes, type Writer } from '../../../../../test/kit/notes.ts';
import { listen } from '../../../../../test/kit/programs/free-port.ts';
import { startServer, type TestServer } from '../../../../../test/kit/server.ts';
import { builtinEmbedder } from '../../../../ports/embedder/builtin.ts';
import { type Embedder, EmbedderError } from '../../../../ports/embedder/embedder.ts';
import { httpEmbedder } from '../../../../ports/embedder/http.ts';

/** Like statusOf, for when the credential is too old for a request. */
async function statusIn({ app }: TestServer, { vault }: Writer) {
  const opened = await app.vaults.openAsSystem(vault as VaultId);
  assert.ok(opened !== null);
  return app.search.status(opened);
}

onEachEngine('the vectors of notes', (open) => {
  const started = async (embedder: Embedder = faulty('m')): Promise<NotesServer> => startNotes({ open, embedder });

  test('while the embedder is down, hybrid search ranks by words, vector search fails, and notes wait', async () => {
    const embedder = faulty('m');
    await using notes = await started(embedder);
    const { alice, server } = notes;
    await alice.write('a.md', 'A lantern of copper.');
    embedder.faults.push(new EmbedderError('unavailable', 'away'));
    await assert.rejects(embed(server), /away/);
    assert.equal((await statusOf(alice)).pending, 1);
    // Not retried before its time; then it succeeds.
    await embed(server);
    assert.equal((await statusOf(alice)).pending, 1);
    server.clock.advance({ minutes: 1 });
    await embed(server);
    assert.equal((await statusOf(alice)).pending, 0);
    embedder.faults.push(new EmbedderError('unavailable', 'away'));
    assert.deepEqual(await find(alice, 'lantern'), ['a.md']);
    assert.equal((await alice.caller.post('/search', { query: 'lantern', mode: 'vector' })).status, 503);
    server.clock.advance({ minutes: 1 });
    assert.deepEqual(await near(alice, 'lanterns'), ['a.md']);
  });

  test('a note that the embedder refuses counts as failed, delays no other, and is retried later', async () => {
    const embedder = faulty('m');
    embedder.poison = 'quibble';
    await using notes = await started(embedder);
    const { alice, server } = notes;
    await alice.write('a.md', 'A lantern of copper.');
    await alice.write('bad.md', 'The quibble of the harbour.');
    await alice.write('c.md', 'The meadow in winter.');
    await embed(server);
    assert.deepEqual(await statusOf(alice), { total: 3, indexed: 2, pending: 0, failed: 1, model: 'builtin' });
    assert.deepEqual(await near(alice, 'harbours'), []);
    assert.deepEqual(await find(alice, 'harbour'), ['bad.md']);
    server.clock.advance({ minutes: 11 });
    await embed(server);
    assert.equal((await statusIn(server, alice)).failed, 1);
    // The pause has doubled by now.
    embedder.poison = null;
    server.clock.advance({ minutes: 11 });
    await embed(server);
    assert.equal((await statusIn(server, alice)).failed, 1);
    server.clock.advance({ minutes: 11 });
    await embed(server);
    const { indexed, failed } = await statusIn(server, alice);
    assert.deepEqual([indexed, failed], [3, 0]);
  });

  test('a change of the model embeds all notes again, and vectors of both models are never compared', async () => {
    const embedder = faulty('old');
    await using notes = await started(embedder);
    const { alice, server } = notes;
    await alice.write('a.md', 'A lantern of copper.');
    await embed(server);
    assert.deepEqual(await near(alice, 'lanterns'), ['a.md']);
    embedder.id = 'new';
    assert.deepEqual(await near(alice, 'lanterns'), []);
    server.clock.advance({ minutes: 2 });
    await embed(server);
    assert.equal(embedder.made, 2);
    assert.deepEqual(await near(alice, 'lanterns'), ['a.md']);
  });

  test('two processes embed no note twice, and each finds what the other embedded', async () => {
    const embedder = faulty('m');
    await using notes = await started(embedder);
    const { alice, server } = notes;
    const { masterKey, clock, blobs } = server;
    await using second = await startServer({ open: async () => server.db, masterKey, clock, blobs, embedder });
    const many = Array.from({ length: 200 }, (_, at) => ({ path: `n${at}.md`, content: `lantern ${at}`, mtime: 1 }));
    await putAll(alice, many);
    await Promise.all([embed(server), embed(second)]);
    assert.equal(embedder.made, 200);
    assert.equal((await statusOf(alice)).indexed, 200);
    const { accessToken } = await server.alice.signed();
    const beside = second.bearer(accessToken);
    const ask = { query: 'lantern 77', mode: 'vector', limit: 1 };
    const { body } = await beside.post('/search', ask, { 'x-vault-id': alice.vault });
    assert.equal(body.results[0].path, 'n77.md');
    await alice.write('n77.md', 'The harbour at low tide.');
    await embed(server);
    const after = await beside.post('/search', { ...ask, query: 'harbours' }, { 'x-vault-id': alice.vault });
    assert.equal(after.body.results[0].path, 'n77.md');
  });

  test('vectors are found after a rebuild, and a purge deletes all of them', async () => {
    const embedder = faulty('m');
    await using notes = await started(embedder);
    const { alice, server } = notes;
    await alice.write('a.md', 'A lantern of copper.');
    await embed(server);
    const principal = await server.app.accounts.authenticate(`Bearer ${(await server.alice.signed()).accessToken}`);
    await server.app.search.rebuild(
      await server.app.vaults.openVault(principal, alice.vault, 'write'),
      () => undefined,
    );
    await embed(server);
    assert.equal((await statusOf(alice)).indexed, 1);
    assert.deepEqual(await near(alice, 'lanterns'), ['a.md']);
    const raw = await rawOf(server.db);
    const counts = async () =>
      Promise.all(
        ['search_vectors', 'search_embeddings'].map(async (name) => (await raw.all(`select * from ${name}`)).length),
      );
    assert.deepEqual(await counts(), [1, 1]);
    await alice.caller.delete(`/vaults/${alice.vault}`);
    server.clock.advance({ days: 31 });
    await server.app.vaults.purgeDue(server.clock.now());
    assert.deepEqual(await counts(), [0, 0]);
    await raw[Symbol.asyncDispose]();
  });

  test('stored vectors are sealed and bound to their note', async () => {
    await using notes = await started();
    const { alice, server } = notes;
    await alice.write('a.md', '# Quibbletitle\nquibble');
    await alice.write('b.md', '# Lantern\ncopper');
    await embed(server);
    const raw = await rawOf(server.db);
    const rows = await raw.all('select note_id, data from search_vectors order by note_id');
    for (const { data } of rows) assert.ok(!Buffer.from(data as Buffer).includes('uibble'));
    assert.equal((await near(alice, 'quibbles')).length, 1);
    await raw[Symbol.asyncDispose]();
  });

  test('search works with the embedder of a server with OpenAI’s API', async () => {
    const builtin = builtinEmbedder();
    const asked: string[][] = [];
    const api = createServer(async (request, response) => {
      let text = '';
      for await (const piece of request) text += piece;
      const { input } = JSON.parse(text) as { input: string[] };
      asked.push(input);
      if (asked.length === 2) {
        response.writeHead(429, { 'retry-after': '1' }).end();
        return;
      }
      const vectors = await builtin.embedPassages(
        input.map((each) => ({ about: '', text: each })),
        new AbortController().signal,
      );
      const data = vectors.map((vector, index) => ({ index, embedding: [...vector] }));
      response.end(JSON.stringify({ data }));
    });
    await using listening = await listen(api);
    const embedder = httpEmbedder({
      url: `${listening.url}/v1`,
      model: 'small',
      key: 'sk-1',
      now: () => 0,
      jitter: () => 0,
      delay: async () => undefined,
    });
    await using notes = await started(embedder);
    const { alice, server } = notes;
    await alice.write('a.md', 'A lantern of copper.');
    await alice.write('b.md', 'The harbour at low tide.');
    await embed(server);
    assert.deepEqual(await statusOf(alice), { total: 2, indexed: 2, pending: 0, failed: 0, model: 'small' });
    assert.equal((await near(alice, 'lanterns'))[0], 'a.md');
    assert.equal((await find(alice, 'tide'))[0], 'b.md');
    // Dimensions, both notes (and again after 429), and a query for each search.
    assert.deepEqual(
      asked.map(({ length }) => length),
      [1, 2, 2, 1, 1],
    );
  });
});
