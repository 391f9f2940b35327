/** Live documents over sockets, tested with the Hocuspocus provider as clients use it. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import * as Y from 'yjs';
import {
  COSTLY_TEXT,
  costlyUpdate,
  piecesUpdate,
  TRIAL_MS,
  TRIAL_PATIENCE_MS,
} from '../../../../../test/kit/clients/crafted-updates.ts';
import { FlakySocket } from '../../../../../test/kit/clients/provider-clients.ts';
import { onEachEngine, onSqlite } from '../../../../../test/kit/engines.ts';
import { keyOf, notesOnOneServer, tokenOf } from '../../../../../test/kit/notes.ts';
import { until, untilInTime } from '../../../../../test/kit/until.ts';

/** The size limit of a note: a few more letters make the text too large. */
const NOTE_BYTES = 10 * MB;

onEachEngine('documents over sockets', (open) => {
  describe('on one server', () => {
    const start = notesOnOneServer(open);

    test('[7.4] two editors see each other’s letters, and REST returns both', async () => {
      const at = await start();
      const note = await at.alice.write('a.md', 'middle');
      const token = await tokenOf(at);
      using one = new FlakySocket(at.server.url);
      using two = new FlakySocket(at.server.url);
      using left = await one.open(note.id, token).synced();
      using right = await two.open(note.id, token).synced();
      assert.equal(left.text, 'middle');
      left.type('left ', 0);
      right.type(' right');
      for (const side of [left, right]) await side.shows('left middle right');
      for (const side of [left, right]) await side.synced();
      assert.deepEqual(left.received, { scopes: ['read-write'], denied: [], closed: [], stateless: [] });
      assert.equal((await at.alice.read('a.md')).body.content, 'left middle right');
      // And in the other direction.
      await at.alice.write('a.md', 'left MIDDLE right');
      for (const side of [left, right]) await side.shows('left MIDDLE right');
    });

    test('[9.1] one socket carries many documents, some of them twice, each independent of the others', async () => {
      const at = await start();
      const token = await tokenOf(at);
      using line = new FlakySocket(at.server.url);
      const notes = await Promise.all([1, 2, 3, 4, 5].map((n) => at.alice.write(`n${n}.md`, `note ${n}`)));
      await using opened = new AsyncDisposableStack();
      const editors = notes.map((note) => opened.use(line.open(note.id, token, { sessionAwareness: true })));
      const again = notes.map((note) => opened.use(line.open(note.id, token, { sessionAwareness: true })));
      for (const editor of [...editors, ...again]) await editor.synced();
      for (const [n, editor] of editors.entries()) editor.type(`!${n}`);
      for (const [n, editor] of again.entries()) await editor.shows(`note ${n + 1}!${n}`);
      for (const editor of editors) await editor.synced();
      // Closing one subscription keeps the other one open.
      editors[0]?.provider.detach();
      again[0]?.type('?');
      await again[0]?.synced();
      assert.equal((await at.alice.read('n1.md')).body.content, 'note 1!0?');
      assert.equal(editors[0]?.text, 'note 1!0');
      assert.deepEqual(line.closes, []);
    });

    test('a provider recreated under the same name at once continues', async () => {
      const at = await start();
      const note = await at.alice.write('a.md', 'text');
      const token = await tokenOf(at);
      using line = new FlakySocket(at.server.url);
      const first = await line.open(note.id, token).synced();
      first.type(' last words');
      first[Symbol.dispose]();
      using second = await line.open(note.id, token).synced();
      await second.shows('text last words');
      second.type('!');
      await second.synced();
      assert.deepEqual(second.received.closed, []);
      assert.equal((await at.alice.read('a.md')).body.content, 'text last words!');
    });

    test('[7.12] a read-only credential receives updates; its own edits stay local and are not acknowledged as saved', async () => {
      const at = await start();
      const note = await at.alice.write('a.md', 'text');
      const reader = await keyOf(at, 'read');
      using line = new FlakySocket(at.server.url);
      using watching = await line.open(note.id, reader.token).synced();
      assert.deepEqual(watching.received.scopes, ['readonly']);
      using other = new FlakySocket(at.server.url);
      using writing = await other.open(note.id, await tokenOf(at)).synced();
      writing.type(' seen');
      await watching.shows('text seen');
      watching.type('MINE', 0);
      await writing.synced();
      writing.type('!');
      await watching.shows('MINEtext seen!');
      assert.equal(watching.provider.hasUnsyncedChanges, true);
      assert.equal(writing.text, 'text seen!');
      assert.equal((await at.alice.read('a.md')).body.content, 'text seen!');
      // After a reconnection it sends all it has, which is more than the server has.
      await line.cut();
      await line.mend();
      await until(() => watching.received.scopes.length === 2);
      writing.type('?');
      await watching.shows('MINEtext seen!?');
      assert.equal(watching.provider.hasUnsyncedChanges, true);
    });

    test('[9.3] a document without permission is denied, while other documents on the socket stay open', async () => {
      const at = await start();
      const bob = await at.bob();
      const [mine, his] = [await at.alice.write('a.md', 'mine'), await bob.write('b.md', 'his')];
      const token = await tokenOf(at);
      using line = new FlakySocket(at.server.url);
      using good = line.open(mine.id, token);
      using foreign = line.open(his.id, token);
      using unknown = line.open(randomUUID(), token);
      using unnamed = line.open('no id', token);
      using vault = line.open(`vault:${bob.vault}`, token);
      using bad = line.open(`${mine.id}\0other`, 'nv_ses_no_such_token');
      const denied = [foreign, unknown, unnamed, vault, bad];
      await untilInTime(at.server.clock, () => denied.every((editor) => editor.received.denied.length > 0));
      for (const editor of denied) {
        assert.deepEqual(editor.received, { scopes: [], denied: ['permission-denied'], closed: [], stateless: [] });
        assert.equal(editor.text, '');
      }
      await good.synced();
      assert.equal(good.text, 'mine');
      assert.deepEqual(line.closes, []);
    });

    test('offline edits of both sides are merged after a reconnection', async () => {
      const at = await start();
      const note = await at.alice.write('a.md', 'middle');
      const token = await tokenOf(at);
      using line = new FlakySocket(at.server.url);
      using away = await line.open(note.id, token).synced();
      await line.cut();
      away.type('away ', 0);
      await at.alice.write('a.md', 'middle here');
      for (const letter of '!!!') away.type(letter);
      await line.mend();
      await away.synced();
      const { content } = (await at.alice.read('a.md')).body;
      assert.equal(away.text, content);
      assert.match(content, /^away middle/);
      for (const part of [' here', '!!!']) assert.ok(content.includes(part), content);
    });

    test('[8.4] a client that pushes its own initial text is refused, and the text is preserved, not duplicated', async () => {
      const at = await start();
      const note = await at.alice.write('a.md', 'the text');
      const token = await tokenOf(at);
      for (const before of ['the text', 'another text', '']) {
        const doc = new Y.Doc();
        doc.getText('content').insert(0, before === '' ? 'x' : before);
        if (before === '') doc.getText('content').delete(0, 1);
        using line = new FlakySocket(at.server.url);
        using own = line.open(note.id, token, { doc });
        await until(() => own.received.closed.length > 0, 'a close');
        assert.deepEqual(own.received.closed, ['foreign_lineage']);
        assert.equal(own.text, before, 'what is not merged there is not merged here');
        assert.deepEqual(line.closes, []);
      }
      assert.equal((await at.alice.read('a.md')).body.content, 'the text');
      const { versions } = (await at.alice.caller.get(`/notes/by-id/${note.id}/versions`)).body;
      const texts = await Promise.all(
        versions.map(async ({ version }: { version: number }) => {
          return (await at.alice.caller.get(`/notes/by-id/${note.id}/versions/${version}`)).body.content;
        }),
      );
      assert.ok(texts.includes('another text'), 'the text is in the history');
    });

    test('[8.4] a client that types before it has synced is refused; seeding twice duplicates nothing', async () => {
      const at = await start();
      const note = await at.alice.write('empty.md', '');
      const token = await tokenOf(at);
      using line = new FlakySocket(at.server.url);
      using hasty = line.open(note.id, token);
      hasty.type('# Template\n');
      using second = line.open(`${note.id}\0b`, token);
      second.type('# Template\n');
      await until(() => hasty.received.closed.length > 0 && second.received.closed.length > 0);
      assert.equal((await at.alice.read('empty.md')).body.content, '');
      using patient = await line.open(`${note.id}\0c`, token).synced();
      patient.type('# Template\n');
      await patient.synced();
      assert.equal((await at.alice.read('empty.md')).body.content, '# Template\n');
    });

    test('[8.4] a document of another note, or of a note recreated at its path, is not merged', async () => {
      const at = await start();
      const token = await tokenOf(at);
      const [a, b] = [await at.alice.write('a.md', 'text a'), await at.alice.write('b.md', 'text b')];
      using line = new FlakySocket(at.server.url);
      const old = new Y.Doc();
      using _first = line.open(a.id, token, { doc: old });
      await until(() => old.getText('content').toString() === 'text a');
      await at.alice.remove('a.md');
      const anew = await at.alice.write('a.md', 'text a');
      assert.notEqual(anew.id, a.id);
      for (const id of [b.id, anew.id]) {
        using mixed = line.open(id, token, { doc: old });
        await until(() => mixed.received.closed.length > 0);
        assert.deepEqual(mixed.received.closed, ['foreign_lineage']);
        mixed.provider.detach();
      }
      assert.equal(old.getText('content').toString(), 'text a');
      assert.equal((await at.alice.read('a.md')).body.content, 'text a');
    });

    test('[7.10] deleting a note closes its documents and no others', async () => {
      const at = await start();
      const [gone, stays] = [await at.alice.write('a.md', 'a'), await at.alice.write('b.md', 'b')];
      const token = await tokenOf(at);
      using line = new FlakySocket(at.server.url);
      using a = await line.open(gone.id, token).synced();
      using b = await line.open(stays.id, token).synced();
      await at.alice.remove('a.md');
      await until(() => a.received.closed.length > 0);
      assert.deepEqual(a.received.closed, ['note_deleted']);
      b.type('!');
      await b.synced();
      using late = line.open(`${gone.id}\0late`, token);
      await untilInTime(at.server.clock, () => late.received.denied.length > 0);
      assert.deepEqual(late.received.denied, ['permission-denied']);
    });

    test('[7.11] a rename leaves the document open', async () => {
      const at = await start();
      const note = await at.alice.write('a.md', 'a');
      using line = new FlakySocket(at.server.url);
      using a = await line.open(note.id, await tokenOf(at)).synced();
      await at.alice.caller.post('/notes/rename', { old_path: 'a.md', new_path: 'b.md' });
      a.type('!');
      await a.synced();
      assert.equal((await at.alice.read('b.md')).body.content, 'a!');
    });

    test('[9.7] a revoked key closes its own documents within a second, and no others on the socket', async () => {
      const at = await start();
      const [a, b] = [await at.alice.write('a.md', 'a'), await at.alice.write('b.md', 'b')];
      const [key, other] = [await keyOf(at, 'write'), await keyOf(at, 'write')];
      using line = new FlakySocket(at.server.url);
      using opened = new DisposableStack();
      const revoked = [a, b].map(({ id }) => opened.use(line.open(id, key.token)));
      using good = line.open(`${a.id}\0good`, other.token);
      for (const editor of [...revoked, good]) await editor.synced();
      assert.equal((await at.server.alice.delete(`/connections/pat/${key.id}`)).status, 204);
      // Without the hint it would take thirty seconds; `until` waits for less.
      await until(() => revoked.every((editor) => editor.received.closed.length > 0));
      for (const editor of revoked) {
        assert.deepEqual([editor.received.denied, editor.received.closed], [['revoked'], ['revoked']]);
        editor.type('after');
      }
      good.type('!');
      await good.synced();
      assert.equal((await at.alice.read('a.md')).body.content, 'a!');
      assert.equal((await at.alice.read('b.md')).body.content, 'b');
      assert.deepEqual(line.closes, []);
    });

    test('[9.10] a vault’s own document reports changes and accepts no edits', async () => {
      const at = await start();
      using line = new FlakySocket(at.server.url);
      using signal = await line.open(`vault:${at.alice.vault}`, await tokenOf(at)).synced();
      assert.deepEqual(signal.received.scopes, ['readonly']);
      const [first] = signal.received.stateless;
      assert.deepEqual(JSON.parse(first ?? ''), { type: 'current', change_seq: 0 });
      const note = await at.alice.write('a.md', 'a');
      const told = () => Math.max(0, ...signal.received.stateless.map((payload) => JSON.parse(payload).change_seq));
      await until(() => told() === note.seq);
      assert.deepEqual(JSON.parse(signal.received.stateless[1] ?? ''), { type: 'changed', change_seq: note.seq });
      for (const path of ['b.md', 'c.md', 'd.md']) await at.alice.write(path, 'x');
      await until(() => told() === note.seq + 3);
      signal.doc.getText('content').insert(0, 'mine');
      using typist = await line.open(note.id, await tokenOf(at)).synced();
      typist.type('!');
      // Nobody reads: the edit is flushed by itself and gets a seq.
      await until(() => at.server.app.notes.live.stats().unflushed === 1);
      at.server.clock.advance({ seconds: 1 });
      await until(() => told() === note.seq + 4);
      assert.equal(signal.provider.hasUnsyncedChanges, true);
      using bobs = line.open(`vault:${(await at.bob()).vault}`, await tokenOf(at));
      await untilInTime(at.server.clock, () => bobs.received.denied.length > 0);
    });

    test('[7.13] awareness reaches every client, and a client leaves with its socket or document', async () => {
      const at = await start();
      const note = await at.alice.write('a.md', 'a');
      const token = await tokenOf(at);
      using first = new FlakySocket(at.server.url);
      using second = new FlakySocket(at.server.url);
      using a = await first.open(note.id, token).synced();
      a.provider.setAwarenessField('user', 'alice');
      using b = await second.open(note.id, token).synced();
      b.provider.setAwarenessField('user', 'bob');
      const users = (editor: typeof a) =>
        [...(editor.provider.awareness?.getStates().values() ?? [])].map(({ user }) => user).sort();
      for (const editor of [a, b]) await until(() => users(editor).length === 2, 'both');
      assert.deepEqual(users(a), ['alice', 'bob']);
      assert.deepEqual(users(b), ['alice', 'bob']);
      b.provider.detach();
      await until(() => users(a).length === 1);
      using c = await second.open(`${note.id}\0c`, token).synced();
      c.provider.setAwarenessField('user', 'carol');
      await until(() => users(a).length === 2);
      await second.cut();
      await until(() => users(a).length === 1);
    });
  });
});

/**
 * Refusals are decided before anything is stored; the versions kept of refused text are tested on both engines with the
 * documents.
 */
onSqlite('edits that are refused over sockets', (open) => {
  const start = notesOnOneServer(open, { trialMs: TRIAL_MS });

  test('[7.8] an edit that would make a note too large closes its document and leaves the note unchanged', async () => {
    const at = await start();
    const note = await at.alice.write('a.md', 'x'.repeat(NOTE_BYTES - 10));
    using line = new FlakySocket(at.server.url);
    using a = await line.open(note.id, await tokenOf(at)).synced();
    a.type('y'.repeat(20));
    await until(() => a.received.closed.length > 0);
    assert.deepEqual(a.received.closed, ['note_too_large']);
    assert.equal(a.provider.hasUnsyncedChanges, true);
    const { changes } = (await at.alice.caller.get('/sync/changes')).body;
    assert.deepEqual([changes[0].content_hash, changes[0].version], [note.content_hash, 1]);
  });

  test('[7.14] an edit that is not plain text closes its document; others go on, and so does a new document', async () => {
    const at = await start();
    const token = await tokenOf(at);
    const [note, other] = [await at.alice.write('a.md', 'text'), await at.alice.write('b.md', 'other')];
    const long = await at.alice.write('long.md', 'x'.repeat(10));
    const edits: ((doc: Y.Doc) => void)[] = [
      (doc) => doc.getMap('settings').set('font', 'large'),
      (doc) => doc.getText('content').format(0, 2, { bold: true }),
      (doc) => doc.getText('content').insertEmbed(1, { image: 'x' }),
      // Over 64 KB an edit is tried on a worker thread first.
      (doc) => doc.getMap('settings').set('font', 'large'.repeat(20_000)),
    ];
    for (const [index, edit] of edits.entries()) {
      const { id, path } = index === 3 ? long : note;
      using line = new FlakySocket(at.server.url);
      using beside = await line.open(other.id, token).synced();
      using editor = await line.open(id, token).synced();
      const before = editor.text;
      edit(editor.doc);
      editor.type(` and ${index}`);
      await until(() => editor.received.closed.length > 0, 'a close');
      assert.deepEqual(editor.received.closed, ['unsupported_update']);
      assert.equal(editor.provider.hasUnsyncedChanges, true);
      assert.equal((await at.alice.read(path)).body.content, before);
      beside.type('!');
      await beside.synced();
      const plain = editor.text;
      editor[Symbol.dispose]();
      using fresh = await line.open(id, token).synced();
      fresh.type(plain, 0, fresh.text.length);
      await fresh.synced();
      assert.equal((await at.alice.read(path)).body.content, plain);
      assert.deepEqual([fresh.received.closed, beside.received.closed, line.closes], [[], [], []]);
    }
  });

  test('[7.15] an edit that is too costly closes its document; its text is kept, and others go on', async () => {
    const at = await start();
    const token = await tokenOf(at);
    const [note, other] = [await at.alice.write('a.md', 'x'), await at.alice.write('b.md', 'other')];
    using line = new FlakySocket(at.server.url);
    using beside = await line.open(other.id, token).synced();
    using editor = await line.open(note.id, token).synced();
    const genesis = [...editor.doc.store.clients.keys()][0] as number;
    Y.applyUpdate(editor.doc, piecesUpdate(genesis));
    await editor.synced();
    const before = editor.text;
    assert.equal((await at.alice.read('a.md')).body.content, before);
    Y.applyUpdate(editor.doc, costlyUpdate(genesis, 0xffff_fff0));
    editor.type(' and more');
    await until(() => editor.received.closed.length > 0, 'a close', TRIAL_PATIENCE_MS);
    assert.deepEqual(editor.received.closed, ['unsupported_update']);
    assert.equal(editor.provider.hasUnsyncedChanges, true);
    const { body } = await at.alice.read('a.md');
    assert.equal(body.content, before);
    const kept = await at.alice.caller.get(`/notes/by-id/${note.id}/versions/${body.version - 1}`);
    assert.equal(kept.body.content, COSTLY_TEXT);
    beside.type('!');
    await beside.synced();
    using fresh = await line.open(note.id, token).synced();
    fresh.type(' and more');
    await fresh.synced();
    assert.equal((await at.alice.read('a.md')).body.content, `${before} and more`);
    assert.deepEqual([fresh.received.closed, beside.received.closed, line.closes], [[], [], []]);
  });
});
