import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { onSqlite, rawOf } from '../../../test/kit/engines.ts';
import { type Json, type NotesServer, startLastingNotes, startNotes, type Writer } from '../../../test/kit/notes.ts';
import { startServer } from '../../../test/kit/server.ts';
import { beginFeedEpochs } from '../vaults/vaults.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Follows the feed from a cursor to its end; resolves to its rows, with the last resume_cursor. */
async function follow(writer: Writer, query: string, from: string | null = null, headers = {}) {
  const changes: Json[] = [];
  for (let cursor = from; ; ) {
    const at = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await writer.caller.get(`/sync/changes?${query}${at}`, headers);
    assert.equal(status, 200, JSON.stringify(body));
    changes.push(...body.changes);
    assert.equal(body.next_cursor, body.has_more ? body.resume_cursor : null);
    if (!body.has_more) return { changes, cursor: body.resume_cursor as string };
    cursor = body.next_cursor;
  }
}

async function manifestOf({ caller }: Writer): Promise<Json> {
  const { status, body } = await caller.get('/sync/manifest');
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** Uploads a text file; resolves to its metadata. */
async function upload({ caller }: Writer, path: string, text: string): Promise<Json> {
  const body = { path, content_base64: Buffer.from(text).toString('base64'), mtime: 1.5 };
  const answer = await caller.post('/attachments', body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.attachment;
}

const paths = (rows: Json[]) => rows.map(({ path }) => path);

onSqlite('the manifest', (open) => {
  test('[2.1] the manifest lists every live row by path, with hash, head and seq', async () => {
    await using notes = await startNotes({ open });
    const { alice } = notes;
    const empty = { change_seq: 0, total_notes: 0, total_attachments: 0, notes: [], attachments: [] };
    assert.deepEqual(await manifestOf(alice), empty);
    await (await notes.bob()).write('bobs.md');
    const b = await alice.write('b.md', 'text of b');
    await alice.write('gone.md');
    const a = await alice.write('Ä "quoted"\\.md', 'text of a');
    await alice.remove('gone.md');
    const manifest = await manifestOf(alice);
    assert.deepEqual([manifest.change_seq, manifest.total_notes, manifest.total_attachments], [4, 2, 0]);
    assert.deepEqual(paths(manifest.notes), ['b.md', a.path]);
    assert.deepEqual(
      manifest.notes.map((note: Json) => [note.id, note.content_hash, note.seq]),
      [
        [b.id, sha256('text of b'), 1],
        [a.id, sha256('text of a'), 3],
      ],
    );
    for (const { crdt_head } of manifest.notes) assert.match(crdt_head, /^[0-9a-f]{64}$/);
  });

  test('[2.3] the manifest answers only “unchanged” to the current seq; any other seq is ignored', async () => {
    await using notes = await startNotes({ open });
    const { alice } = notes;
    await alice.write('a.md');
    const ask = async (query: string) => (await alice.caller.get(`/sync/manifest?${query}`)).body;
    assert.deepEqual(await ask('since_seq=1'), { unchanged: true, change_seq: 1 });
    for (const other of ['0', '2', '-1', '01', '1.0', 'x', '', '1e0', '%00', '1&since_seq=1', '99999999999999999999']) {
      const body = await ask(`since_seq=${other}`);
      assert.deepEqual([body.unchanged, body.notes?.length], [undefined, 1], other);
    }
    await alice.write('a.md', 'a.md');
    assert.equal((await ask('since_seq=1')).unchanged, true, 'equal content is no change');
    await alice.caller.post('/folders', { folder: 'new' });
    assert.equal((await ask('since_seq=1')).unchanged, undefined, 'a folder is one');
  });

  test('[2.7] the tree lists every folder, note and attachment', async () => {
    await using notes = await startNotes({ open });
    const { alice, server } = notes;
    const made = await alice.write('a/b.md', 'old');
    server.clock.advance({ seconds: 5 });
    const edited = await alice.write('a/b.md', 'new');
    const other = await alice.write('c.md');
    await alice.caller.post('/folders', { folder: 'Z' });
    const { status, body } = await alice.caller.get('/vault/tree');
    assert.equal(status, 200);
    assert.deepEqual(body.folders, (await alice.caller.get('/folders')).body.folders);
    assert.deepEqual([body.change_seq, body.attachments], [4, []]);
    assert.notEqual(made.updated_at, edited.updated_at);
    const shown = ({ id, path, created_at, updated_at }: Json) => ({ id, path, created_at, updated_at });
    assert.deepEqual(body.notes, [shown(edited), shown(other)]);
  });

  test('[2.1] [2.7] the manifest and the tree list attachments besides notes', async () => {
    await using notes = await startNotes({ open });
    const { alice } = notes;
    const z = await upload(alice, 'pictures/z.txt', 'text of z');
    await alice.write('m.md');
    const a = await upload(alice, 'a.txt', 'text of a');
    await upload(alice, 'gone.txt', 'deleted');
    await alice.caller.delete('/attachments/gone.txt');
    const manifest = await manifestOf(alice);
    assert.deepEqual([manifest.change_seq, manifest.total_notes, manifest.total_attachments], [5, 1, 2]);
    assert.deepEqual(manifest.attachments, [
      { id: a.id, path: 'a.txt', content_hash: sha256('text of a'), seq: 3 },
      { id: z.id, path: 'pictures/z.txt', content_hash: sha256('text of z'), seq: 1 },
    ]);
    const { body } = await alice.caller.get('/vault/tree');
    const shown = ({ id, path, size_bytes, mtime, updated_at, mime_type }: Json) => {
      return { id, path, size_bytes, mtime, updated_at, mime_type };
    };
    assert.deepEqual(body.attachments, [shown(a), shown(z)]);
    assert.deepEqual(
      body.folders.map(({ name, count }: Json) => [name, count]),
      [
        ['', 1],
        ['pictures', 0],
      ],
    );
    const replaced = await upload(alice, 'a.txt', 'another text');
    assert.equal(replaced.id, a.id);
    assert.equal((await manifestOf(alice)).attachments[0].content_hash, sha256('another text'));
  });

  test('[2.4] one unreadable row fails the manifest, the tree, the page of changes, tags and types', async () => {
    await using notes = await startNotes({ open });
    const { alice, server } = notes;
    await alice.write('sound.md');
    const { id } = await alice.write('damaged.md');
    await using raw = await rawOf(server.db);
    await raw.all('update entries set meta = $2 where id = $1', id, Buffer.alloc(64));
    for (const path of ['/sync/manifest', '/vault/tree', '/sync/changes', '/tags', '/types', '/folders/list?folder=']) {
      for (const _ of ['first', 'again']) {
        const { status, body } = await alice.caller.get(path);
        assert.deepEqual([status, body.error], [500, 'note_unreadable'], path);
      }
    }
  });
});

onSqlite('the change feed', (open) => {
  test('[3.1] the change feed lists each row and tombstone once, at its latest seq', async () => {
    await using notes = await startNotes({ open });
    const { alice } = notes;
    const a = await alice.write('a.md', '---\ntitle: Of A\n---\n');
    await alice.write('b.md', 'old');
    const c = await alice.write('x/c.md');
    const b = await alice.write('b.md', 'new');
    await alice.remove('x/c.md');
    await alice.caller.post('/notes/rename', { old_path: 'a.md', new_path: 'y/a.md' });
    const { changes } = await follow(alice, 'limit=500');
    const { links: _, ...renamed } = (await alice.read('y/a.md')).body;
    assert.deepEqual(changes, [
      {
        seq: 4,
        type: 'note',
        id: b.id,
        path: 'b.md',
        content_hash: sha256('new'),
        deleted: false,
        mtime: 1,
        updated_at: b.updated_at,
        title: 'b',
        folder: '',
        version: 2,
      },
      {
        seq: 5,
        type: 'note',
        id: c.id,
        path: 'x/c.md',
        content_hash: sha256('x/c.md'),
        deleted: true,
        mtime: 1,
        updated_at: changes[1].updated_at,
        title: 'c',
        folder: 'x',
        version: 1,
      },
      {
        seq: 6,
        type: 'note',
        id: a.id,
        path: 'y/a.md',
        content_hash: a.content_hash,
        deleted: false,
        mtime: 1,
        updated_at: renamed.updated_at,
        title: 'Of A',
        folder: 'y',
        version: 1,
      },
    ]);
  });

  test('[3.2] [3.7] [3.8] pages of any size yield the same rows, and the last cursor continues with later changes', async () => {
    await using notes = await startNotes({ open });
    const { alice } = notes;
    for (let at = 0; at < 7; at++) await alice.write(`${at}.md`);
    const { changes: whole } = await follow(alice, 'limit=500');
    for (const limit of [1, 2, 3, 7, 8]) assert.deepEqual((await follow(alice, `limit=${limit}`)).changes, whole);
    const { cursor } = await follow(alice, 'limit=3');
    const idle = (await alice.caller.get(`/sync/changes?cursor=${cursor}`)).body;
    assert.deepEqual(idle, { changes: [], has_more: false, next_cursor: null, resume_cursor: cursor });
    await alice.write('3.md', 'again');
    const { changes: more } = await follow(alice, 'limit=1', cursor);
    assert.deepEqual(paths(more), ['3.md']);
    const empty = (await (await notes.bob()).caller.get('/sync/changes')).body;
    assert.deepEqual([empty.changes, empty.has_more, empty.next_cursor], [[], false, null]);
    assert.equal(typeof empty.resume_cursor, 'string');
  });

  test('[3.1] [3.3] notes and attachments form one list by seq, with pages of any size', async () => {
    await using notes = await startNotes({ open });
    const { alice } = notes;
    // Runs of one kind that are longer than a page, in both directions.
    for (const name of ['a.txt', 'b.txt', 'c.txt', '1.md', '2.md', '3.md', '4.md', 'd.txt', '5.md', 'e.txt', 'f.txt']) {
      if (name.endsWith('.md')) await alice.write(name);
      else await upload(alice, name, name);
    }
    await alice.caller.delete('/attachments/b.txt');
    await alice.remove('2.md');
    const { changes: whole } = await follow(alice, 'limit=500');
    const order = ['a.txt', 'c.txt', '1.md', '3.md', '4.md', 'd.txt', '5.md', 'e.txt', 'f.txt', 'b.txt', '2.md'];
    assert.deepEqual(paths(whole), order);
    for (const limit of [1, 2, 3, 4, 5, 10, 11]) {
      assert.deepEqual((await follow(alice, `limit=${limit}`)).changes, whole);
    }
    const { updated_at: updated, ...gone } = whole[9];
    assert.equal(typeof updated, 'string');
    assert.deepEqual(gone, {
      seq: 12,
      type: 'attachment',
      id: gone.id,
      path: 'b.txt',
      content_hash: sha256('b.txt'),
      deleted: true,
      mime_type: 'text/plain',
      size_bytes: 5,
      mtime: 1.5,
    });
    const { changes: full } = await follow(alice, 'limit=500&fields=all');
    assert.deepEqual(
      full.map(({ content }) => content),
      full.map(({ path, type, deleted }) => (type === 'note' && !deleted ? path : undefined)),
    );
  });

  test('[3.4] a page has 100 rows by default, at most 500, at least one', async () => {
    await using notes = await startNotes({ open });
    const { alice } = notes;
    for (let from = 0; from < 600; from += 100) {
      const some = Array.from({ length: 100 }, (_, at) => ({ path: `${from + at}.md`, content: '', mtime: 1 }));
      await alice.caller.post('/notes/batch', { notes: some }, { 'x-idempotency-key': `${from}` });
    }
    const count = async (query: string) => (await alice.caller.get(`/sync/changes?${query}`)).body.changes?.length;
    for (const [query, rows] of [
      ['', 100],
      ['limit=500', 500],
      ['limit=501', 500],
      ['limit=99999999999999999999999', 500],
      ['limit=0', 1],
      ['limit=-5', 1],
      ['cursor=', 100],
    ] as const) {
      assert.equal(await count(query), rows, query);
    }
    for (const bad of ['limit=x', 'limit=', 'limit=1.5', 'fields=some', 'limit=1&limit=2']) {
      const { status, body } = await alice.caller.get(`/sync/changes?${bad}`);
      assert.deepEqual([status, Object.keys(body.errors).length], [422, 1], bad);
    }
  });

  test('[3.5] all fields include the content of live notes, up to 8 MB a page but at least one note', async () => {
    await using notes = await startNotes({ open });
    const { alice } = notes;
    const MB = 1024 * 1024;
    await alice.write('small.md', 'small');
    await alice.write('gone.md', 'deleted');
    await alice.write('nine.md', 'n'.repeat(9 * MB));
    await alice.write('five.md', 'f'.repeat(5 * MB));
    await alice.write('three.md', 't'.repeat(3 * MB));
    await alice.write('one.md', 'ö'.repeat(MB / 2 + 1));
    await alice.remove('gone.md');
    const pages: string[][] = [];
    for (let cursor = ''; ; ) {
      const { body } = await alice.caller.get(`/sync/changes?fields=all&cursor=${cursor}`);
      pages.push(body.changes.map(({ path, content }: Json) => `${path} ${content?.length}`));
      if (!body.has_more) break;
      cursor = body.next_cursor;
    }
    assert.deepEqual(pages, [
      ['small.md 5'],
      [`nine.md ${9 * MB}`],
      [`five.md ${5 * MB}`, `three.md ${3 * MB}`],
      [`one.md ${MB / 2 + 1}`, 'gone.md undefined'],
    ]);
    const { changes } = await follow(alice, 'fields=meta');
    assert.ok(changes.every((change) => !('content' in change)));
  });

  test('[4.1] a cursor is valid only unchanged and for the vault that issued it', async () => {
    await using notes = await startNotes({ open });
    const { alice, server } = notes;
    await alice.write('a.md');
    const { cursor } = await follow(alice, '');
    assert.match(cursor, /^[\w-]{44}$/);
    const second = (await alice.caller.post('/vaults', { name: 'Second' })).body.vault.id;
    const others = { 'x-vault-id': second };
    await alice.write('a.md', 'a', {}, others);
    const flipped = [...cursor].map(
      (letter, at) => cursor.slice(0, at) + (letter === 'A' ? 'B' : 'A') + cursor.slice(at + 1),
    );
    for (const bad of [
      ...flipped,
      `${cursor}A`,
      cursor.slice(1),
      `${cursor}=`,
      'x',
      '%00',
      '0',
      '%20',
      `${cursor.slice(0, 43)}-`,
    ]) {
      const { status, body } = await alice.caller.get(`/sync/changes?cursor=${bad}`);
      if (bad === cursor) continue;
      assert.deepEqual([status, body], [400, { error: 'invalid_cursor' }], bad);
    }
    const { status, body } = await alice.caller.get(`/sync/changes?cursor=${cursor}`, others);
    assert.deepEqual([status, body], [400, { error: 'invalid_cursor' }]);
    // A second process issues and accepts the same cursors.
    const { db, clock, masterKey } = server;
    await using other = await startServer({ open: async () => db, clock, masterKey });
    const caller = other.bearer((await server.alice.signed()).accessToken);
    assert.equal((await caller.get(`/sync/changes?cursor=${cursor}`)).body.resume_cursor, cursor);
  });

  test('[4.2] a cursor of another epoch or past the last change has expired', async () => {
    await using notes = await startNotes({ open });
    const { alice, server } = notes;
    await alice.write('a.md');
    await alice.write('b.md');
    const { cursor } = await follow(alice, '');
    await using raw = await rawOf(server.db);
    const asked = async () => {
      const { status, body } = await alice.caller.get(`/sync/changes?cursor=${cursor}`);
      return [status, body.error];
    };
    await raw.all('update vault_feeds set change_seq = 1 where vault_id = $1', alice.vault);
    assert.deepEqual(await asked(), [410, 'history_expired']);
    await raw.all('update vault_feeds set change_seq = 2 where vault_id = $1', alice.vault);
    assert.deepEqual(await asked(), [200, undefined]);
    // Two restores within one second are two epochs as well.
    for (let { cursor: before } = { cursor }, nth = 0; nth < 2; nth += 1) {
      assert.equal(await beginFeedEpochs(server.db, server.clock), 1);
      const { status, body } = await alice.caller.get(`/sync/changes?cursor=${before}`);
      assert.deepEqual([status, body.error], [410, 'history_expired']);
      const again = await follow(alice, '');
      assert.equal(again.changes.length, 2);
      before = again.cursor;
    }
  });
});

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
    assert.deepEqual(paths((await follow(alice, '', before)).changes), ['a.md', 'c.md']);
    assert.deepEqual([await rows(notes, 'entries'), await rows(notes, 'note_versions')], [3, 1]);
    server.clock.advance({ ms: 1 });
    assert.equal(await server.app.sync.dropExpired(), 1);
    assert.equal(await server.app.sync.dropExpired(), 0);
    const left = await Promise.all(['entries', 'note_bodies', 'note_versions'].map((table) => rows(notes, table)));
    assert.deepEqual(left, [2, 2, 0]);
    assert.deepEqual([await status(notes, before), await status(notes, after)], [410, 200]);
    assert.deepEqual(paths((await follow(alice, '')).changes), ['b.md', 'c.md']);
    assert.deepEqual(paths((await manifestOf(alice)).notes), ['b.md', 'c.md']);
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
    assert.deepEqual(paths((await follow(alice, '', before, { 'x-device-id': 'phone' })).changes), ['a.txt']);
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
    assert.deepEqual(paths(first.changes), ['b.md']);
    assert.deepEqual(paths((await follow(alice, 'limit=1', first.next_cursor)).changes), ['d.md']);
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
      await raw.all('insert into sync_devices values ($1, $2, 1, $3)', alice.vault, key, at);
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
    for (let at = 0; at < 30; at++) await alice.write('a.md', `${at}${'x'.repeat(400_000)}`);
    for (let at = 0; at < 120; at++) await alice.write('b.md', `${at}`);
    for (const path of ['a.md', 'b.md']) await alice.remove(path);
    server.clock.advance({ ms: 90 * DAY_MS });
    assert.equal(await server.app.sync.dropExpired(), 2);
    assert.deepEqual([await rows(notes, 'entries'), await rows(notes, 'note_versions')], [0, 0]);
    await using raw = await rawOf(server.db);
    const [feed] = await raw.all('select * from vault_feeds where vault_id = $1', alice.vault);
    assert.equal(Number(feed?.floor_seq), 152);
  });
});
