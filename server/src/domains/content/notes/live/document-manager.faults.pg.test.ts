/** Documents that people edit over sockets, and REST beside them. */

import assert from 'node:assert/strict';
import { hash, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { VaultId } from '@notevault/protocol/values/ids.ts';
import * as Y from 'yjs';
import { editNote, YjsClient } from '../../../../../test/kit/clients/yjs-client.ts';
import { onEachEngine, rawOf } from '../../../../../test/kit/engines.ts';
import { startNotes, storedMetaOf } from '../../../../../test/kit/notes.ts';
import { startServer } from '../../../../../test/kit/server.ts';
import { turns, until } from '../../../../../test/kit/until.ts';
import { type Database, DatabaseError } from '../../../../ports/database/database.ts';

/** Counts the calls that read from a database from now on. */
function countReads(db: Database) {
  const reads = { begun: 0, ended: 0 };
  for (const name of ['get', 'all', 'allMany', 'read'] as const) {
    const own = db[name].bind(db) as (...sent: unknown[]) => Promise<unknown>;
    const counted = (...sent: unknown[]) => {
      reads.begun += 1;
      return own(...sent).finally(() => {
        reads.ended += 1;
      });
    };
    Object.assign(db, { [name]: counted });
  }
  return reads;
}

onEachEngine('live documents in which something fails', (open) => {
  test('an edit that cannot be stored is not acknowledged, and no other edit depends on it', async (t) => {
    const { server, alice, note, bob, join } = await editNote(t, await startNotes({ open }));
    const carol = await join('carol');
    await using raw = await rawOf(server.db);
    await raw.run('alter table note_updates rename to elsewhere');
    await assert.rejects(bob.type('!'), { code: 'unavailable' });
    assert.deepEqual([bob.closed, carol.closed, carol.heard], ['lost', 'lost', 0]);
    await raw.run('alter table elsewhere rename to note_updates');
    // The client still has it, and sends it again when it comes back.
    await bob.join(server.app, alice.vault, note.id);
    await carol.join(server.app, alice.vault, note.id);
    assert.equal(carol.text, 'text!');
    assert.equal((await alice.read('a.md')).body.content, 'text!');
  });

  test('an edit that depends on one that could not be stored is not stored either', async (t) => {
    const { server, alice, note, bob, join } = await editNote(t, await startNotes({ open }));
    const other = await alice.write('b.md', 'other');
    using carol = await new YjsClient('carol').join(server.app, alice.vault, other.id);
    const transact = server.db.transact.bind(server.db);
    const [begun, away] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()];
    server.db.transact = () => {
      server.db.transact = transact;
      begun.resolve();
      return away.promise;
    };
    const first = bob.type('1');
    await begun.promise;
    const behind = [bob.type('2'), carol.type('!')];
    away.reject(new DatabaseError('unavailable', 'away'));
    const said = await Promise.allSettled([first, ...behind]);
    assert.deepEqual(
      said.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.code)),
      ['unavailable', 'unavailable', 'stored'],
    );
    const late = await join('late');
    assert.equal(late.text, 'text');
    await bob.join(server.app, alice.vault, note.id);
    assert.equal((await alice.read('a.md')).body.content, 'text12');
  });

  test('a note is not written with an edit that could not be stored', async (t) => {
    const { server, alice, bob } = await editNote(t, await startNotes({ open }));
    assert.equal(await bob.type('1'), 'stored');
    const transact = server.db.transact.bind(server.db);
    const [begun, away] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()];
    let writes = 0;
    server.db.transact = (body, priority) => {
      if (priority === 'interactive') {
        begun.resolve();
        return away.promise;
      }
      writes += 1;
      return transact(body, priority);
    };
    const lost = assert.rejects(bob.type('2'), { code: 'unavailable' });
    await begun.promise;
    const reads = countReads(server.db);
    // Flushes the first edit; the document that it is flushed from has the second one, too.
    const reading = alice.read('a.md');
    await until(() => reads.begun > 0 && reads.begun === reads.ended);
    await turns();
    const writtenBefore = writes;
    server.db.transact = transact;
    away.reject(new DatabaseError('unavailable', 'away'));
    await Promise.all([lost, reading]);
    assert.equal(writtenBefore, 0);
    assert.equal((await alice.read('a.md')).body.content, 'text1');
  });

  test('a watcher who returns to a discarded document shares it with later ones', async (t) => {
    const { server, bob, join } = await editNote(t, await startNotes({ open }));
    await using raw = await rawOf(server.db);
    await raw.run('alter table note_updates rename to elsewhere');
    await assert.rejects(bob.type('!'), { code: 'unavailable' });
    await raw.run('alter table elsewhere rename to note_updates');
    const again = await join('bob again');
    // What held the lost document lets go of it only now.
    bob.leave();
    await turns();
    const late = await join('late');
    assert.equal(await late.type(' late'), 'stored');
    assert.equal(again.text, 'text late');
    assert.equal(server.app.notes.live.stats().documents, 1);
  });

  test('a damaged edit leaves its note as it was, and other notes usable', async () => {
    await using notes = await startNotes({ open });
    const { alice, server } = notes;
    const note = await alice.write('a.md', 'text');
    await alice.write('b.md', 'other');
    {
      using bob = await new YjsClient('bob').join(server.app, alice.vault, note.id);
      await using raw = await rawOf(server.db);
      await bob.type('!');
      // What this process has in memory it need not read: the damage is in an edit that another one took.
      const cut = `select vault_id, note_id, '${randomUUID()}', substr(payload, 1, length(payload) - 1)`;
      await raw.run(`insert into note_updates ${cut} from note_updates`);
    }
    await until(() => server.app.notes.live.stats().documents === 0);
    assert.equal((await alice.read('b.md')).body.content, 'other');
    assert.equal((await alice.read('a.md')).body.content, 'text');
    await assert.rejects(new YjsClient('bob').join(server.app, alice.vault, note.id), { code: 'note_unreadable' });
  });

  test('a document of many edits whose text is not its note’s cannot be opened; as it was stored, it can', async (t) => {
    const { server, alice, note, bob, join } = await editNote(t, await startNotes({ open }));
    const many = bob.drafts((content) => {
      for (let at = 0; at < 1200; at++) content.insert(at % 7, 'ab');
      for (let at = 0; at < 300; at++) content.delete((at * 5) % content.length, 1);
    });
    assert.equal(await bob.send(many), 'stored');
    bob.leave();
    await until(() => server.app.notes.live.stats().documents === 0);
    const { version } = (await alice.read('a.md')).body;
    const carol = await join('carol');
    assert.equal(carol.text, bob.text);
    assert.deepEqual(Y.encodeSnapshot(Y.snapshot(carol.doc)), Y.encodeSnapshot(Y.snapshot(bob.doc)));
    assert.equal(await carol.type('!'), 'stored');
    carol.leave();
    await until(() => server.app.notes.live.stats().documents === 0);
    const now = (await alice.read('a.md')).body;
    assert.deepEqual([now.content, now.version], [`${bob.text}!`, version + 1]);
    carol.doc.getText('content').insert(0, 'not in the note');
    const vault = await server.app.vaults.openAsSystem(alice.vault as VaultId);
    const context = { kind: 'notes.doc', row: note.id, version: now.version };
    await using raw = await rawOf(server.db);
    const doc = vault?.key.seal(context, Y.encodeStateAsUpdateV2(carol.doc)) as Buffer;
    await raw.all('update note_bodies set doc = $1', doc);
    await assert.rejects(new YjsClient('dan').join(server.app, alice.vault, note.id), { code: 'note_unreadable' });
  });

  test('an edit that is damaged on disk while its document is in memory is flushed all the same', async (t) => {
    const { server, alice, bob } = await editNote(t, await startNotes({ open }));
    await using raw = await rawOf(server.db);
    await bob.type('!');
    await raw.run('update note_updates set payload = substr(payload, 1, length(payload) - 1)');
    await bob.type('?');
    assert.equal((await alice.read('a.md')).body.content, 'text!?');
    assert.deepEqual(await raw.all('select * from note_updates'), []);
  });

  test('edits left by a server that died are flushed by another', async (t) => {
    const { server, alice, note, bob } = await editNote(t, await startNotes({ open }));
    const { db, clock, masterKey } = server;
    await bob.type('!');
    await using second = await startServer({ open: async () => db, clock, masterKey });
    clock.advance({ seconds: 11 });
    await second.app.notes.live.flushOverdue();
    assert.equal((await storedMetaOf(server, alice.vault, note.id)).hash, hash('sha256', 'text!'));
    await using raw = await rawOf(db);
    assert.deepEqual(await raw.all('select * from note_updates'), []);
  });
});
