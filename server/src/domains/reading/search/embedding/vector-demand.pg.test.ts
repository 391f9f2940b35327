import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { embed, find, near, statusOf } from '../../../../../test/kit/clients/searching.ts';
import { onEachEngine, rawOf } from '../../../../../test/kit/engines.ts';
import { putAll, startLastingNotes, startNotes, type Writer } from '../../../../../test/kit/notes.ts';
import type { TestServer } from '../../../../../test/kit/server.ts';
import { builtinEmbedder } from '../../../../ports/embedder/builtin.ts';
import type { Embedder } from '../../../../ports/embedder/embedder.ts';

/** The builtin embedder, which counts the passages it was given. */
function counted(): Embedder & { made: number } {
  const inner = builtinEmbedder();
  const own = {
    ...inner,
    made: 0,
    embedPassages: (...args: Parameters<Embedder['embedPassages']>) => {
      own.made += args[0].length;
      return inner.embedPassages(...args);
    },
  };
  return own;
}

/** An embedder that makes no vectors of passages, and calls `asked` when it should. */
function stuck(asked: () => void): Embedder {
  return {
    ...builtinEmbedder(),
    embedPassages: async (_, signal) => {
      asked();
      await once(signal, 'abort');
      throw signal.reason;
    },
  };
}

async function storedVectors({ db }: TestServer): Promise<number> {
  await using raw = await rawOf(db);
  return (await raw.all('select note_id from search_vectors')).length;
}

const dropUnused = ({ app }: TestServer) => app.search.dropUnusedVectors(new AbortController().signal);

async function writeTwo(alice: Writer) {
  await alice.write('lamp.md', '# Lamp\nA lantern of copper.');
  await alice.write('sea.md', '# Sea\nThe tide and the harbour.');
}

onEachEngine('vectors without a model', (open) => {
  test('a vault has none until a request needs them, and the status says so', async () => {
    const embedder = counted();
    await using notes = await startNotes({ open, embedder });
    const { alice, server } = notes;
    await writeTwo(alice);
    await embed(server);
    assert.deepEqual(await find(alice, 'lantern'), ['lamp.md']);
    assert.deepEqual(await find(alice, 'lantern', { mode: 'keyword' }), ['lamp.md']);
    assert.equal(embedder.made, 0);
    const none = { total: 2, indexed: 0, pending: 0, failed: 0, model: 'builtin', vectors: 'on_demand' };
    assert.deepEqual(await statusOf(alice), none);
  });

  test('the first request in vector mode makes them, and later writes are embedded in the background', async () => {
    const embedder = counted();
    await using notes = await startNotes({ open, embedder });
    const { alice, server } = notes;
    await writeTwo(alice);
    assert.deepEqual(await near(alice, 'lanterns'), ['lamp.md']);
    assert.equal(embedder.made, 2);
    assert.deepEqual(await statusOf(alice), { total: 2, indexed: 2, pending: 0, failed: 0, model: 'builtin' });
    await alice.write('hill.md', 'The meadow in winter.');
    await embed(server);
    assert.equal(embedder.made, 3);
    assert.deepEqual(await near(alice, 'meadows'), ['hill.md']);
  });

  test('a request with diversity makes them', async () => {
    const embedder = counted();
    await using notes = await startNotes({ open, embedder });
    const { alice } = notes;
    await writeTwo(alice);
    assert.deepEqual(await find(alice, 'lantern', { diversity: 0.5 }), ['lamp.md']);
    assert.equal(embedder.made, 2);
  });

  test('hybrid mode answers what keyword mode does, also when there are vectors', async () => {
    const embedder = counted();
    await using notes = await startNotes({ open, embedder });
    const { alice } = notes;
    await writeTwo(alice);
    await near(alice, 'lanterns');
    for (const query of ['coppers lanterne', 'harbours', 'lantern tide']) {
      assert.deepEqual(await find(alice, query), await find(alice, query, { mode: 'keyword' }), query);
    }
  });

  test('while they are made, vector mode waits two seconds and then adds notes that words find', async () => {
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    await using notes = await startNotes({ open, embedder: stuck(asked) });
    const { alice, server } = notes;
    await writeTwo(alice);
    const found = near(alice, 'lantern');
    await isAsked;
    server.clock.advance({ seconds: 2 });
    assert.deepEqual(await found, ['lamp.md']);
    assert.equal((await statusOf(alice)).pending, 2);
  });

  test('vectors without a model are dropped after 30 unused days, and made again when they are asked for', async () => {
    const embedder = counted();
    await using notes = await startLastingNotes({ open, embedder });
    const { alice, server } = notes;
    const many = Array.from({ length: 150 }, (_, at) => ({ path: `n${at}.md`, content: `lantern ${at}`, mtime: 1 }));
    await putAll(alice, many);
    await near(alice, 'lanterns');
    server.clock.advance({ days: 29 });
    await dropUnused(server);
    assert.equal(await storedVectors(server), 150);
    // Asking for them counts as a use.
    await near(alice, 'lanterns');
    server.clock.advance({ days: 29 });
    await dropUnused(server);
    assert.equal(await storedVectors(server), 150);
    server.clock.advance({ days: 2 });
    await dropUnused(server);
    assert.equal(await storedVectors(server), 0);
    assert.equal((await statusOf(alice)).vectors, 'on_demand');
    assert.equal((await near(alice, 'lantern 77', { limit: 1 }))[0], 'n77.md');
    assert.equal(await storedVectors(server), 150);
  });

  test('vectors without a model are whole again when dropping them was cut off', async () => {
    await using notes = await startLastingNotes({ open, embedder: counted() });
    const { alice, server } = notes;
    await writeTwo(alice);
    await near(alice, 'lanterns');
    await using raw = await rawOf(server.db);
    const [row] = await raw.all('select note_id from search_vectors');
    await raw.run('delete from search_vectors where note_id = $1', String(row?.note_id));
    server.clock.advance({ days: 31 });
    await near(alice, 'lanterns');
    assert.equal(await storedVectors(server), 2);
  });

  test('those of before the upgrade count as unused', async () => {
    const embedder = counted();
    await using notes = await startNotes({ open, embedder });
    const { alice, server } = notes;
    await writeTwo(alice);
    await near(alice, 'lanterns');
    await using raw = await rawOf(server.db);
    await raw.run('update search_embeddings set wanted_at = 0');
    await dropUnused(server);
    assert.equal(await storedVectors(server), 0);
  });
});
