import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { VaultId } from '@notevault/protocol/ids.ts';
import { onEachEngine, rawOf } from '../../../test/kit/engines.ts';
import { type Json, type NotesServer, startNotes, type Writer } from '../../../test/kit/notes.ts';
import { startServer, type TestServer } from '../../../test/kit/server.ts';
import { builtinEmbedder } from '../../ports/embedder/builtin.ts';
import { type Embedder, EmbedderError, type Space } from '../../ports/embedder/embedder.ts';
import { httpEmbedder } from '../../ports/embedder/http.ts';

const signal = new AbortController().signal;

async function results(who: Writer, query: string, more: Record<string, unknown> = {}): Promise<Json[]> {
  const { status, body } = await who.caller.post('/search', { query, ...more });
  assert.equal(status, 200, JSON.stringify(body));
  return body.results;
}
const find = async (who: Writer, query: string, more: Record<string, unknown> = {}): Promise<string[]> =>
  (await results(who, query, more)).map(({ path }: Json) => path);
const near = (who: Writer, query: string, more: Record<string, unknown> = {}) =>
  find(who, query, { mode: 'vector', ...more });
const statusOf = async (who: Writer) => (await who.caller.get('/search/status')).body;
/** Like statusOf, for when the credential is too old for a request. */
async function statusIn({ app }: TestServer, { vault }: Writer) {
  const opened = await app.vaults.openAsSystem(vault as VaultId);
  assert.ok(opened !== null);
  return app.search.status(opened);
}
async function putAll({ caller }: Writer, notes: readonly object[]): Promise<void> {
  for (let at = 0; at < notes.length; at += 100) {
    const batch = { notes: notes.slice(at, at + 100) };
    assert.equal((await caller.post('/notes/batch', batch, { 'x-idempotency-key': `notes-${at}` })).status, 200);
  }
}
const embed = ({ app }: TestServer) => app.search.embed(signal);

/** The builtin embedder under another name, with injected failures. */
interface Faulty extends Embedder {
  id: string;
  /** Thrown by the next calls, one per call. */
  readonly faults: EmbedderError[];
  /** A text that is refused, alone or among others. */
  poison: string | null;
  /** How many passages were embedded. */
  made: number;
}

function faulty(id: string): Faulty {
  const inner = builtinEmbedder();
  const spaceOf = async (): Promise<Space> => ({ ...(await inner.space(signal)), id: own.id });
  const fail = () => {
    const fault = own.faults.shift();
    if (fault !== undefined) throw fault;
  };
  const own: Faulty = {
    ...inner,
    id,
    faults: [],
    poison: null,
    made: 0,
    space: spaceOf,
    async embedPassages(passages, given) {
      fail();
      const { poison } = own;
      if (poison !== null && passages.some(({ text }) => text.includes(poison)))
        throw new EmbedderError('refused', 'too odd');
      own.made += passages.length;
      return inner.embedPassages(passages, given);
    },
    async embedQuery(query, options) {
      fail();
      return inner.embedQuery(query, options);
    },
  };
  return own;
}

onEachEngine('vectors', (open) => {
  const started = async (embedder: Embedder = builtinEmbedder()): Promise<NotesServer> =>
    startNotes({ open, embedder });

  test('notes are embedded in the background; until then hybrid search ranks by words, and the status counts them as pending', async () => {
    await using notes = await started();
    const { alice, server } = notes;
    await alice.write('lamp.md', 'A lantern of copper.');
    await alice.write('sea.md', 'The tide and the harbour.');
    assert.deepEqual(await statusOf(alice), { total: 2, indexed: 0, pending: 2, failed: 0, model: 'builtin' });
    assert.deepEqual(await find(alice, 'lantern'), ['lamp.md']);
    assert.deepEqual(await near(alice, 'lantern'), []);
    await embed(server);
    assert.deepEqual(await statusOf(alice), { total: 2, indexed: 2, pending: 0, failed: 0, model: 'builtin' });
    assert.deepEqual(await near(alice, 'lanterns'), ['lamp.md']);
    assert.equal((await find(alice, 'lantern'))[0], 'lamp.md');
  });

  test('vector search returns every field, and the cosine as the score', async () => {
    await using notes = await started();
    const { alice, server } = notes;
    const boats = 'The boats of the harbour. '.repeat(80);
    const text = `# Coast\n${boats}\n\n## Lights\nA lantern of copper.\n\n## Boats\n${boats}`;
    const note = await alice.write('Places/coast.md', text);
    await embed(server);
    const [result, ...others] = await results(alice, 'coppery lanterns', { mode: 'vector' });
    assert.deepEqual(others, []);
    const { score, snippet, highlights, match_count: matches, ...rest } = result;
    assert.deepEqual(rest, {
      id: note.id,
      path: 'Places/coast.md',
      title: 'Coast',
      folder: 'Places',
      heading_path: 'Coast > Lights',
    });
    assert.ok(score > 0.1 && score <= 1, `${score}`);
    assert.ok(matches >= 1 && matches <= 2);
    assert.match(snippet, /A lantern of copper\./);
    for (const [from, to] of highlights) assert.match(snippet.slice(from, to), /^(copper|lantern)/i);
    const [twin] = await results(alice, 'Coast Lights lantern of copper', { mode: 'vector' });
    assert.ok(twin.score > score);
  });

  test('vector search never finds a note as it was before an edit, a move or a deletion', async () => {
    await using notes = await started();
    const { alice, server } = notes;
    await alice.write('a.md', 'A lantern of copper.');
    await alice.write('b.md', 'The harbour at low tide.');
    await embed(server);
    assert.deepEqual(await near(alice, 'lanterns'), ['a.md']);
    await alice.write('a.md', 'Winter came to the meadow.');
    assert.deepEqual(await near(alice, 'lanterns'), []);
    await embed(server);
    assert.deepEqual(await near(alice, 'lanterns'), []);
    assert.deepEqual(await near(alice, 'meadows'), ['a.md']);
    await alice.remove('a.md');
    assert.deepEqual(await near(alice, 'meadows'), []);
    await embed(server);
    const raw = await rawOf(server.db);
    assert.equal((await raw.all('select note_id from search_vectors')).length, 1);
    await raw[Symbol.asyncDispose]();
  });

  test('a note keeps its vectors when it moves, and gets new ones under another title', async () => {
    const embedder = faulty('m');
    await using notes = await started(embedder);
    const { alice, server } = notes;
    await alice.write('a.md', '# Lantern\nOf copper.');
    await alice.write('untitled.md', 'The harbour at low tide.');
    await embed(server);
    assert.equal(embedder.made, 2);
    await alice.caller.post('/notes/rename', { old_path: 'a.md', new_path: 'Deep/b.md' });
    assert.deepEqual(await near(alice, 'lanterns'), ['Deep/b.md']);
    await alice.caller.post('/notes/rename', { old_path: 'untitled.md', new_path: 'quagga.md' });
    assert.deepEqual(await near(alice, 'harbours'), []);
    await embed(server);
    assert.equal(embedder.made, 3);
    assert.deepEqual(await near(alice, 'quaggas'), ['quagga.md']);
    // A second server that knows only what is stored returns the same.
    const { masterKey, clock, blobs } = server;
    await using second = await startServer({ open: async () => server.db, masterKey, clock, blobs, embedder });
    const { accessToken } = await server.alice.signed();
    const again = second.bearer(accessToken);
    const { body } = await again.post('/search', { query: 'lanterns', mode: 'vector' }, { 'x-vault-id': alice.vault });
    assert.deepEqual(
      body.results.map(({ path }: Json) => path),
      ['Deep/b.md'],
    );
  });

  test('vector search filters before it scores: allowed notes are found however many others are nearer', async () => {
    await using notes = await started();
    const { alice, server } = notes;
    const many = Array.from({ length: 600 }, (_, at) => ({ path: `n${at}.md`, content: 'lantern lantern', mtime: 1 }));
    await putAll(alice, many);
    const fields = 'tags: [sea/deep]\ntype: Log\ncreated: 2024-03-05\nupdated: 2024-04-01';
    const far = `${'Boats of the harbour. '.repeat(10)}\nOne lantern more.`;
    await alice.write('Far/away.md', `---\n${fields}\n---\n${far}`);
    await embed(server);
    for (const filter of [
      { tags: ['sea'] },
      { folder: 'far' },
      { type: 'log' },
      { created_after: '2024-03-05', created_before: '2024-03-05' },
      { updated_after: '2024-03-31', updated_before: '2024-04-01' },
    ]) {
      for (const mode of ['vector', 'hybrid']) {
        assert.deepEqual(await find(alice, 'lantern', { mode, ...filter }), ['Far/away.md'], JSON.stringify(filter));
      }
    }
    assert.deepEqual(await near(alice, 'lantern -lantern'), []);
    assert.deepEqual(await near(alice, 'lantern folder:far'), ['Far/away.md']);
    assert.deepEqual(await near(alice, 'lantern', { tags: ['nothing'] }), []);
    assert.equal((await near(alice, 'lantern', { limit: 50 })).length, 50);
  });

  test('hybrid search finds what either ranking finds, ranks notes found by both first, with descending scores between 0 and 1', async () => {
    await using notes = await started();
    const { alice, server } = notes;
    await alice.write('both.md', 'The lighthouse keeper');
    await alice.write('near.md', 'lighthouses and keepers');
    await alice.write('other.md', 'A garden in winter');
    await embed(server);
    const found = await results(alice, 'lighthouse keeper', { limit: 10 });
    assert.deepEqual(
      found.slice(0, 2).map(({ path }: Json) => path),
      ['both.md', 'near.md'],
    );
    const scores: number[] = found.map(({ score }: Json) => score);
    assert.ok(scores.every((score, at) => score >= 0 && score <= 1 && score <= (scores[at - 1] ?? 1)));
    assert.deepEqual(await find(alice, 'title:other'), ['other.md']);
  });

  test('diversity puts a note on another subject before a copy of the best', async () => {
    await using notes = await started();
    const { alice, server } = notes;
    await alice.write('one.md', '# Lantern\nThe lantern of copper hangs by the door.');
    await alice.write('two.md', '# Lantern\nThe lantern of copper hangs by the door.');
    await alice.write('sea.md', '# Harbour\nBoats, tides, nets, and by the quay a lantern.');
    await embed(server);
    for (const mode of ['keyword', 'vector', 'hybrid']) {
      const plain = await find(alice, 'lantern', { mode, limit: 2 });
      assert.deepEqual(plain.toSorted(), ['one.md', 'two.md'], mode);
      const varied = await find(alice, 'lantern', { mode, limit: 2, diversity: 1 });
      assert.equal(varied[0], plain[0], mode);
      assert.equal(varied[1], 'sea.md', mode);
    }
  });

  test('a cross-vault hybrid search orders the results of all vaults by score', async () => {
    await using notes = await started();
    const { alice, server } = notes;
    await alice.write('faint.md', `${'Boats of the harbour. '.repeat(10)} and a lantern`);
    const { vault } = (await server.alice.post('/vaults', { name: 'Second' })).body;
    const strong = { path: 'strong.md', content: '# Lantern\nlantern', mtime: 1 };
    await server.alice.post('/notes', strong, { 'x-vault-id': vault.id });
    await embed(server);
    for (const mode of ['keyword', 'vector', 'hybrid']) {
      const found = await results(alice, 'lantern', { mode, cross_vault: true });
      assert.deepEqual(
        found.map(({ path, vault_name }: Json) => [path, vault_name]),
        [
          ['strong.md', 'Second'],
          ['faint.md', 'Notes'],
        ],
        mode,
      );
    }
  });

  test('while the embedder is down, hybrid search ranks by words, vector search is unavailable, and notes stay pending', async () => {
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
        signal,
      );
      const data = vectors.map((vector, index) => ({ index, embedding: [...vector] }));
      response.end(JSON.stringify({ data }));
    });
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
    const { port } = api.address() as AddressInfo;
    try {
      const embedder = httpEmbedder({
        url: `http://127.0.0.1:${port}/v1`,
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
    } finally {
      api.closeAllConnections();
      api.close();
    }
  });
});
