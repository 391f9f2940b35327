import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine, rawOf } from '../../../../test/kit/engines.ts';
import { startChecked } from '../../../../test/kit/openapi.ts';

onEachEngine('preferences', (open) => {
  test('preferences are merged field by field, kept for one account alone, and sealed', async () => {
    const db = await open();
    await using at = await startChecked({ open: async () => db });
    const { alice, bob } = at;
    assert.deepEqual((await alice.get('/me/preferences')).body, {});
    const stars = { home: ['a', 'b'] };
    assert.deepEqual((await alice.patch('/me/preferences', { theme: 'dark', stars })).body, { theme: 'dark', stars });
    const changed = (await alice.patch('/me/preferences', { theme: null, width: 70 })).body;
    assert.deepEqual(changed, { stars, width: 70 });
    assert.deepEqual((await bob.get('/me/preferences')).body, {});
    await using raw = await rawOf(db);
    const [row] = await raw.all('select data from preferences');
    assert.ok(!Buffer.from(row?.data as Uint8Array).includes('stars'));
  });

  test('preferences of two devices that change different fields at once are all kept', async () => {
    await using at = await startChecked({ open });
    const { alice } = at;
    const fields = Array.from({ length: 12 }, (_, at) => [`field ${at}`, at] as const);
    await Promise.all(fields.map(([name, value]) => alice.patch('/me/preferences', { [name]: value })));
    assert.deepEqual((await alice.get('/me/preferences')).body, Object.fromEntries(fields));
  });

  test('preferences can be revalidated, and are refused above 16 KB with those before kept', async () => {
    await using at = await startChecked({ open });
    const { alice } = at;
    await alice.patch('/me/preferences', { theme: 'dark' });
    const { headers } = await alice.get('/me/preferences');
    const again = { 'if-none-match': headers.get('etag') ?? '' };
    assert.equal((await alice.get('/me/preferences', again)).status, 304);
    const refused = await alice.patch('/me/preferences', { long: 'x'.repeat(16 * 1024) });
    assert.deepEqual([refused.status, Object.keys(refused.body.errors)], [422, ['preferences']]);
    assert.equal((await alice.patch('/me/preferences', [])).status, 422);
    assert.equal((await alice.get('/me/preferences', again)).status, 304);
    await alice.patch('/me/preferences', { theme: 'light' });
    assert.equal((await alice.get('/me/preferences', again)).status, 200);
  });
});

onEachEngine('notes opened last', (open) => {
  test('notes opened last are listed newest first, each once, without those that were deleted', async () => {
    await using at = await startChecked({ open });
    const { server, alice } = at;
    await alice.post('/vaults', { name: 'Home' });
    const write = async (path: string) => (await alice.post('/notes', { path, content: path, mtime: 1 })).body.note.id;
    const [a, b, c] = [await write('a.md'), await write('b.md'), await write('c.md')];
    for (const note_id of [a, b, c, a]) {
      server.clock.advance({ minutes: 1 });
      assert.equal((await alice.post('/me/recent', { note_id })).status, 204);
    }
    await alice.delete('/notes/c.md');
    const { notes } = (await alice.get('/me/recent')).body;
    assert.deepEqual(
      notes.map(({ path }: { path: string }) => path),
      ['a.md', 'b.md'],
    );
    assert.equal(notes[0].opened_at, new Date(server.clock.now()).toISOString());
    assert.equal((await alice.post('/me/recent', { note_id: c })).body.error, 'not found');
    assert.equal((await alice.post('/me/recent', { note_id: 'no id' })).status, 422);
  });

  test('notes opened last are at most 200 of a vault', async () => {
    await using at = await startChecked({ open });
    const { alice } = at;
    await alice.post('/vaults', { name: 'Home' });
    for (let from = 0; from < 201; from += 67) {
      const notes = Array.from({ length: 67 }, (_, at) => ({ path: `${from + at}.md`, content: `${at}`, mtime: 1 }));
      const { results } = (await alice.post('/notes/batch', { notes }, { 'x-idempotency-key': `from-${from}` })).body;
      for (const { id } of results) await alice.post('/me/recent', { note_id: id });
    }
    const opened = (await alice.get('/me/recent')).body.notes;
    assert.equal(opened.length, 200);
    assert.deepEqual([opened[0].path, opened[199].path], ['200.md', '1.md']);
  });
});

onEachEngine('the daily note', (open) => {
  test('GET /vault/daily names the note of a day in the chosen folder, else in one with a usual name', async () => {
    await using at = await startChecked({ open });
    const { server, alice } = at;
    await alice.post('/vaults', { name: 'Home' });
    const day = new Date(server.clock.now()).toISOString().slice(0, 10);
    const daily = async (query = '') => (await alice.get(`/vault/daily${query}`)).body;
    assert.deepEqual(await daily(), { path: `Daily/${day}.md`, note_id: null });
    const { note } = (await alice.post('/notes', { path: 'tagebuch/2026-02-28.md', content: 'x', mtime: 1 })).body;
    assert.deepEqual(await daily('?date=2026-02-28'), { path: 'tagebuch/2026-02-28.md', note_id: note.id });
    await alice.patch('/me/preferences', { folders: { daily: ' /Log/ ' } });
    assert.deepEqual(await daily('?date=2026-02-28'), { path: 'Log/2026-02-28.md', note_id: null });
    for (const date of ['2026-02-30', 'today', '26-1-1'])
      assert.equal((await alice.get(`/vault/daily?date=${date}`)).status, 422);
  });
});
