/** One note over one socket, tested with y-websocket's provider as clients use it. */

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
import { FlakySocket, YWebsocketClient } from '../../../../../test/kit/clients/provider-clients.ts';
import { bytes, RawSocket } from '../../../../../test/kit/clients/raw-socket.ts';
import { onEachEngine, onSqlite } from '../../../../../test/kit/engines.ts';
import { keyOf, notesOnOneServer, startNotes, tokenOf } from '../../../../../test/kit/notes.ts';
import { until, untilInTime } from '../../../../../test/kit/until.ts';

/** The type of a message with awareness. */
const AWARENESS = 1;

onEachEngine('the y-websocket endpoint', (open) => {
  describe('on one server', () => {
    const start = notesOnOneServer(open);

    test('[7.4] two editors see each other’s letters, whichever endpoint they use', async () => {
      const at = await start();
      const note = await at.alice.write('a.md', 'middle');
      const token = await tokenOf(at);
      using left = await new YWebsocketClient(at.server.url, note.id, token).synced();
      using right = await new YWebsocketClient(at.server.url, note.id, (await keyOf(at, 'write')).token).synced();
      using line = new FlakySocket(at.server.url);
      using other = await line.open(note.id, token).synced();
      assert.equal(left.text, 'middle');
      left.type('left ', 0);
      right.type(' right');
      for (const side of [left, right, other]) await side.shows('left middle right');
      other.type('!');
      for (const side of [left, right]) await side.shows('left middle right!');
      await other.synced();
      assert.equal((await at.alice.read('a.md')).body.content, 'left middle right!');
    });

    test('[10.4] awareness reaches its sender and the others, and is removed with its socket', async () => {
      const at = await start();
      const note = await at.alice.write('a.md', 'a');
      const token = await tokenOf(at);
      using one = await new YWebsocketClient(at.server.url, note.id, token).synced();
      using line = new FlakySocket(at.server.url);
      using other = await line.open(note.id, token).synced();
      let echoes = 0;
      one.provider.ws?.addEventListener('message', ({ data }) => {
        if (new Uint8Array(data)[0] === AWARENESS) echoes += 1;
      });
      one.provider.awareness.setLocalStateField('user', 'one');
      await until(() => echoes > 0, 'the echo');
      other.provider.setAwarenessField('user', 'other');
      const users = (awareness: typeof one.provider.awareness | null) =>
        [...(awareness?.getStates().values() ?? [])].map(({ user }) => user).sort();
      await until(() => users(one.provider.awareness).length === 2);
      await until(() => users(other.provider.awareness).length === 2);
      assert.deepEqual(users(other.provider.awareness), ['one', 'other']);
      using late = await new YWebsocketClient(at.server.url, note.id, token).synced();
      await until(() => users(late.provider.awareness).length === 3);
      one.provider.disconnect();
      // Clients that relay awareness do not restore a client that has left.
      await until(() => users(other.provider.awareness).length === 2);
      await until(() => users(late.provider.awareness).length === 2);
    });

    test('[10.3] an error that a reconnection cannot fix stops the provider with a specific close code', async () => {
      const at = await start();
      const bob = await at.bob();
      const [mine, his] = [await at.alice.write('a.md', 'mine'), await bob.write('b.md', 'his')];
      const token = await tokenOf(at);
      const endedWith = async (note: string, shown: string, doc?: Y.Doc) => {
        using editor = new YWebsocketClient(at.server.url, note, shown, doc);
        await untilInTime(at.server.clock, () => editor.ended !== null, 'an end');
        return editor.ended;
      };
      assert.equal(await endedWith(mine.id, 'bad'), 4401);
      assert.equal(await endedWith(mine.id, ''), 4401);
      assert.equal(await endedWith(his.id, token), 4404);
      assert.equal(await endedWith(randomUUID(), token), 4404);
      assert.equal(await endedWith('none', token), 4404);
      const own = new Y.Doc();
      own.getText('content').insert(0, 'my own beginning');
      assert.equal(await endedWith(mine.id, token, own), 4409);
      assert.equal(own.getText('content').toString(), 'my own beginning');
      using watching = await new YWebsocketClient(at.server.url, mine.id, token).synced();
      await at.alice.remove('a.md');
      await until(() => watching.ended === 4404);
      assert.equal(await endedWith(mine.id, token), 4404);
    });

    test('[7.12] a read-only client receives updates, and is closed with 4403 when it types', async () => {
      const at = await start();
      const note = await at.alice.write('a.md', 'text');
      using reader = await new YWebsocketClient(at.server.url, note.id, (await keyOf(at, 'read')).token).synced();
      await at.alice.write('a.md', 'text, longer');
      await reader.shows('text, longer');
      // A handshake without new updates is not an edit.
      reader.provider.disconnect();
      reader.provider.connect();
      await until(() => reader.provider.synced);
      await at.alice.write('a.md', 'text, seen');
      await reader.shows('text, seen');
      reader.type('!');
      await until(() => reader.ended === 4403);
      assert.equal((await at.alice.read('a.md')).body.content, 'text, seen');
    });

    test('[9.7] a revoked key closes its socket with 4401; other sockets of the note stay open', async () => {
      const at = await start();
      const note = await at.alice.write('a.md', 'text');
      const key = await keyOf(at, 'write');
      using revoked = await new YWebsocketClient(at.server.url, note.id, key.token).synced();
      using good = await new YWebsocketClient(at.server.url, note.id, await tokenOf(at)).synced();
      await at.server.alice.delete(`/connections/pat/${key.id}`);
      await until(() => revoked.ended === 4401);
      good.type('!');
      await until(() => good.text === 'text!');
      assert.deepEqual(good.closes, []);
    });

    test('[10.1] the header takes precedence over the URL; an invalid message closes the socket', async () => {
      const at = await start();
      const note = await at.alice.write('a.md', 'text');
      const token = await tokenOf(at);
      const path = `/api/sync/notes/${note.id}`;
      const step1 = Buffer.concat([Uint8Array.of(0, 0), bytes(Uint8Array.of(0))]);
      using byHeader = await RawSocket.open(at.server.url, `${path}?token=bad`, { authorization: `Bearer ${token}` });
      byHeader.send(step1);
      await until(() => byHeader.frames.length === 2);
      assert.deepEqual([...(byHeader.frames[0] ?? [])].slice(0, 2), [0, 1]);
      using bad = await RawSocket.open(at.server.url, `${path}?token=${token}`, { authorization: 'Bearer bad' });
      assert.equal((await bad.ended(at.server.clock)).code, 4401);
      byHeader.send(0, 7, 1, 1);
      assert.equal((await byHeader.ended()).code, 4400);
      using odd = await RawSocket.open(at.server.url, `/api/sync/n%6ftes/${note.id}?token=${token}`);
      odd.send(step1);
      await until(() => odd.frames.length === 2);
      for (let tick = 0; tick < 20; tick++) at.server.app.sockets.tick();
      // A keep-alive that its clients understand: awareness without clients.
      await until(() => odd.frames.length === 3);
      assert.deepEqual([...(odd.frames[2] ?? [])], [1, 1, 0]);
    });
  });

  test('edits made while the server was unavailable are stored when it is back', async () => {
    await using at = await startNotes({ open });
    const note = await at.alice.write('a.md', 'text');
    using editor = await new YWebsocketClient(at.server.url, note.id, await tokenOf(at)).synced();
    editor.provider.disconnect();
    editor.type(' typed offline');
    editor.provider.connect();
    await until(() => editor.provider.synced);
    using reader = await new YWebsocketClient(at.server.url, note.id, await tokenOf(at)).synced();
    await reader.shows('text typed offline');
  });
});

/**
 * Refusals are decided before anything is stored; the versions kept of refused text are tested on both engines with the
 * documents.
 */
onSqlite('edits that the y-websocket endpoint refuses', (open) => {
  const start = notesOnOneServer(open, { trialMs: TRIAL_MS });

  test('[7.8] a note that would become too large closes with 4413', async () => {
    const at = await start();
    const note = await at.alice.write('a.md', 'x'.repeat(10 * MB - 1));
    using editor = await new YWebsocketClient(at.server.url, note.id, await tokenOf(at)).synced();
    editor.type('two');
    await until(() => editor.ended === 4413);
    const { changes } = (await at.alice.caller.get('/sync/changes')).body;
    assert.deepEqual([changes[0].content_hash, changes[0].version], [note.content_hash, 1]);
  });

  test('[7.14] an edit that is not plain text closes with 4422', async () => {
    const at = await start();
    const note = await at.alice.write('a.md', 'text');
    const token = await tokenOf(at);
    using editor = await new YWebsocketClient(at.server.url, note.id, token).synced();
    editor.doc.getMap('settings').set('font', 'large');
    editor.type(' and more');
    await until(() => editor.ended === 4422, 'the close');
    using fresh = await new YWebsocketClient(at.server.url, note.id, token).synced();
    assert.equal(fresh.text, 'text');
    fresh.type(' and more');
    await until(async () => (await at.alice.read('a.md')).body.content === editor.text);
  });

  test('[7.15] an edit that is too costly closes with 4422, and its text is kept', async () => {
    const at = await start();
    const note = await at.alice.write('a.md', 'x');
    const token = await tokenOf(at);
    using editor = await new YWebsocketClient(at.server.url, note.id, token).synced();
    const genesis = [...editor.doc.store.clients.keys()][0] as number;
    Y.applyUpdate(editor.doc, piecesUpdate(genesis));
    const before = editor.text;
    await until(async () => (await at.alice.read('a.md')).body.content === before);
    Y.applyUpdate(editor.doc, costlyUpdate(genesis, 0xffff_fff0));
    await until(() => editor.ended === 4422, 'the close', TRIAL_PATIENCE_MS);
    const { body } = await at.alice.read('a.md');
    assert.equal(body.content, before);
    const kept = await at.alice.caller.get(`/notes/by-id/${note.id}/versions/${body.version - 1}`);
    assert.equal(kept.body.content, COSTLY_TEXT);
    using fresh = await new YWebsocketClient(at.server.url, note.id, token).synced();
    assert.equal(fresh.text, before);
  });
});
