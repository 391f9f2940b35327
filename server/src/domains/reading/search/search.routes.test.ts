import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../../../test/kit/engines.ts';
import { faulty } from '../../../../test/kit/faulty-embedder.ts';
import { type Json, notesOnOneServer, type Writer } from '../../../../test/kit/notes.ts';

/** The paths of the notes that a search finds, in order. */
async function find(who: Writer, query: string, more: Record<string, unknown> = {}): Promise<string[]> {
  return (await results(who, query, more)).map(({ path }: Json) => path);
}

async function results(who: Writer, query: string, more: Record<string, unknown> = {}): Promise<Json[]> {
  const { status, body } = await who.caller.post('/search', { query, mode: 'keyword', ...more });
  assert.equal(status, 200, JSON.stringify(body));
  return body.results;
}

async function errorsOf(who: Writer, body: unknown) {
  const answer = await who.caller.post('/search', body);
  assert.equal(answer.status, 422);
  return answer.body.errors;
}

onSqlite('search', (open) => {
  const start = notesOnOneServer(open, { embedder: faulty('m') });

  test('POST /search returns every field of a result', async () => {
    const { alice } = await start();
    const text = '---\ntags: [sea]\n---\n# Coast\nIntro.\n\n## Lights\nThe **old** [[Lamp|lantern]] by the sea wall.\n';
    const note = await alice.write('Places/North/coast.md', text);
    const [result, ...others] = await results(alice, 'lantern');
    assert.deepEqual(others, []);
    const { score, snippet, highlights, ...rest } = result;
    assert.deepEqual(rest, {
      id: note.id,
      path: 'Places/North/coast.md',
      title: 'Coast',
      folder: 'Places/North',
      heading_path: 'Coast > Lights',
      match_count: 1,
    });
    assert.ok(score > 0 && score <= 1);
    assert.match(snippet, /The old lantern by the sea wall\./);
    assert.deepEqual(
      highlights.map(([from, to]: [number, number]) => snippet.slice(from, to)),
      ['lantern'],
    );
  });

  test('POST /search refuses a missing or blank query, unknown modes and bad dates, by field', async () => {
    const { alice } = await start();
    assert.deepEqual(Object.keys(await errorsOf(alice, {})), ['query']);
    assert.deepEqual(await errorsOf(alice, { query: ' \n' }), { query: ["can't be blank"] });
    assert.deepEqual(Object.keys(await errorsOf(alice, { query: 5 })), ['query']);
    assert.deepEqual(Object.keys(await errorsOf(alice, { query: 'x', mode: 'exact' })), ['mode']);
    assert.deepEqual(Object.keys(await errorsOf(alice, { query: 'x', limit: 'many' })), ['limit']);
    const bad = { created_after: '2024-02-30', created_before: 'soon', updated_after: '24', updated_before: '' };
    assert.deepEqual(Object.keys(await errorsOf(alice, { query: 'x', ...bad })).sort(), Object.keys(bad).sort());
    assert.deepEqual(Object.keys(await errorsOf(alice, { query: 'x', folder: '../up' })), ['folder']);
  });

  test('POST /search returns five results by default, clamps limit and diversity, and accepts null', async () => {
    const { alice } = await start();
    const many = Array.from({ length: 55 }, (_, at) => ({ path: `n${at}.md`, content: 'anchor', mtime: 1 }));
    await alice.caller.post('/notes/batch', { notes: many }, { 'x-idempotency-key': 'many' });
    assert.equal((await find(alice, 'anchor')).length, 5);
    const nulls = { limit: null, diversity: null, tags: null, folder: null, type: null, cross_vault: null, mode: null };
    assert.equal((await find(alice, 'anchor', { ...nulls, created_after: null, updated_before: null })).length, 5);
    assert.equal((await find(alice, 'anchor', { limit: 0 })).length, 1);
    assert.equal((await find(alice, 'anchor', { limit: -3 })).length, 1);
    assert.equal((await find(alice, 'anchor', { limit: 7 })).length, 7);
    assert.equal((await find(alice, 'anchor', { limit: 1000, diversity: 7 })).length, 50);
    assert.equal((await find(alice, 'anchor', { diversity: -1, mode: 'hybrid', extra: 'ignored' })).length, 5);
  });

  test('POST /search pages by cursor up to 1,000 results, each note once despite concurrent writes', async () => {
    const { alice } = await start();
    const many = Array.from({ length: 130 }, (_, at) => ({ path: `n${at}.md`, content: `anchor ${at}`, mtime: 1 }));
    await alice.caller.post('/notes/batch', { notes: many.slice(0, 100) }, { 'x-idempotency-key': 'many' });
    await alice.caller.post('/notes/batch', { notes: many.slice(100) }, { 'x-idempotency-key': 'more' });
    for (const mode of ['keyword', 'hybrid']) {
      const seen: string[] = [];
      for (let cursor: string | null = null, page = 0; page < 10; page++) {
        const { status, body } = await alice.caller.post('/search', {
          query: 'anchor',
          mode,
          limit: 50,
          cursor,
          offset: 7,
        });
        assert.equal(status, 200, JSON.stringify(body));
        seen.push(...body.results.map(({ path }: Json) => path));
        cursor = body.next_cursor;
        if (cursor === null) break;
        // A note that is written between two pages moves, and must be neither repeated nor missed.
        await alice.write(`n${page}.md`, `anchor anchor ${page}`);
      }
      assert.deepEqual([seen.length, new Set(seen).size], [130, 130], mode);
    }
    const first = await alice.caller.post('/search', { query: 'anchor', limit: 50 });
    assert.equal(typeof first.body.next_cursor, 'string');
    assert.equal((await alice.caller.post('/search', { query: 'anchor 5', limit: 50 })).body.relaxed, undefined);
  });

  test('POST /search refuses a cursor of another query, vault or account, a changed or an expired one', async () => {
    const { alice, bob, server } = await start();
    for (let at = 0; at < 3; at++) await alice.write(`n${at}.md`, 'anchor');
    const { body } = await alice.caller.post('/search', { query: 'anchor', limit: 1 });
    const cursor: string = body.next_cursor;
    const page = (more: object, caller = alice.caller) => caller.post('/search', { query: 'anchor', cursor, ...more });
    assert.equal((await page({ limit: 2 })).status, 200);
    const other = await bob();
    const refused = [
      await page({ query: 'anchors' }),
      await page({ mode: 'keyword' }),
      await page({ tags: ['x'] }),
      await page({ cursor: `${cursor.slice(0, 20)}${cursor.charAt(20) === 'x' ? 'y' : 'x'}${cursor.slice(21)}` }),
      await page({ cursor: `${cursor} ` }),
      await page({ cursor: '' }),
      await page({ cursor: 'x'.repeat(20_000) }),
      await page({}, other.caller),
    ];
    for (const { status, body: answer } of refused)
      assert.deepEqual([status, answer], [400, { error: 'invalid_cursor' }]);
    server.clock.advance({ minutes: 11 });
    assert.equal((await page({})).status, 400);
  });

  test('POST /search says which phrases no note has, and searches their words', async () => {
    const { alice } = await start();
    await alice.write('a.md', 'the lantern of the harbour');
    const asked = async (query: string) => (await alice.caller.post('/search', { query, mode: 'keyword' })).body;
    const found = await asked('“harbour lantern”');
    assert.deepEqual([found.results.length, found.relaxed], [1, ['harbour lantern']]);
    assert.deepEqual((await asked('+"harbour lantern"')).results, []);
    assert.equal((await asked('"the harbour"')).relaxed, undefined);
  });

  test('POST /search finds a write at once, and no note as it was or where it was before', async () => {
    const { alice } = await start();
    const { id } = await alice.write('a.md', 'first anchor');
    assert.deepEqual(await find(alice, 'anchor'), ['a.md']);
    await alice.write('a.md', 'second lantern');
    assert.deepEqual(await find(alice, 'anchor'), []);
    assert.deepEqual(await find(alice, 'lantern'), ['a.md']);
    await alice.caller.post('/notes/append', { path: 'a.md', text: 'third rope' });
    assert.deepEqual(await find(alice, 'rope'), ['a.md']);
    await alice.caller.post('/notes/rename', { old_path: 'a.md', new_path: 'Deep/harbour.md' });
    assert.deepEqual(await find(alice, 'rope'), ['Deep/harbour.md']);
    assert.deepEqual(await find(alice, 'title:harbour'), ['Deep/harbour.md']);
    assert.deepEqual(await find(alice, 'path:a.md'), []);
    assert.deepEqual(await find(alice, 'rope', { folder: 'Deep' }), ['Deep/harbour.md']);
    await alice.caller.post('/folders/rename', { old_path: 'Deep', new_path: 'Shallow' });
    assert.deepEqual(await find(alice, 'rope', { folder: 'deep' }), []);
    assert.deepEqual(await find(alice, 'rope', { folder: 'SHALLOW/' }), ['Shallow/harbour.md']);
    const moved = { ids: [id], target_folder: '' };
    await alice.caller.post('/notes/batch-move', moved, { 'x-idempotency-key': 'move' });
    assert.deepEqual(await find(alice, 'rope'), ['harbour.md']);
    await alice.remove('harbour.md');
    assert.deepEqual(await find(alice, 'rope'), []);
    await alice.write('harbour.md', 'rope again', { id });
    assert.deepEqual(await find(alice, 'rope'), ['harbour.md']);
  });

  test('POST /search finds the links that a rename rewrote', async () => {
    const { alice } = await start();
    await alice.write('Zebra.md', 'x');
    await alice.write('from.md', 'see [[Zebra]]');
    assert.deepEqual((await find(alice, 'zebra')).sort(), ['Zebra.md', 'from.md']);
    await alice.caller.post('/notes/rename', { old_path: 'Zebra.md', new_path: 'Quagga.md' });
    assert.deepEqual(await find(alice, '"zebra"'), []);
    assert.deepEqual((await find(alice, 'quagga')).sort(), ['Quagga.md', 'from.md']);
  });

  test('POST /search filters by tags, folder, type and inclusive dates, which a note without the value fails', async () => {
    const { alice } = await start();
    await alice.write(
      'Sea/a.md',
      '---\ntags: [Water/Salt]\ntype: Log\ncreated: 2024-03-05\nupdated: 2024-04-01T10:00:00Z\n---\ntide',
    );
    await alice.write('Sea/North/b.md', '---\ntype: log\ncreated: 2024-03-06T00:00:00.000Z\n---\ntide #water');
    await alice.write('Seaside/c.md', '---\nupdated: 2024-04-02\n---\ntide #waters');
    const narrowed = async (more: Record<string, unknown>) =>
      (await find(alice, 'tide', more))
        .map((path) => path.at(-4))
        .sort()
        .join('');
    assert.equal(await narrowed({}), 'abc');
    assert.equal(await narrowed({ tags: ['WATER'] }), 'ab');
    assert.equal(await narrowed({ tags: ['#water/salt', 'waters'] }), 'ac');
    assert.equal(await narrowed({ tags: ['nothing'] }), '');
    assert.equal(await narrowed({ tags: [] }), 'abc');
    assert.equal(await narrowed({ folder: 'sea' }), 'ab');
    assert.equal(await narrowed({ folder: '/Sea/North/' }), 'b');
    assert.equal(await narrowed({ folder: '' }), 'abc');
    assert.equal(await narrowed({ type: 'LOG' }), 'ab');
    assert.equal(await narrowed({ created_after: '2024-03-05' }), 'ab');
    assert.equal(await narrowed({ created_after: '2024-03-05T00:00:00.001Z' }), 'b');
    assert.equal(await narrowed({ created_before: '2024-03-05' }), 'a');
    assert.equal(await narrowed({ created_before: '2024-03-06' }), 'ab');
    assert.equal(await narrowed({ created_before: '2024-03-06T01:00:00+01:00' }), 'ab');
    assert.equal(
      await narrowed({ updated_after: '2024-04-01T10:00:00Z', updated_before: '2024-04-01T10:00:00Z' }),
      'a',
    );
    assert.equal(await narrowed({ updated_before: '2024-04-01' }), 'a', 'up to the end of the day');
    assert.equal(await narrowed({ updated_after: '2024-04-02' }), 'c');
    assert.equal(await narrowed({ folder: 'Sea', type: 'log', tags: ['water'], created_after: '2024-03-06' }), 'b');
  });

  test('POST /search narrows by the time of the last change, whatever times client and frontmatter give', async () => {
    const { server, alice } = await start();
    await alice.write('old.md', '---\nupdated: 2031-01-01\n---\nwater');
    server.clock.advance({ minutes: 2 });
    const since = new Date(server.clock.now()).toISOString();
    assert.deepEqual(await find(alice, 'water', { changed_after: since }), []);
    server.clock.advance({ minutes: 1 });
    await alice.write('new.md', '---\nupdated: 2001-01-01\n---\nwater');
    assert.deepEqual(await find(alice, 'water', { changed_after: since }), ['new.md']);
    assert.deepEqual(await find(alice, 'water', { changed_before: since }), ['old.md']);
    await alice.write('old.md', 'high water');
    assert.deepEqual((await find(alice, 'water', { changed_after: since })).sort(), ['new.md', 'old.md']);
  });

  test('POST /search understands the syntax of queries', async () => {
    const { alice } = await start();
    await alice.write('Sea/tides.md', '# Tides\nhigh water, low water #moon');
    await alice.write('Land/water.md', 'low land, high land');
    assert.deepEqual(await find(alice, '"low water"'), ['Sea/tides.md']);
    assert.deepEqual(await find(alice, 'high -moon'), ['Land/water.md']);
    assert.deepEqual(await find(alice, 'high tag:moon'), ['Sea/tides.md']);
    assert.deepEqual(await find(alice, 'high path:land/'), ['Land/water.md']);
    assert.deepEqual(await find(alice, 'high folder:Sea'), ['Sea/tides.md']);
    assert.deepEqual(await find(alice, 'high title:tide'), ['Sea/tides.md']);
    assert.deepEqual((await find(alice, 'hihg')).length, 2);
    assert.deepEqual(await find(alice, '!!!'), []);
    assert.deepEqual(await find(alice, '"'.repeat(5000)), []);
  });

  test('POST /search needs only read access, and other users’ vaults change no result and no score', async () => {
    await using notes = await start();
    const { alice } = notes;
    await alice.write('a.md', 'anchor rope');
    await alice.write('b.md', 'rope sail mast keel');
    const before = await results(alice, 'anchor rope');
    const bob = await notes.bob();
    for (let at = 0; at < 5; at++) await bob.write(`${at}.md`, 'anchor anchor rope');
    assert.deepEqual(await results(alice, 'anchor rope'), before);
    assert.equal((await bob.caller.post('/search', { query: 'anchor' }, { 'x-vault-id': alice.vault })).status, 404);
    assert.equal((await bob.caller.get('/search/status', { 'x-vault-id': alice.vault })).status, 404);
  });

  test('GET /search/status counts the notes that have vectors', async () => {
    const { alice } = await start();
    await alice.write('a.md');
    await alice.write('b.md');
    await alice.remove('b.md');
    const { status, body } = await alice.caller.get('/search/status');
    assert.equal(status, 200);
    assert.deepEqual(body, { total: 1, indexed: 0, pending: 1, failed: 0, model: 'builtin' });
  });
});
