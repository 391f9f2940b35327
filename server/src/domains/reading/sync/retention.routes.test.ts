import assert from 'node:assert/strict';
import { test } from 'node:test';
import { follow, manifestOf, pathsOf, upload } from '../../../../test/kit/clients/syncing.ts';
import { addVersions } from '../../../../test/kit/content/versions.ts';
import { onSqlite, rawOf } from '../../../../test/kit/engines.ts';
import { type NotesServer, startLastingNotes } from '../../../../test/kit/notes.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Deletes `a.md` among other notes; reads the feed before and after. */
async function deletion(notes: NotesServer, headers = {}) {
  const { alice } = notes;
  await alice.write('a.md', 'one');
  await alice.write('a.md', 'two');
  await alice.write('b.md');
  const before = (await follow(alice, '', null, headers)).cursor;
  await alice.remove('a.md');
  await alice.write('c.md');
  const after = (await follow(alice, '', null, headers)).cursor;
  return { before, after };
}

onSqlite('retention', (open) => {
  const rows = async ({ server, alice }: NotesServer, table: string) => {
    await using raw = await rawOf(server.db);
    return (await raw.all(`select * from ${table} where vault_id = $1`, alice.vault)).length;
  };
  const status = async ({ alice }: NotesServer, cursor: string, headers = {}) =>
    (await alice.caller.get(`/sync/changes?limit=1&cursor=${cursor}`, headers)).status;

  test('[5.4] [5.6] a tombstone is dropped after 90 days with all its rows, and older cursors expire', async () => {
    await using notes = await startLastingNotes({ open });
    const { server, alice } = notes;
    const { before, after } = await deletion(notes);
    server.clock.advance({ ms: 90 * DAY_MS - 1 });
    assert.equal(await server.app.sync.dropExpired(), 0);
    assert.deepEqual(pathsOf((await follow(alice, '', before)).changes), ['a.md', 'c.md']);
    assert.deepEqual([await rows(notes, 'entries'), await rows(notes, 'note_versions')], [3, 1]);
    server.clock.advance({ ms: 1 });
    assert.equal(await server.app.sync.dropExpired(), 1);
    assert.equal(await server.app.sync.dropExpired(), 0);
    const left = await Promise.all(['entries', 'note_bodies', 'note_versions'].map((table) => rows(notes, table)));
    assert.deepEqual(left, [2, 2, 0]);
    assert.deepEqual([await status(notes, before), await status(notes, after)], [410, 200]);
    assert.deepEqual(pathsOf((await follow(alice, '')).changes), ['b.md', 'c.md']);
    assert.deepEqual(pathsOf((await manifestOf(alice)).notes), ['b.md', 'c.md']);
  });

  test('[5.4] [5.7] the tombstone of an attachment is dropped after 90 days, and older cursors expire', async () => {
    await using notes = await startLastingNotes({ open });
    const { server, alice } = notes;
    await upload(alice, 'a.txt', 'one');
    await upload(alice, 'b.txt', 'two');
    const { cursor: before } = await follow(alice, '');
    await alice.caller.delete('/attachments/a.txt');
    const { cursor: after } = await follow(alice, '');
    server.clock.advance({ ms: 90 * DAY_MS - 1 });
    assert.equal(await server.app.sync.dropExpired(), 0);
    assert.deepEqual(pathsOf((await follow(alice, '', before, { 'x-device-id': 'phone' })).changes), ['a.txt']);
    server.clock.advance({ ms: 1 });
    assert.equal(await server.app.sync.dropExpired(), 0, 'the phone has not applied it');
    assert.equal(await status(notes, after, { 'x-device-id': 'phone' }), 200);
    assert.equal(await server.app.sync.dropExpired(), 1);
    assert.equal(await rows(notes, 'entries'), 1);
    assert.deepEqual([await status(notes, before), await status(notes, after)], [410, 200]);
  });

  test('[4.3] a read from the start continues past tombstones dropped before it began, not past later ones', async () => {
    await using notes = await startLastingNotes({ open });
    const { server, alice } = notes;
    await deletion(notes);
    await alice.remove('c.md');
    server.clock.advance({ ms: 90 * DAY_MS });
    assert.equal(await server.app.sync.dropExpired(), 2);
    await alice.write('d.md');
    const first = (await alice.caller.get('/sync/changes?limit=1')).body;
    assert.deepEqual(pathsOf(first.changes), ['b.md']);
    assert.deepEqual(pathsOf((await follow(alice, 'limit=1', first.next_cursor)).changes), ['d.md']);
    await alice.remove('d.md');
    server.clock.advance({ ms: 90 * DAY_MS });
    assert.equal(await server.app.sync.dropExpired(), 1);
    assert.equal(await status(notes, first.next_cursor), 410);
  });

  test('[5.5] a tombstone that a recently seen device has not applied is kept', async () => {
    await using notes = await startLastingNotes({ open });
    const { server } = notes;
    const phone = { 'x-device-id': 'phone' };
    const { before, after } = await deletion(notes);
    server.clock.advance({ ms: 10 * DAY_MS });
    assert.equal(await status(notes, before, phone), 200);
    server.clock.advance({ ms: 80 * DAY_MS });
    assert.equal(await server.app.sync.dropExpired(), 0, 'the phone has not applied the deletion');
    assert.equal(await status(notes, before, { 'x-device-id': 'laptop' }), 200);
    server.clock.advance({ ms: 10 * DAY_MS + 1 });
    assert.equal(await server.app.sync.dropExpired(), 0, 'nor has the laptop, and the phone was not seen for long');
    assert.equal(await status(notes, after, { 'x-device-id': 'laptop' }), 200);
    assert.equal(await server.app.sync.dropExpired(), 1, 'now the laptop has');
    assert.equal(await status(notes, before, phone), 410);
  });

  test('[5.1] a refused cursor and a first page keep no tombstones', async () => {
    await using notes = await startLastingNotes({ open });
    const { server, alice } = notes;
    const { before, after } = await deletion(notes);
    server.clock.advance({ ms: 90 * DAY_MS });
    assert.equal((await alice.caller.get('/sync/changes', { 'x-device-id': 'new' })).status, 200);
    assert.equal(await rows(notes, 'sync_devices'), 0);
    assert.equal(await server.app.sync.dropExpired(), 1);
    assert.equal(await status(notes, before, { 'x-device-id': 'old' }), 410);
    assert.equal(await rows(notes, 'sync_devices'), 0);
    assert.equal(await status(notes, after, { 'x-device-id': 'x'.repeat(65) }), 200);
    assert.equal(await rows(notes, 'sync_devices'), 0, 'no device id is longer than 64 bytes');
  });

  test('[5.2] an idle device is recorded once an hour, one with a new watermark at once', async () => {
    await using notes = await startLastingNotes({ open });
    const { server } = notes;
    const { before, after } = await deletion(notes);
    await using raw = await rawOf(server.db);
    const seen = async () => {
      const [row] = await raw.all('select * from sync_devices');
      return [Number(row?.watermark), Number(row?.seen_at)];
    };
    const phone = { 'x-device-id': 'phone' };
    await status(notes, before, phone);
    const [, first = 0] = await seen();
    assert.deepEqual(await seen(), [3, first]);
    server.clock.advance({ ms: 59 * 60_000 });
    await status(notes, before, phone);
    assert.deepEqual(await seen(), [3, first]);
    server.clock.advance({ ms: 60_000 });
    await status(notes, before, phone);
    assert.deepEqual(await seen(), [3, first + 60 * 60_000]);
    server.clock.advance({ ms: 1 });
    await status(notes, after, phone);
    assert.deepEqual(await seen(), [5, first + 60 * 60_000 + 1]);
  });

  test('[5.3] only the newest thousand devices are recorded, and none by its name', async () => {
    await using notes = await startLastingNotes({ open });
    const { server, alice } = notes;
    const { before } = await deletion(notes);
    await using raw = await rawOf(server.db);
    for (let at = 0; at < 1000; at++) {
      const key = Buffer.from(`device ${String(at).padStart(9, '0')}`);
      const device = 'insert into sync_devices select id, user_id, $2, 1, $3 from vaults where id = $1';
      await raw.run(device, alice.vault, key, at);
    }
    await status(notes, before, { 'x-device-id': 'the thousand and first' });
    const kept = await raw.all('select * from sync_devices order by seen_at');
    assert.deepEqual([kept.length, Number(kept[0]?.seen_at)], [1000, 1]);
    assert.ok(!Buffer.from(kept.at(-1)?.device_key as Uint8Array).includes('thousand'));
  });

  test('a vault purge deletes its devices', async () => {
    await using notes = await startLastingNotes({ open });
    const { before } = await deletion(notes);
    await status(notes, before, { 'x-device-id': 'phone' });
    const { vault } = notes.alice;
    const caller = notes.server.alice;
    await caller.post('/vaults', { name: 'Another' });
    await caller.delete(`/vaults/${vault}`);
    assert.equal((await caller.post(`/vaults/${vault}/purge`)).status, 200);
    assert.equal(await rows(notes, 'sync_devices'), 0);
  });

  test('a tombstone with many versions is dropped in slices', async () => {
    await using notes = await startLastingNotes({ open });
    const { server, alice } = notes;
    // One has more bytes than a slice, the other more rows.
    for (const [path, count, bytes] of [
      ['a.md', 30, 400_000],
      ['b.md', 120, 1],
    ] as const) {
      const { id } = await alice.write(path, 'last');
      await addVersions(server, alice.vault, id, count, () => 'x'.repeat(bytes));
      await alice.remove(path);
    }
    server.clock.advance({ ms: 90 * DAY_MS });
    const transact = server.db.transact.bind(server.db);
    const found: number[] = [];
    server.db.transact = async (body, priority) => {
      found.push(await rows(notes, 'note_versions'));
      return transact(body, priority);
    };
    assert.equal(await server.app.sync.dropExpired(), 2);
    // Two slices of ten versions, 4 MB, and one of a hundred rows.
    assert.deepEqual(found, [150, 140, 130, 30]);
    assert.deepEqual([await rows(notes, 'entries'), await rows(notes, 'note_versions')], [0, 0]);
    await using raw = await rawOf(server.db);
    const [feed] = await raw.all('select * from vault_feeds where vault_id = $1', alice.vault);
    assert.equal(Number(feed?.floor_seq), 4);
  });
});
