import assert from 'node:assert/strict';
import { test } from 'node:test';
import { embed, find, near, results, statusOf } from '../../../../test/kit/clients/searching.ts';
import { onEachEngine, rawOf } from '../../../../test/kit/engines.ts';
import { faulty } from '../../../../test/kit/faulty-embedder.ts';
import { type Json, notesOnOneServer, putAll, startNotes } from '../../../../test/kit/notes.ts';
import { startServer } from '../../../../test/kit/server.ts';

onEachEngine('hybrid and vector search', (open) => {
  const started = notesOnOneServer(open, { embedder: faulty('m') });

  test('notes are embedded in the background; until then hybrid search ranks by words and counts them', async () => {
    const { alice, server } = await started();
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
    const { alice, server } = await started();
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
    const { alice, server } = await started();
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
    const stored = await raw.all('select note_id from search_vectors where vault_id = $1', alice.vault);
    assert.equal(stored.length, 1);
    await raw[Symbol.asyncDispose]();
  });

  test('a note keeps its vectors when it moves, and gets new ones under another title', async () => {
    const embedder = faulty('m');
    await using notes = await startNotes({ open, embedder });
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
    const { alice, server } = await started();
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

  test('hybrid search finds what either ranking finds, notes in both first, with scores between 0 and 1', async () => {
    const { alice, server } = await started();
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
    const { alice, server } = await started();
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
    const { alice, server } = await started();
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
});
