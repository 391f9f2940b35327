/** Search as a whole: what is stored, that a crash of the search thread loses nothing, and who may search where. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../../src/ports/database/database.ts';
import { handWritten } from '../../kit/content/test-vault.ts';
import { onEachEngine, rawOf } from '../../kit/engines.ts';
import type { Json } from '../../kit/notes.ts';
import type { Caller } from '../../kit/person.ts';
import { oneServer, startServer, type TestServer } from '../../kit/server.ts';

/** Enough notes of the test vault for a ranking. */
const texts = [...handWritten('en')].filter(([path]) => /^(?:Home|Garden|Kitchen|Sky)\b/.test(path));
const queries = [
  ...['rotate crops', 'watering', '"under running tap"', 'tomatos', 'potat', 'garlic -oil', 'folder:Garden water'],
  ...['bread in the oven', 'path:kitchen salt', 'title:moon', '…', 'table of temperatures', 'in the morning'],
];

/** Enough where an index is whole, of other notes, or not there. */
const few = {
  texts: texts.filter(([path]) => path.startsWith('Kitchen')),
  queries: ['bread in the oven', 'path:kitchen salt', 'title:coffee', 'in the morning'],
};

/** Writes those notes into a new vault; returns the headers that choose it. */
async function fill(who: Caller, written = texts): Promise<Record<string, string>> {
  const { vault } = (await who.post('/vaults', { name: 'Notes' })).body;
  const headers = { 'x-vault-id': vault.id as string };
  const notes = written.map(([path, content]) => ({ path, mtime: 1, content }));
  const sent = { ...headers, 'x-idempotency-key': 'fill' };
  assert.equal((await who.post('/notes/batch', { notes }, sent)).status, 200);
  return headers;
}

async function answers(who: Caller, headers: Record<string, string>, asked = queries): Promise<Json[]> {
  return Promise.all(
    asked.map(async (query) => {
      const { status, body } = await who.post('/search', { query, mode: 'keyword', limit: 20 }, headers);
      assert.equal(status, 200, query);
      return body.results;
    }),
  );
}

async function openVault(server: TestServer, id: string) {
  const { accessToken } = await server.alice.signed();
  const principal = await server.app.accounts.authenticate(`Bearer ${accessToken}`);
  return server.app.vaults.openVault(principal, id, 'read');
}

/** A second process over the same database. */
function beside(server: TestServer, open: () => Promise<Database>): Promise<TestServer> {
  return startServer({ open, masterKey: server.masterKey, clock: server.clock });
}

onEachEngine('search', (open) => {
  const start = oneServer(() => ({ open }));

  test('results and scores are the same for an index that grew, was rebuilt or was read back', async () => {
    const server = await start();
    const { alice } = server;
    const headers = await fill(alice);
    const grown = await answers(alice, headers);
    assert.ok(grown.flat().length > 60);
    const vault = await openVault(server, headers['x-vault-id'] ?? '');
    let heard = 0;
    const rebuilt = await server.app.search.rebuild(vault, (notes) => {
      heard = notes;
    });
    assert.equal(rebuilt.notes, texts.length);
    assert.equal(heard, texts.length);
    assert.deepEqual(await answers(alice, headers), grown);
    await server.app.search.stopWorker();
    assert.deepEqual(await answers(alice, headers), grown);
  });

  test('an index is read back from its stored segments, and notes changed since are added', async () => {
    const server = await start();
    const { alice } = server;
    const headers = await fill(alice);
    await server.app.search.rebuild(await openVault(server, headers['x-vault-id'] ?? ''), () => undefined);
    const find = async (query: string) =>
      (await alice.post('/search', { query, mode: 'keyword' }, headers)).body.results.map(({ path }: Json) => path);
    await alice.delete('/notes/Garden/Slugs.md', undefined, headers);
    await alice.post('/notes/rename', { old_path: 'Kitchen/Coffee.md', new_path: 'Grid.md' }, headers);
    await alice.post('/notes', { path: 'new.md', content: 'quokka', mtime: 1 }, headers);
    await using raw = await rawOf(server.db);
    // This note is damaged, so reading the notes again would fail.
    const frost = (await alice.get('/notes/Garden/Frost.md', headers)).body.id;
    await raw.run('update note_bodies set content = $1 where note_id = $2', Buffer.from('damaged'), frost);
    await server.app.search.stopWorker();
    assert.deepEqual(await find('path:frost'), ['Garden/Frost.md']);
    assert.deepEqual(await find('path:slugs'), []);
    assert.deepEqual(await find('path:kitchen/coffee'), []);
    assert.deepEqual(await find('path:grid'), ['Grid.md']);
    assert.deepEqual(await find('quokka'), ['new.md']);
  });

  test('an index is rebuilt when its segments are missing, damaged, or of another format or epoch', async () => {
    const server = await start();
    const { alice } = server;
    const faults: [string, ...Buffer[]][] = [
      ['delete from search_segments where vault_id = $1'],
      ['update search_segments set data = $2 where vault_id = $1', Buffer.alloc(200, 7)],
      ['update search_indexes set segments = $2 where vault_id = $1', Buffer.alloc(90, 7)],
      ["update search_indexes set format = 'another' where vault_id = $1"],
      ['update search_indexes set feed_epoch = 77 where vault_id = $1'],
      ['update search_indexes set seq = seq + 1 where vault_id = $1'],
      ['delete from search_indexes where vault_id = $1'],
    ];
    await using raw = await rawOf(server.db);
    // A vault for each, because starting the thread again takes most of the time.
    const before: { fault: string; headers: Record<string, string>; found: Json[] }[] = [];
    for (const [fault, ...values] of faults) {
      const headers = await fill(alice, few.texts);
      const id = headers['x-vault-id'] ?? '';
      before.push({ fault, headers, found: await answers(alice, headers, few.queries) });
      await server.app.search.rebuild(await openVault(server, id), () => undefined);
      assert.ok((await raw.run(fault, id, ...values)) > 0, fault);
    }
    await server.app.search.stopWorker();
    for (const { fault, headers, found } of before)
      assert.deepEqual(await answers(alice, headers, few.queries), found, fault);
  });

  test('an index is stored in the background once enough changed, and replaced segments are deleted', async () => {
    const server = await start();
    const { alice } = server;
    const headers = await fill(alice);
    await alice.post('/search', { query: 'x' }, headers);
    await using raw = await rawOf(server.db);
    const inVault = `where vault_id = '${headers['x-vault-id']}'`;
    const stored = await raw.all(`select * from search_indexes ${inVault}`);
    assert.equal(stored.length, 0, 'so few changes are not kept');
    const write = async (from: number) => {
      const notes = Array.from({ length: 100 }, (_, at) => ({
        path: `n${from + at}.md`,
        content: `word${at}`,
        mtime: 1,
      }));
      await alice.post('/notes/batch', { notes }, { ...headers, 'x-idempotency-key': `more-${from}` });
      await alice.post('/search', { query: 'word' }, headers);
      await server.app.search.idle();
    };
    await write(0);
    await write(100);
    const first = await raw.all(`select segment_id from search_segments ${inVault}`);
    assert.equal(first.length, 1);
    for (let from = 200; from < 600; from += 100) await write(from);
    const segments = await raw.all(`select distinct segment_id from search_segments ${inVault}`);
    assert.ok(segments.length < 3, `${segments.length} segments of three`);
    assert.ok(!segments.some(({ segment_id }) => segment_id === first[0]?.segment_id), 'merged into a larger one');
    const [index] = await raw.all(`select seq from search_indexes ${inVault}`);
    assert.ok(Number(index?.seq) >= 600);
  });

  test('background indexing indexes a vault with many writes once it is quiet', async () => {
    await using server = await startServer({ open });
    const { alice, clock } = server;
    const { signal } = new AbortController();
    await using raw = await rawOf(server.db);
    const small = await fill(alice);
    const { vault } = (await alice.post('/vaults', { name: 'large' })).body;
    const headers = { 'x-vault-id': vault.id as string };
    const write = async (from: number, count: number) => {
      const notes = Array.from({ length: count }, (_, at) => ({
        path: `n${from + at}.md`,
        content: `quokka${from + at}`,
        mtime: 1,
      }));
      await alice.post('/notes/batch', { notes }, { ...headers, 'x-idempotency-key': `ahead-${from}` });
    };
    const indexed = async () => {
      await server.app.search.indexInBackground(signal);
      return (await raw.all('select vault_id, seq from search_indexes')).map((row) => [row.vault_id, Number(row.seq)]);
    };
    for (let from = 0; from < 1000; from += 100) await write(from, 100);
    assert.deepEqual(await indexed(), [], 'it was written to just now');
    await write(1000, 1);
    clock.advance({ seconds: 6 });
    assert.deepEqual(await indexed(), [], 'it was written to since the last look');
    clock.advance({ seconds: 6 });
    assert.deepEqual(await indexed(), [[vault.id, 1001]], 'and the small one can wait for a question');
    await server.app.search.stopWorker();
    const { body } = await alice.post('/search', { query: 'quokka1000', mode: 'keyword' }, headers);
    assert.deepEqual(
      body.results.map(({ path }: Json) => path),
      ['n1000.md'],
    );
    assert.equal((await alice.post('/search', { query: 'note', mode: 'keyword' }, small)).status, 200);
    clock.advance({ minutes: 2 });
    await indexed();
    clock.advance({ minutes: 2 });
    assert.deepEqual(await indexed(), [[vault.id, 1001]], 'what is ready stays as it is');
  });

  test('searches succeed although the search thread dies meanwhile', async () => {
    const server = await start();
    const { alice } = server;
    const headers = await fill(alice, few.texts);
    const before = await answers(alice, headers, few.queries);
    for (let round = 0; round < 3; round++) {
      const asked = [answers(alice, headers, few.queries), answers(alice, headers, few.queries)];
      const others = Promise.all(Array.from({ length: 10 }, () => alice.get('/notes/Kitchen/Coffee.md', headers)));
      // Lets the requests reach the thread.
      for (let turn = 0; turn < round * 5; turn++) await new Promise(setImmediate);
      await server.app.search.stopWorker();
      for (const found of await Promise.all(asked)) assert.deepEqual(found, before);
      for (const { status } of await others) assert.equal(status, 200);
    }
  });

  test('a search counts a note that cannot be read, and finds all others', async () => {
    const server = await start();
    const { alice } = server;
    const headers = await fill(alice);
    const { id } = (await alice.get('/notes/Home.md', headers)).body;
    await using raw = await rawOf(server.db);
    const [stored] = await raw.all('select content from note_bodies where note_id = $1', id);
    await raw.run('update note_bodies set content = $1 where note_id = $2', Buffer.from('damaged'), id);
    const { body } = await alice.post('/search', { query: 'title:home', mode: 'keyword' }, headers);
    assert.ok(!body.results.some(({ path }: Json) => path === 'Home.md'));
    const vault = await openVault(server, headers['x-vault-id'] ?? '');
    const { notes, unreadable } = await server.app.search.rebuild(vault, () => undefined);
    assert.deepEqual([notes, unreadable], [texts.length - 1, 1]);
    await server.app.search.stopWorker();
    const others = await alice.post('/search', { query: 'water', mode: 'keyword', limit: 50 }, headers);
    assert.ok(others.body.results.length > 5);
    await raw.run('update note_bodies set content = $1 where note_id = $2', stored?.content ?? null, id);
    await alice.post('/notes/append', { path: 'Home.md', text: 'quokka' }, headers);
    const mended = await alice.post('/search', { query: 'quokka', mode: 'keyword' }, headers);
    assert.deepEqual(
      mended.body.results.map(({ path }: Json) => path),
      ['Home.md'],
    );
  });

  test('a search in another process finds what was just written in the first', async () => {
    const server = await start();
    await using second = await beside(server, async () => server.db);
    const { alice } = server;
    const { accessToken } = await alice.signed();
    const there = second.bearer(accessToken);
    const headers = await fill(alice);
    assert.deepEqual(await answers(there, headers), await answers(alice, headers));
    await alice.post('/notes', { path: 'new.md', content: 'quokka', mtime: 1 }, headers);
    const find = async () => (await there.post('/search', { query: 'quokka' }, headers)).body.results.length;
    assert.equal(await find(), 1);
    await alice.delete('/notes/new.md', undefined, headers);
    assert.equal(await find(), 0);
  });

  test('a cross-vault search covers the credential’s vaults, names them, and needs a plan that allows it', async () => {
    const server = await start();
    const { alice } = server;
    const made = await Promise.all(
      ['One', 'Two', 'Three'].map(async (name) => (await alice.post('/vaults', { name })).body.vault),
    );
    for (const { id, name } of made) {
      const content = `anchor in ${name}${name === 'Two' ? ' anchor' : ''}`;
      await alice.post('/notes', { path: `${name}.md`, content, mtime: 1 }, { 'x-vault-id': id });
    }
    const [one, two, three] = made;
    const everywhere = { query: 'anchor', mode: 'keyword', cross_vault: true, limit: 50 };
    const found = async (who: Caller, body = everywhere) =>
      (await who.post('/search', body, { 'x-vault-id': one.id })).body.results;
    const all = await found(alice);
    assert.deepEqual(all.map(({ vault_name }: Json) => vault_name).sort(), ['One', 'Three', 'Two']);
    assert.ok(
      all.every(
        ({ vault_id, vault_name, path }: Json) => path === `${vault_name}.md` && made.some(({ id }) => id === vault_id),
      ),
    );
    assert.equal((await found(alice, { ...everywhere, limit: 2 })).length, 2);
    const alone = (await alice.post('/search', { ...everywhere, cross_vault: false }, { 'x-vault-id': two.id })).body
      .results;
    assert.equal(alone[0].vault_id, undefined);
    assert.equal(
      all.find(({ vault_id }: Json) => vault_id === two.id).score,
      alone[0].score,
      'no vault changes another’s scores',
    );
    const limited = { name: 'some', vault_access: { [one.id]: 'read', [three.id]: 'write' } };
    const key = server.bearer((await alice.post('/connections/pat', limited)).body.key);
    assert.deepEqual((await found(key)).map(({ vault_name }: Json) => vault_name).sort(), ['One', 'Three']);
    await server.app.accounts.setPlan(alice.email, 'free');
    const refused = await alice.post('/search', everywhere, { 'x-vault-id': one.id });
    assert.deepEqual([refused.status, refused.body.error], [403, 'Cross-vault search requires Pro plan']);
    assert.equal(
      (await alice.post('/search', { ...everywhere, cross_vault: false }, { 'x-vault-id': one.id })).status,
      200,
    );
    await server.app.accounts.setPlan(alice.email, 'pro');
    assert.equal((await found(alice)).length, 3);
  });

  test('purging a vault deletes all of its index', async () => {
    const server = await start();
    const { alice } = server;
    const headers = await fill(alice);
    const id = headers['x-vault-id'] ?? '';
    await server.app.search.rebuild(await openVault(server, id), () => undefined);
    await alice.delete(`/vaults/${id}`);
    assert.equal((await alice.post(`/vaults/${id}/purge`)).status, 200);
    await using raw = await rawOf(server.db);
    for (const table of ['search_indexes', 'search_segments'])
      assert.deepEqual(await raw.all(`select * from ${table} where vault_id = $1`, id), []);
    assert.equal((await alice.post('/search', { query: 'x' }, headers)).status, 404);
  });

  test('a search does not find notes whose tombstones expired after the index was stored', async () => {
    const server = await start();
    const { alice, clock } = server;
    const headers = await fill(alice);
    const id = headers['x-vault-id'] ?? '';
    await server.app.search.rebuild(await openVault(server, id), () => undefined);
    await alice.delete('/notes/Garden/Slugs.md', undefined, headers);
    await alice.post('/notes', { path: 'later.md', content: 'x', mtime: 1 }, headers);
    await server.app.search.stopWorker();
    clock.advance({ days: 100 });
    assert.ok((await server.app.sync.dropExpired()) > 0);
    const signedIn = await alice.logIn();
    const again = server.bearer(signedIn.body.access_token);
    const { body } = await again.post('/search', { query: 'tag:none beer', mode: 'keyword' }, headers);
    assert.deepEqual(body.results, []);
    const found = await again.post('/search', { query: 'path:.md', mode: 'keyword', limit: 50 }, headers);
    assert.equal(found.body.results.length, texts.length);
  });
});
