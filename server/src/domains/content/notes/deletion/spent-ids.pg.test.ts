/** A note's id, versions and document are its own for ever: what comes after a dropped tombstone, or beside one, is another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { YjsClient } from '../../../../../test/kit/clients/yjs-client.ts';
import { onEachEngine, rawOf } from '../../../../../test/kit/engines.ts';
import { type NotesServer, startLastingNotes } from '../../../../../test/kit/notes.ts';
import { startServer } from '../../../../../test/kit/server.ts';
import type { Database } from '../../../../ports/database/database.ts';

const start = (open: () => Promise<Database>) => startLastingNotes({ open });

/** Deletes the note at a path and lets its tombstone expire. */
async function expire({ server, alice }: NotesServer, path: string): Promise<void> {
  await alice.remove(path);
  server.clock.advance({ days: 90, ms: 1 });
  assert.equal(await server.app.sync.dropExpired(), 1);
}

onEachEngine('an id whose tombstone was dropped', (open) => {
  test('[5.6] [8.6] is not given again: a note made under it gets a new id', async () => {
    await using notes = await start(open);
    const { alice } = notes;
    const gone = await alice.write('a.md', 'first\n');
    await expire(notes, 'a.md');
    const made = await alice.write('a.md', 'second\n', { id: gone.id });
    assert.notEqual(made.id, gone.id);
    assert.equal((await alice.caller.get(`/notes/by-id/${gone.id}`)).status, 404);
    const elsewhere = await alice.write('b.md', 'third\n', { id: gone.id.toUpperCase(), version: 1 });
    assert.ok(![gone.id, made.id].includes(elsewhere.id));
    const items = [{ path: 'c.md', content: 'fourth\n', mtime: 1, id: gone.id }];
    const batch = await alice.caller.post('/notes/batch', { notes: items }, { 'x-idempotency-key': 'batch' });
    assert.equal(batch.body.results[0].status, 'ok');
    assert.notEqual(batch.body.results[0].id, gone.id);
  });

  test('does not write over the note at its path by a version that it had', async () => {
    await using notes = await start(open);
    const { alice } = notes;
    const gone = await alice.write('a.md', 'first\n');
    await expire(notes, 'a.md');
    const made = await alice.write('a.md', 'second\n', { id: gone.id });
    const stale = await alice.put('a.md', { id: gone.id, version: 1, content: 'first\nand more\n' });
    assert.deepEqual([stale.status, stale.body.error], [409, 'version_conflict']);
    assert.equal(stale.body.server_note.id, made.id);
    assert.equal((await alice.read('a.md')).body.content, 'second\n');
  });

  test('is spent for other vaults too, and no answer tells', async () => {
    await using notes = await start(open);
    const bob = await notes.bob();
    const gone = await notes.alice.write('a.md', 'private\n');
    await expire(notes, 'a.md');
    const made = await bob.put('a.md', { id: gone.id });
    assert.equal(made.status, 200);
    assert.notEqual(made.body.note.id, gone.id);
  });

  test('is forgotten with its vault', async () => {
    await using notes = await start(open);
    const { server, alice } = notes;
    await alice.write('a.md');
    await expire(notes, 'a.md');
    await using raw = await rawOf(server.db);
    const spent = () => raw.all('select id from spent_ids where vault_id = $1', alice.vault);
    assert.equal((await spent()).length, 1);
    assert.equal((await alice.caller.delete(`/vaults/${alice.vault}`)).status, 200);
    server.clock.advance({ days: 31 });
    await server.app.vaults.purgeDue(server.clock.now());
    assert.deepEqual(await spent(), []);
  });

  test('[8.4] names no document of a note made anew: devices with the old one are refused, and nothing is doubled', async () => {
    await using notes = await start(open);
    const { server, alice } = notes;
    const gone = await alice.write('a.md', 'first\n');
    using bob = await new YjsClient('bob').join(server.app, alice.vault, gone.id);
    const old = bob.doc;
    bob.leave();
    await expire(notes, 'a.md');
    // As if no rule held about ids: the document must not rest on it.
    await using raw = await rawOf(server.db);
    assert.equal(await raw.run('delete from spent_ids'), 1);
    assert.equal((await alice.write('a.md', 'second text\n', { id: gone.id })).id, gone.id);
    using again = await new YjsClient('bob again', old).join(server.app, alice.vault, gone.id);
    assert.equal(await again.sync(), 'foreign');
    assert.equal(again.text, 'first\n');
    assert.equal((await alice.read('a.md')).body.content, 'second text\n');
  });
});

onEachEngine('a document in memory whose note was made anew by another process', (open) => {
  test('[8.6] is closed, and what is typed into the new note is not mixed with it', async () => {
    await using first = await start(open);
    const { server, alice } = first;
    const { db, clock, masterKey } = server;
    await using second = await startServer({ open: async () => db, clock, masterKey });
    const gone = await alice.write('a.md', 'first\n');
    // The other process hears of nothing that this one does.
    using bob = await new YjsClient('bob').join(second.app, alice.vault, gone.id);
    await expire(first, 'a.md');
    await using raw = await rawOf(db);
    await raw.run('delete from spent_ids');
    await alice.write('a.md', 'second text\n', { id: gone.id });
    using carol = await new YjsClient('carol').join(server.app, alice.vault, gone.id);
    assert.equal(await carol.type('typed\n'), 'stored');
    // It folds in what waits, for a read, while it has the old document in memory.
    const vault = await second.app.vaults.openAsSystem(alice.vault as VaultId);
    assert.ok(vault !== null);
    await second.app.notes.live.flush(vault);
    assert.equal((await alice.read('a.md')).body.content, 'second text\ntyped\n');
    await second.app.notes.live.catchUp();
    assert.equal(bob.closed, 'note_deleted');
    assert.equal(bob.text, 'first\n');
    using again = await new YjsClient('bob again').join(second.app, alice.vault, gone.id);
    assert.equal(again.text, 'second text\ntyped\n');
  });
});

onEachEngine('the versions of a note made at a path with tombstones', (open) => {
  test('[8.7] follow the last one of the earlier note, so that one sent by path alone never means another text', async () => {
    await using notes = await start(open);
    const { alice } = notes;
    await alice.write('a.md', 'first\n');
    await alice.write('a.md', 'first\nline\n');
    await alice.remove('a.md');
    const made = await alice.write('A.md', 'second\n');
    assert.equal(made.version, 3);
    assert.equal((await alice.write('a.md', 'second\nline\n')).version, 4);
    for (const version of [1, 2]) {
      const stale = await alice.put('a.md', { version, content: 'first\nline\nmore\n' });
      assert.deepEqual([stale.status, stale.body.error], [409, 'version_conflict']);
    }
    const { versions } = (await alice.caller.get(`/notes/by-id/${made.id}/versions`)).body;
    assert.deepEqual(
      versions.map(({ version, reason }: { version: number; reason: string }) => [version, reason]),
      [
        [4, 'edit'],
        [3, 'create'],
      ],
    );
    const merged = await alice.write('a.md', 'mine\nsecond\n', { version: 3 });
    assert.equal(merged.content, 'mine\nsecond\nline\n');
  });

  test('follow the highest one of all tombstones there', async () => {
    await using notes = await start(open);
    const { server, alice } = notes;
    for (const content of ['1', '2', '3', '4']) await alice.write('a.md', content);
    await alice.remove('a.md');
    await alice.write('b.md', 'moved here');
    await alice.caller.post('/notes/rename', { old_path: 'b.md', new_path: 'a.md' });
    server.clock.advance({ minutes: 1 });
    await alice.remove('a.md');
    assert.equal((await alice.write('a.md', 'new')).version, 5);
    assert.equal((await alice.write('b.md', 'nobody was deleted here')).version, 1);
  });

  test('begin at 1 once the tombstone is gone', async () => {
    await using notes = await start(open);
    const { alice } = notes;
    await alice.write('a.md', '1');
    await alice.write('a.md', '2');
    await expire(notes, 'a.md');
    assert.equal((await alice.write('a.md', 'new')).version, 1);
  });
});
