/** Documents that people edit over sockets, and REST beside them. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { VaultId } from '@notevault/protocol/values/ids.ts';
import * as Y from 'yjs';
import { editNote, YjsClient } from '../../../../../test/kit/clients/yjs-client.ts';
import { assertConsistent } from '../../../../../test/kit/database/assert-consistent.ts';
import { onEachEngine, onSqlite } from '../../../../../test/kit/engines.ts';
import { notesOnOneServer, storedMetaOf } from '../../../../../test/kit/notes.ts';
import { startServer } from '../../../../../test/kit/server.ts';
import { turns, until } from '../../../../../test/kit/until.ts';

const sha = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');
const headOf = (doc: Y.Doc) => sha(Y.encodeSnapshot(Y.snapshot(doc)));

onEachEngine('live documents', (open) => {
  const start = notesOnOneServer(open);

  describe('on one server', () => {
    test('the next read has what was typed, in text, version, hash and links', async () => {
      const { server, alice } = await start();
      await alice.write('Target.md', 'here');
      const note = await alice.write('a.md', 'first');
      using bob = await new YjsClient('bob').join(server.app, alice.vault, note.id);
      assert.equal(bob.text, 'first');
      assert.equal(await bob.type(' and [[Target]]'), 'stored');
      const { body } = await alice.read('a.md');
      assert.equal(body.content, 'first and [[Target]]');
      assert.equal(body.version, 2);
      assert.ok(body.seq > note.seq);
      assert.equal(body.content_hash, sha('first and [[Target]]'));
      assert.deepEqual(await alice.edges('a.md'), ['Target → Target.md']);
      assert.deepEqual(await alice.backlinks('Target.md'), ['a.md']);
    });

    test('a write reaches everyone who has the note open, as an edit of their document', async (t) => {
      const { alice, bob } = await editNote(t, await start(), 'one two three');
      await alice.write('a.md', 'one TWO three');
      await until(() => bob.text === 'one TWO three');
      assert.equal(await bob.type('!'), 'stored');
      assert.equal((await alice.read('a.md')).body.content, 'one TWO three!');
    });

    test('two who type at once see one text, and a write between them merges', async (t) => {
      const { alice, bob, join } = await editNote(t, await start(), 'middle');
      const carol = await join('carol');
      const [b, c] = [bob.draft('bob ', 0), carol.draft(' carol')];
      assert.deepEqual(await Promise.all([bob.send(b), carol.send(c), alice.put('b.md')]).then(([x, y]) => [x, y]), [
        'stored',
        'stored',
      ]);
      assert.equal(bob.text, 'bob middle carol');
      assert.equal(carol.text, bob.text);
      assert.equal((await alice.read('a.md')).body.content, bob.text);
    });

    test('text typed and removed again keeps the version and moves the head', async (t) => {
      const { server, alice, note, bob, join } = await editNote(t, await start());
      const before = await storedMetaOf(server, alice.vault, note.id);
      assert.equal(before.head, headOf(bob.doc));
      await bob.type('x');
      await bob.type('', 4, 1);
      const { body } = await alice.read('a.md');
      assert.deepEqual([body.content, body.version, body.content_hash], ['text', 1, note.content_hash]);
      assert.ok(body.seq > note.seq, 'who follows the feed hears of the new head');
      assert.equal((await storedMetaOf(server, alice.vault, note.id)).head, headOf(bob.doc));
      // The document goes on: another edit of it is understood by all.
      await alice.write('a.md', 'text!');
      await until(() => bob.text === 'text!');
      const late = await join('late');
      assert.equal(late.text, 'text!');
    });

    test('an edit that adds nothing is acknowledged, one that depends on missing edits is not', async (t) => {
      const { alice, bob } = await editNote(t, await start());
      const first = bob.draft('1');
      const second = bob.draft('2');
      assert.equal(await bob.send(second), 'missing');
      assert.equal((await alice.read('a.md')).body.content, 'text');
      assert.equal(await bob.send(first), 'stored');
      assert.equal(await bob.send(first), 'known');
      assert.equal(await bob.send(second), 'stored');
      assert.equal(await bob.send(Y.mergeUpdates([first, second])), 'known');
      assert.equal((await alice.read('a.md')).body.content, 'text12');
    });

    test('edits that arrive together are one message to the others; each is accepted or refused on its own', async (t) => {
      const { alice, bob, join } = await editNote(t, await start());
      const carol = await join('carol');
      const own = new Y.Doc();
      own.getText('content').insert(0, 'foreign');
      const foreign = Y.encodeStateAsUpdate(own);
      const [first, second, , fourth] = [bob.draft('1'), bob.draft('2'), bob.draft('3'), bob.draft('4')];
      const answers = await bob.sendAll([first, Uint8Array.of(9), second, fourth, foreign, first]);
      assert.deepEqual(answers, ['stored', 'malformed', 'stored', 'missing', 'foreign', 'stored']);
      assert.deepEqual([carol.text, carol.heard], ['text12', 1]);
      assert.equal((await alice.read('a.md')).body.content, 'text12');
      assert.deepEqual(await bob.sendAll([first, second]), ['known', 'known']);
      assert.deepEqual([bob.closed, carol.closed, carol.heard], [null, null, 1]);
    });

    test('a deletion that depends on missing edits is not accepted', async (t) => {
      const { alice, bob } = await editNote(t, await start());
      const typed = bob.draft('xyz');
      const deleted = bob.draft('', 4, 3);
      assert.equal(await bob.send(deleted), 'missing');
      assert.equal(await bob.send(typed), 'stored');
      assert.equal(await bob.send(deleted), 'stored');
      assert.equal((await alice.read('a.md')).body.content, 'text');
    });

    test('a document begun by a client is never merged: its text becomes a version', async () => {
      const { server, alice } = await start();
      const note = await alice.write('a.md', 'the text');
      const own = new Y.Doc();
      own.getText('content').insert(0, 'the text');
      own.getText('content').insert(8, ' as the client had it');
      const vault = await server.app.vaults.openAsSystem(alice.vault as VaultId);
      assert.ok(vault !== null);
      using live = await server.app.notes.live.open(vault, note.id, { update: () => {}, closed: () => {} });
      const actor = { kind: 'session', name: 'bob' };
      assert.equal(await live.missingFor(Y.encodeStateVector(own)), 'foreign');
      const pushed = Y.encodeStateAsUpdate(own);
      assert.deepEqual(await live.apply([pushed], actor), ['foreign']);
      assert.deepEqual(await live.apply([pushed, pushed], actor), ['foreign', 'foreign']);
      const { body } = await alice.read('a.md');
      assert.equal(body.content, 'the text');
      const { versions } = (await alice.caller.get(`/notes/by-id/${note.id}/versions`)).body;
      assert.deepEqual(
        versions.map((each: { version: number }) => each.version),
        [3, 2, 1],
      );
      const kept = (await alice.caller.get(`/notes/by-id/${note.id}/versions/2`)).body;
      assert.equal(kept.content, 'the text as the client had it');
      assert.equal((await alice.put('a.md', { content: 'x', version: 2 })).status, 409);
      assert.equal((await alice.put('a.md', { content: 'the text.', version: 3 })).status, 200);
    });

    test('an empty note has a lineage too: a client that types before it syncs is foreign', async () => {
      const { server, alice } = await start();
      const note = await alice.write('a.md', '');
      const own = new Y.Doc();
      own.getText('content').insert(0, 'hello');
      using bob = new YjsClient('bob', own);
      await bob.join(server.app, alice.vault, note.id);
      assert.equal(await bob.sync(), 'foreign');
      using carol = await new YjsClient('carol').join(server.app, alice.vault, note.id);
      assert.equal(await carol.type('hello'), 'stored');
      assert.equal((await alice.read('a.md')).body.content, 'hello');
    });

    test('a stretch of typing by one person keeps only the version it began from', async (t) => {
      const { alice, note, bob, join } = await editNote(t, await start(), 'v1');
      for (const letter of 'abc') {
        await bob.type(letter);
        await alice.read('a.md');
      }
      const carol = await join('carol');
      await carol.type('d');
      await alice.read('a.md');
      const { versions } = (await alice.caller.get(`/notes/by-id/${note.id}/versions`)).body;
      assert.deepEqual(
        versions.map((each: { version: number }) => each.version),
        [5, 4, 1],
      );
      assert.equal((await alice.caller.get(`/notes/by-id/${note.id}/versions/4`)).body.content, 'v1abc');
    });

    test('a note deleted while it is open closes; what was typed meanwhile is in the tombstone', async (t) => {
      const { server, alice, note, bob } = await editNote(t, await start());
      await alice.remove('a.md');
      assert.equal(bob.closed, 'note_deleted');
      await assert.rejects(bob.type('x'), { code: 'unavailable' });
      await assert.rejects(new YjsClient('late').join(server.app, alice.vault, note.id), { code: 'note_not_found' });
    });

    test('edits are flushed after a second of quiet', async (t) => {
      const { server, alice, note, bob } = await editNote(t, await start());
      await bob.type('!');
      server.clock.advance({ ms: 700 });
      await turns();
      assert.equal(server.app.notes.live.stats().unflushed, 1);
      assert.equal((await storedMetaOf(server, alice.vault, note.id)).hash, sha('text'));
      server.clock.advance({ ms: 300 });
      await until(async () => (await storedMetaOf(server, alice.vault, note.id)).hash === sha('text!'));
    });

    test('[6.3] edits are flushed also when one that arrived with them is refused as ahead of the server', async (t) => {
      const { server, alice, note, bob } = await editNote(t, await start());
      const [[ours = 0] = []] = Y.decodeStateVector(Y.encodeStateVector(bob.doc));
      const typed = bob.draft('!');
      bob.doc.clientID = ours;
      assert.deepEqual(await bob.sendAll([typed, bob.draft('forged')]), ['known', 'malformed']);
      assert.equal(server.app.notes.live.stats().unflushed, 1);
      server.clock.advance({ seconds: 1 });
      await until(async () => (await storedMetaOf(server, alice.vault, note.id)).hash === sha('text!'));
    });

    test('an unused document leaves memory, and its edits are flushed', async () => {
      const { server, alice } = await start();
      const note = await alice.write('a.md', 'text');
      const { live } = server.app.notes;
      const before = live.stats();
      const bob = await new YjsClient('bob').join(server.app, alice.vault, note.id);
      assert.equal(live.stats().documents, before.documents + 1);
      await bob.type('!');
      bob.leave();
      await until(() => live.stats().documents === before.documents);
      assert.deepEqual(live.stats(), before);
      assert.equal((await storedMetaOf(server, alice.vault, note.id)).hash, sha('text!'));
    });

    test('[7.14] an update with formats is refused, and the others notice nothing', async (t) => {
      const { bob, join } = await editNote(t, await start());
      const carol = await join('carol');
      const marked = new Y.Doc();
      Y.applyUpdate(marked, Y.encodeStateAsUpdate(bob.doc));
      const before = Y.encodeStateVector(marked);
      marked.getText('content').format(0, 3, { bold: true });
      assert.equal(await bob.send(Y.encodeStateAsUpdate(marked, before)), 'unsupported');
      assert.equal(await bob.type('!'), 'stored');
      assert.deepEqual([carol.text, carol.closed], ['text!', null]);
    });

    test('nobody types under the client id of the server, also after its edits arrived through another process', async (t) => {
      const { server, alice, note, bob } = await editNote(t, await start());
      const [[ours = 0] = []] = Y.decodeStateVector(Y.encodeStateVector(bob.doc));
      const forged = new YjsClient('mallory', new Y.Doc());
      await forged.join(server.app, alice.vault, note.id);
      forged.doc.clientID = ours;
      assert.equal(await forged.type('forged'), 'malformed');
      forged.leave();
      // What the server did write is known, from whomever it comes.
      await alice.write('a.md', 'text, edited');
      await until(() => bob.text === 'text, edited');
      assert.equal(await bob.send(Y.encodeStateAsUpdate(bob.doc)), 'known');
      assert.equal((await alice.read('a.md')).body.content, 'text, edited');
    });

    test('a lone surrogate in a document is a replacement character in the note', async (t) => {
      const { alice, bob } = await editNote(t, await start(), 'a😀b');
      await bob.type('', 1, 1);
      const { body } = await alice.read('a.md');
      assert.equal(body.content.isWellFormed(), true);
      await alice.write('a.md', 'plain');
      await until(() => bob.text === 'plain');
    });
  });

  test('two servers over one database: edits cross by the bus, and by looking when it is silent', async () => {
    const { alice, server } = await start();
    const { db, clock, masterKey } = server;
    await using second = await startServer({ open: async () => db, clock, masterKey });
    const note = await alice.write('a.md', 'text');
    using bob = await new YjsClient('bob').join(server.app, alice.vault, note.id);
    using carol = await new YjsClient('carol').join(second.app, alice.vault, note.id);
    await bob.type(' bob');
    await carol.type('carol ', 0);
    await second.app.notes.live.catchUp();
    assert.equal(carol.text, 'carol text bob');
    await server.app.notes.live.catchUp();
    assert.equal(bob.text, 'carol text bob');
    // A read through either shows all of it, and flushes it for both.
    const { content } = (await alice.read('a.md')).body;
    assert.equal(content, 'carol text bob');
    await carol.type('!');
    await alice.write('a.md', 'written over');
    await second.app.notes.live.catchUp();
    assert.equal(carol.text, 'written over');
    assert.equal((await storedMetaOf(server, alice.vault, note.id)).head, headOf(carol.doc));
  });

  test('an edit acknowledged while its note was being deleted becomes the text of the tombstone', async () => {
    const { alice, server } = await start();
    const { db, clock, masterKey } = server;
    await using second = await startServer({ open: async () => db, clock, masterKey });
    const note = await alice.write('a.md', 'text');
    // The other process has not heard of the deletion yet.
    using bob = await new YjsClient('bob').join(second.app, alice.vault, note.id);
    await alice.remove('a.md');
    assert.equal(await bob.type(' typed'), 'stored');
    await alice.caller.get('/notes/a.md');
    await second.app.notes.live.catchUp();
    assert.equal(bob.closed, 'note_deleted');
    const { hash, deletedBy } = await storedMetaOf(server, alice.vault, note.id);
    assert.deepEqual([hash, deletedBy], [sha('text typed'), null]);
    await assertConsistent(server);
    assert.equal((await alice.read('a.md')).status, 404);
    const revived = await alice.write('a.md', 'text typed', { id: note.id });
    assert.equal(revived.id, note.id);
    await until(() => alice.read('a.md').then(({ body }) => body.content === 'text typed'));
  });

  test('[6.4] an edit that arrives during a flush is flushed a second later', async (t) => {
    const { server, alice, note, bob } = await editNote(t, await start());
    const transact = server.db.transact.bind(server.db);
    const [begun, typed]: [number[], Promise<string>[]] = [[], []];
    server.db.transact = async (body, priority) => {
      if (priority === 'interactive') return transact(body, priority);
      begun.push(server.clock.elapsed());
      typed.push(bob.type('!'));
      await typed.at(-1);
      if (begun.length === 2) server.db.transact = transact;
      return transact(body, priority);
    };
    await bob.type('!');
    server.clock.advance({ seconds: 1 });
    await until(() => begun.length === 1 && server.app.notes.live.stats().unflushed === 1);
    await until(async () => (await storedMetaOf(server, alice.vault, note.id)).hash === sha('text!'));
    const [first = 0] = begun;
    server.clock.advance({ ms: first + 999 - server.clock.elapsed() });
    await turns();
    assert.equal(begun.length, 1);
    server.clock.advance({ ms: 1 });
    await until(() => begun.length === 2);
    assert.deepEqual(await Promise.all(typed), ['stored', 'stored']);
    assert.equal((await alice.read('a.md')).body.content, 'text!!!');
  });
});

onSqlite('the size of live documents', (open) => {
  const start = notesOnOneServer(open);

  test('typing cannot make a note larger than a note may be', async () => {
    const { server, alice } = await start();
    const note = await alice.write('big.md', 'x'.repeat(10 * MB - 2));
    using bob = await new YjsClient('bob').join(server.app, alice.vault, note.id);
    assert.equal(await bob.send(bob.draft('yz')), 'stored');
    assert.equal(await bob.type('!', 0, 1), 'stored', 'what takes away as much as it brings is taken');
    const over = bob.draft('!');
    assert.equal(await bob.send(over), 'too_large');
    using dora = await new YjsClient('dora').join(server.app, alice.vault, note.id);
    const together = [dora.draft('', 0, 1), dora.draft('1'), dora.draft('2')];
    assert.deepEqual(await dora.sendAll(together), ['stored', 'stored', 'too_large'], 'each counts those before it');
  });
});
