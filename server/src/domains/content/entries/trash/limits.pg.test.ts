import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GB } from '@notevault/protocol/values/byte-units.ts';
import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { YjsClient } from '../../../../../test/kit/clients/yjs-client.ts';
import { fileOf, fileUrl, uploadRaw } from '../../../../../test/kit/content/files.ts';
import { addVersions } from '../../../../../test/kit/content/versions.ts';
import { assertConsistent } from '../../../../../test/kit/database/assert-consistent.ts';
import { onEachEngine, rawOf } from '../../../../../test/kit/engines.ts';
import { type Json, startLastingNotes, type Writer } from '../../../../../test/kit/notes.ts';
import { startServer } from '../../../../../test/kit/server.ts';
import { until } from '../../../../../test/kit/until.ts';
import { TRASH_LIMITS } from './limits.ts';
import { purgeEntries } from './purge.ts';

const paths = async ({ caller }: Writer): Promise<string[]> =>
  (await caller.get('/trash')).body.items.map(({ path }: Json) => path);
const DAY_MS = 24 * 3_600_000;

onEachEngine('what the trash keeps', (open) => {
  test('an entry in the trash ends after 90 days, and its tombstone may stay for a device that is behind', async () => {
    await using notes = await startLastingNotes({ open });
    const { server, alice } = notes;
    const phone = { 'x-device-id': 'phone' };
    const { resume_cursor: cursor } = (await alice.caller.get('/sync/changes', phone)).body;
    const note = await alice.write('a.md', 'text');
    const file = (await uploadRaw(alice.caller, 'b.png', fileOf('png'))).body.attachment;
    await alice.remove('a.md');
    await alice.caller.delete(fileUrl('b.png'));
    server.clock.advance({ ms: 90 * DAY_MS - 1 });
    await alice.caller.get(`/sync/changes?cursor=${cursor}`, phone);
    assert.equal((await paths(alice)).length, 2);
    server.clock.advance({ ms: 1 });
    assert.equal(await server.app.sync.dropExpired(), 0);
    assert.deepEqual(await paths(alice), []);
    for (const { id } of [note, file]) {
      assert.equal((await alice.caller.post(`/trash/${id}/restore`, {})).status, 404);
      assert.equal((await alice.caller.delete(`/trash/${id}`)).status, 404);
    }
    await assertConsistent(server);
    server.clock.advance({ days: 91 });
    assert.equal(await server.app.sync.dropExpired(), 2);
    await assertConsistent(server);
    server.clock.advance({ minutes: 11 });
    assert.equal(await server.app.attachments.collect(), 1);
    assert.deepEqual((await Array.fromAsync(server.blobs.list())).flat(), []);
    await assertConsistent(server);
  });

  test('the trash is limited in notes: the oldest go first, and tombstones stay', async () => {
    await using notes = await startLastingNotes({ open, trashLimits: { ...TRASH_LIMITS, notes: 20 } });
    const { server, alice } = notes;
    const bob = await notes.bob();
    await bob.write('kept.md');
    await bob.remove('kept.md');
    for (let at = 0; at < 3; at++) {
      const items = Array.from({ length: 75 }, (_, index) => ({ path: `f/${at}-${index}.md`, content: 'x', mtime: 1 }));
      const written = await alice.caller.post('/notes/batch', { notes: items }, { 'x-idempotency-key': `${at}` });
      const ids = written.body.results.map(({ id }: Json) => id);
      await alice.caller.post('/notes/batch-delete', { ids }, { 'x-idempotency-key': `delete-${at}` });
      server.clock.advance({ seconds: 1 });
    }
    assert.equal(await server.app.entries.trash.trim(), 205);
    assert.equal(await server.app.entries.trash.trim(), 0);
    await using raw = await rawOf(server.db);
    const kept = await raw.all('select deleted_at from entries where trashed = 1 and vault_id = $1', alice.vault);
    assert.equal(kept.length, 20);
    const [last = 0] = kept.map(({ deleted_at }) => Number(deleted_at)).sort();
    const purged = await raw.all(
      'select deleted_at, trashed from entries where coalesce(trashed, 0) = 0 and deleted_at is not null',
    );
    assert.ok(purged.every(({ deleted_at, trashed }) => Number(deleted_at) <= last && trashed === null));
    assert.equal((await alice.caller.get('/sync/changes?limit=500')).body.changes.length, 225);
    assert.deepEqual(await paths(bob), ['kept.md']);
    await assertConsistent(server);
  });

  test('the trash is limited in bytes of text and of attachments, by vault and plan', async () => {
    const limits = { notes: 10, textBytes: 1000, attachmentBytes: () => 1000 };
    await using notes = await startLastingNotes({ open, trashLimits: limits });
    const { server, alice } = notes;
    for (const name of ['a', 'b', 'c']) {
      await alice.write(`${name}.md`, name.repeat(400));
      await uploadRaw(alice.caller, `${name}.png`, fileOf('png', 400));
      await alice.remove(`${name}.md`);
      await alice.caller.delete(fileUrl(`${name}.png`));
      server.clock.advance({ seconds: 1 });
    }
    assert.equal(await server.app.entries.trash.trim(), 2);
    assert.deepEqual((await paths(alice)).sort(), ['b.md', 'b.png', 'c.md', 'c.png']);
    await assertConsistent(server);
    assert.deepEqual([TRASH_LIMITS.notes, TRASH_LIMITS.textBytes], [10_000, GB]);
  });

  test('a purged note leaves nothing but the tombstone, also after many versions and an interruption', async () => {
    await using notes = await startLastingNotes({ open });
    const { server, alice } = notes;
    const { id } = await alice.write('a.md', 'last');
    await addVersions(server, alice.vault, id, 250);
    await alice.remove('a.md');
    const before = (await alice.caller.get('/sync/changes')).body;
    // As left by a process that was killed after the first of several transactions.
    const vault = alice.vault as VaultId;
    await server.db.transact(async (handle) => {
      await server.app.vaults.lockFeed(handle, vault);
      const deps = { vaults: server.app.vaults, handlerOf: () => server.app.notes.kind };
      await purgeEntries(deps, handle, vault, [{ id, kind: 'note', size_bytes: 4, blob_id: null }]);
    });
    await assertConsistent(server);
    await using raw = await rawOf(server.db);
    const versions = () => raw.all('select version from note_versions where note_id = $1', id);
    assert.equal((await versions()).length, 150);
    assert.deepEqual(await paths(alice), []);
    await server.app.entries.trash.trim();
    assert.deepEqual(await versions(), []);
    assert.deepEqual(await raw.all('select trashed from entries'), [{ trashed: null }]);
    assert.deepEqual((await alice.caller.get('/sync/changes')).body, before);
    await assertConsistent(server);
  });

  test('a note purged by a request leaves nothing but the tombstone, also after many versions', async () => {
    await using notes = await startLastingNotes({ open });
    const { server, alice } = notes;
    const { id } = await alice.write('a.md', 'last');
    await addVersions(server, alice.vault, id, 120);
    await alice.remove('a.md');
    assert.deepEqual((await alice.caller.delete(`/trash/${id}`)).body, { deleted: true });
    await using raw = await rawOf(server.db);
    assert.deepEqual(await raw.all('select version from note_versions'), []);
    assert.deepEqual(await raw.all('select trashed from entries'), [{ trashed: null }]);
    await assertConsistent(server);
  });

  test('a purged note is gone: its id makes a new note, whose version follows that of the tombstone', async () => {
    await using notes = await startLastingNotes({ open });
    const { server, alice } = notes;
    const { id } = await alice.write('a.md', 'first');
    await alice.write('a.md', 'second');
    await alice.remove('a.md');
    await alice.caller.delete(`/trash/${id}`);
    const made = await alice.write('a.md', 'second and more', { id, version: 2 });
    assert.notEqual(made.id, id);
    assert.deepEqual([made.version, made.content], [3, 'second and more']);
    await assertConsistent(server);
  });

  test('the trash drops edits that another process acknowledged after the note was purged', async () => {
    await using notes = await startLastingNotes({ open });
    const { server, alice } = notes;
    const { db, clock, masterKey } = server;
    await using second = await startServer({ open: async () => db, clock, masterKey });
    const { id } = await alice.write('a.md', 'text');
    // The other process has not heard of the deletion yet.
    using bob = await new YjsClient('bob').join(second.app, alice.vault, id);
    await alice.remove('a.md');
    await alice.caller.delete(`/trash/${id}`);
    assert.equal(await bob.type(' typed'), 'stored');
    await alice.caller.get('/notes/a.md');
    await using raw = await rawOf(server.db);
    assert.deepEqual(await raw.all('select id from note_updates'), []);
    await second.app.notes.live.catchUp();
    await until(() => bob.closed === 'note_deleted');
    await assertConsistent(server);
  });

  test('the trash is erased with its vault', async () => {
    await using notes = await startLastingNotes({ open });
    const { server, alice } = notes;
    await alice.write('a.md');
    await uploadRaw(alice.caller, 'a.png', fileOf('png'));
    await alice.remove('a.md');
    await alice.caller.delete(fileUrl('a.png'));
    await server.alice.delete(`/vaults/${alice.vault}`);
    assert.equal((await server.alice.post(`/vaults/${alice.vault}/purge`, {})).status, 200);
    await using raw = await rawOf(server.db);
    for (const table of ['entries', 'note_bodies', 'attachment_blobs'])
      assert.deepEqual(await raw.all(`select * from ${table}`), [], table);
    assert.deepEqual((await Array.fromAsync(server.blobs.list())).flat(), []);
  });
});
