import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { follow, pathsOf, upload } from '../../../../test/kit/clients/syncing.ts';
import { onSqlite, rawOf } from '../../../../test/kit/engines.ts';
import { type Json, notesOnOneServer, startNotes } from '../../../../test/kit/notes.ts';
import { startServer } from '../../../../test/kit/server.ts';
import { beginFeedEpochs } from '../../content/vaults/vaults.ts';

onSqlite('the change feed', (open) => {
  const start = notesOnOneServer(open);

  test('[3.1] the change feed lists each row and tombstone once, at its latest seq', async () => {
    const { alice } = await start();
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
        content_hash: hash('sha256', 'new'),
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
        content_hash: hash('sha256', 'x/c.md'),
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
    const { alice, bob } = await start();
    for (let at = 0; at < 7; at++) await alice.write(`${at}.md`);
    const { changes: whole } = await follow(alice, 'limit=500');
    for (const limit of [1, 2, 3, 7, 8]) assert.deepEqual((await follow(alice, `limit=${limit}`)).changes, whole);
    const { cursor } = await follow(alice, 'limit=3');
    const idle = (await alice.caller.get(`/sync/changes?cursor=${cursor}`)).body;
    const position = { has_more: false, next_cursor: null, resume_cursor: cursor, change_seq: 7 };
    assert.deepEqual(idle, { changes: [], ...position, access: 'write' });
    await alice.write('3.md', 'again');
    const { changes: more } = await follow(alice, 'limit=1', cursor);
    assert.deepEqual(pathsOf(more), ['3.md']);
    const empty = (await (await bob()).caller.get('/sync/changes')).body;
    assert.deepEqual([empty.changes, empty.has_more, empty.next_cursor], [[], false, null]);
    assert.equal(typeof empty.resume_cursor, 'string');
  });

  test('[3.1] [3.3] notes and attachments form one list by seq, with pages of any size', async () => {
    const { alice } = await start();
    // Runs of one kind that are longer than a page, in both directions.
    for (const name of ['a.txt', 'b.txt', 'c.txt', '1.md', '2.md', '3.md', '4.md', 'd.txt', '5.md', 'e.txt', 'f.txt']) {
      if (name.endsWith('.md')) await alice.write(name);
      else await upload(alice, name, name);
    }
    await alice.caller.delete('/attachments/b.txt');
    await alice.remove('2.md');
    const { changes: whole } = await follow(alice, 'limit=500');
    const order = ['a.txt', 'c.txt', '1.md', '3.md', '4.md', 'd.txt', '5.md', 'e.txt', 'f.txt', 'b.txt', '2.md'];
    assert.deepEqual(pathsOf(whole), order);
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
      content_hash: hash('sha256', 'b.txt'),
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
    const { alice } = await start();
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
    const { alice } = await start();
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
    const { alice, server } = await start();
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
      assert.equal(await server.db.transact((handle) => beginFeedEpochs(handle, server.clock)), 1);
      const { status, body } = await alice.caller.get(`/sync/changes?cursor=${before}`);
      assert.deepEqual([status, body.error], [410, 'history_expired']);
      const again = await follow(alice, '');
      assert.equal(again.changes.length, 2);
      before = again.cursor;
    }
  });
});
