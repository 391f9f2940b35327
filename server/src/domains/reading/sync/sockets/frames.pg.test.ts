/**
 * Tests the Hocuspocus endpoint with raw frames: messages that providers never send, and answers that they do not
 * expose.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import * as decoding from 'lib0/decoding';
import * as Y from 'yjs';
import { kinds, message, RawSocket, text, textIn } from '../../../../../test/kit/clients/raw-socket.ts';
import { onEachEngine, onSqlite } from '../../../../../test/kit/engines.ts';
import { notesOnOneServer, tokenOf } from '../../../../../test/kit/notes.ts';
import { turns, until } from '../../../../../test/kit/until.ts';

const SYNC = { step1: 0, step2: 1, update: 2 };

/** A client's document over a socket without a provider. */
class Client {
  readonly doc = new Y.Doc();
  readonly name: string;
  readonly socket: RawSocket;

  constructor(socket: RawSocket, name: string) {
    this.socket = socket;
    this.name = name;
  }

  /** Authenticates and receives the whole document. */
  async join(token: string): Promise<this> {
    this.socket.send(message.token(this.name, token));
    this.socket.send(message.step1(this.name));
    const answer = await this.socket.waitFor(kinds.sync);
    assert.equal(answer.body[0], SYNC.step2);
    Y.applyUpdate(this.doc, bodyOf(answer.body));
    return this;
  }

  /** Returns one update per edit. */
  draft(...inserts: string[]): Uint8Array[] {
    return inserts.map((insert) => {
      const before = Y.encodeStateVector(this.doc);
      const content = this.doc.getText('content');
      content.insert(content.length, insert);
      return Y.encodeStateAsUpdate(this.doc, before);
    });
  }

  statuses(): number[] {
    return this.socket.messages
      .filter(({ kind, name }) => kind === kinds.status && name === this.name)
      .map(({ body }) => body[0] ?? -1);
  }
}

/** Returns the bytes of a sync message after its step. */
function bodyOf(body: Uint8Array): Uint8Array {
  return decoding.readVarUint8Array(decoding.createDecoder(body.subarray(1)));
}

onEachEngine('the Hocuspocus endpoint, frame by frame', (open) => {
  describe('on one server', () => {
    const start = notesOnOneServer(open);

    test('[9.5] every update and step 2 is answered once: 1 when durable or nothing new, 0 when refused', async () => {
      const at = await start();
      const note = await at.alice.write('a.md', 'text');
      using socket = await RawSocket.open(at.server.url);
      const client = await new Client(socket, note.id).join(await tokenOf(at));
      const [one, two, three] = client.draft('1', '2', '3') as [Uint8Array, Uint8Array, Uint8Array];
      const steps: [Uint8Array, number][] = [
        [message.update(note.id, one), 1],
        [message.update(note.id, one), 1],
        [message.step2(note.id), 1],
        // It depends on an update that was not sent: refused, and the missing update is requested.
        [message.update(note.id, three), 0],
        [message.step2(note.id, Buffer.from(two)), 1],
        [message.update(note.id, three), 1],
        [message.update(note.id, Uint8Array.of(1, 2, 3)), 0],
        [message.update(note.id, Uint8Array.of(1, 255, 255, 255, 255, 15, 1, 0, 0)), 0],
      ];
      for (const [count, [frame]] of steps.entries()) {
        socket.send(frame);
        await socket.waitFor(kinds.status, count + 1);
      }
      assert.deepEqual(
        client.statuses(),
        steps.map(([, status]) => status),
      );
      assert.equal((await at.alice.read('a.md')).body.content, 'text123');
      const asks = () => socket.messages.filter(({ kind, body }) => kind === kinds.sync && body[0] === SYNC.step1);
      assert.equal(asks().length, 2, 'once after joining, once for what was missing');
      // Each edit of a burst that depends on a missing update causes a request: the client counts one answer per edit.
      const [, ...late] = client.draft('4', '5', '6', '7') as [Uint8Array, ...Uint8Array[]];
      for (const update of late) socket.send(message.update(note.id, update));
      await socket.waitFor(kinds.status, steps.length + late.length);
      await until(() => asks().length === 2 + late.length, 'asking for each');
      assert.deepEqual(client.statuses().slice(steps.length), [0, 0, 0]);
      socket.send(message.step2(note.id, Y.encodeStateAsUpdate(client.doc)));
      await socket.waitFor(kinds.status, steps.length + late.length + 1);
      // Every update of a burst is acknowledged.
      const burst = client.draft(...Array.from({ length: 300 }, (_, letter) => String(letter % 10)));
      for (const update of burst) socket.send(message.update(note.id, update));
      const before = steps.length + late.length + 1;
      await socket.waitFor(kinds.status, before + burst.length);
      assert.deepEqual(
        client.statuses().slice(before),
        Array.from({ length: 300 }, () => 1),
      );
      assert.equal((await at.alice.read('a.md')).body.content, client.doc.getText('content').toString());
    });

    test('[9.3] a bad token, an unknown, foreign, deleted and unnamed note are denied by the same bytes, none sooner', async () => {
      const at = await start();
      const bob = await at.bob();
      const token = await tokenOf(at);
      const [mine, his, gone] = [
        await at.alice.write('a.md', 'mine'),
        await bob.write('b.md', 'his'),
        await at.alice.write('gone.md', 'gone'),
      ];
      await at.alice.remove('gone.md');
      const cases: [string, string][] = [
        [mine.id, 'nv_ses_bad'],
        [mine.id, ''],
        [mine.id, 'x'.repeat(10_000)],
        [his.id, token],
        [gone.id, token],
        [randomUUID(), token],
        [`vault:${bob.vault}`, token],
        [`vault:${randomUUID()}`, token],
        ['no id at all', token],
      ];
      const { clock } = at.server;
      const before = clock.scheduled;
      await using sockets = new AsyncDisposableStack();
      const asked = await Promise.all(
        cases.map(async ([name, shown]) => {
          const socket = sockets.use(await RawSocket.open(at.server.url));
          socket.send(message.token(name, shown));
          return { name, socket };
        }),
      );
      await until(() => clock.scheduled === before + cases.length);
      clock.advance({ ms: 99 });
      await turns();
      for (const { name, socket } of asked) assert.deepEqual(socket.messages, [], name);
      clock.advance({ ms: 1 });
      const answers = await Promise.all(
        asked.map(async ({ name, socket }) => {
          const { name: echoed, body } = await socket.waitFor(kinds.auth);
          assert.equal(echoed, name);
          return Buffer.from(body).toString('hex');
        }),
      );
      assert.equal(new Set(answers).size, 1);
      assert.equal(textIn(Buffer.from(answers[0] ?? '', 'hex'), 1), 'permission-denied');
    });

    test('[9.4] messages before a token are ignored; messages after it wait for the decision', async () => {
      const at = await start();
      const note = await at.alice.write('a.md', 'text');
      using socket = await RawSocket.open(at.server.url);
      const { id } = note;
      socket.send(message.step1(id));
      socket.send(message.update(id, Uint8Array.of(0, 0)));
      socket.send(message.query(id));
      socket.send(message.token(id, 'bad'));
      socket.send(message.step1(id));
      await socket.waitFor(kinds.auth, 1, at.server.clock);
      socket.send(message.step1(id));
      socket.send(message.token(id, await tokenOf(at)));
      for (const frame of [message.step1(id), message.step2(id), message.query(id)]) socket.send(frame);
      await socket.waitFor(kinds.awareness);
      await socket.waitFor(kinds.status);
      const order = socket.messages.map(({ kind, body }) => (kind === kinds.sync ? `sync ${body[0]}` : kind));
      assert.deepEqual(order.slice(0, 4), [kinds.auth, kinds.auth, 'sync 1', 'sync 0']);
      assert.deepEqual(order.slice(4).sort(), [kinds.awareness, kinds.status]);
    });

    test('another token moves a document to its credential; a bad token closes it until a good one arrives', async () => {
      const at = await start();
      const note = await at.alice.write('a.md', 'text');
      const made = await at.server.alice.post('/connections/pat', { name: 'Reader', default_access: 'read' });
      using socket = await RawSocket.open(at.server.url);
      const client = await new Client(socket, note.id).join(await tokenOf(at));
      const scopes = () => socket.messages.filter(({ kind }) => kind === kinds.auth).map(({ body }) => textIn(body, 1));
      const send = async (token: string, count: number) => {
        socket.send(message.token(note.id, token));
        await socket.waitFor(kinds.auth, count, at.server.clock);
      };
      await send(made.body.key, 2);
      const [one] = client.draft('!') as [Uint8Array];
      socket.send(message.update(note.id, one));
      await socket.waitFor(kinds.status);
      await send('bad', 3);
      socket.send(message.update(note.id, one));
      await send(await tokenOf(at), 4);
      socket.send(message.update(note.id, one));
      await socket.waitFor(kinds.status, 2);
      assert.deepEqual(scopes(), ['read-write', 'readonly', 'permission-denied', 'read-write']);
      assert.deepEqual(client.statuses(), [0, 1]);
      assert.equal((await at.alice.read('a.md')).body.content, 'text!');
    });

    test('hostile frames close their own socket or are refused, and affect no other socket', async () => {
      const at = await start();
      const note = await at.alice.write('a.md', 'text');
      const token = await tokenOf(at);
      using good = await RawSocket.open(at.server.url);
      const client = await new Client(good, note.id).join(token);
      const claims = [
        Uint8Array.of(),
        Uint8Array.of(255, 255, 255, 255, 255, 255, 255, 255),
        Uint8Array.of(5, 65),
        Buffer.concat([text('x'.repeat(300)), Uint8Array.of(0)]),
        Buffer.concat([Uint8Array.of(2, 0xff, 0xfe, 0)]),
        Buffer.concat([text(note.id), Uint8Array.of(0, 9, 0)]),
        Buffer.concat([text(note.id), Uint8Array.of(0, 2, 255, 255, 255, 255, 15)]),
        Buffer.concat([text(note.id), Uint8Array.of(2, 0)]),
      ];
      for (const frame of claims) {
        using socket = await RawSocket.open(at.server.url);
        socket.ws.send(frame);
        assert.equal((await socket.ended()).code, 1007, Buffer.from(frame).toString('hex'));
      }
      // A state vector that claims billions of clients, an invalid awareness update, and unknown message types.
      using vectors = await RawSocket.open(at.server.url);
      await new Client(vectors, note.id).join(token);
      vectors.send(message.step1(note.id, Uint8Array.of(255, 255, 255, 255, 15, 1, 1)));
      assert.equal((await vectors.ended()).code, 1007);
      using odd = await RawSocket.open(at.server.url);
      await new Client(odd, note.id).join(token);
      odd.send(message.awareness(note.id, Uint8Array.of(255, 255, 255, 255, 15)));
      odd.send(message.awareness(note.id, Buffer.concat([Uint8Array.of(1, 1, 1), text('no json')])));
      for (const kind of [4, 6, 11, 99]) odd.send(text(note.id), kind);
      odd.send(message.step2(note.id));
      await odd.waitFor(kinds.status);
      const [update] = client.draft('!') as [Uint8Array];
      good.send(message.update(note.id, update));
      await good.waitFor(kinds.status);
      assert.equal((await at.alice.read('a.md')).body.content, 'text!');
      assert.ok(!good.messages.some(({ kind }) => kind === kinds.awareness));
    });

    test('the server answers a ping, and pings a silent socket', async () => {
      const at = await start();
      using socket = await RawSocket.open(at.server.url);
      socket.send(9);
      await until(() => socket.frames.length === 1);
      assert.deepEqual([...(socket.frames[0] ?? [])], [10]);
      const note = await at.alice.write('a.md', 'text');
      await new Client(socket, note.id).join(await tokenOf(at));
      const before = socket.frames.length;
      for (let tick = 0; tick < 20; tick++) at.server.app.sockets.tick();
      await until(() => socket.frames.length > before);
      assert.deepEqual([...(socket.frames.at(-1) ?? [])], [9]);
      socket.send(10);
      for (let tick = 0; tick < 19; tick++) at.server.app.sockets.tick();
      assert.equal(socket.closed, null);
    });

    test('[7.7] a client that has sent its whole state but still lacks updates is not asked again forever', async () => {
      const at = await start();
      const note = await at.alice.write('a.md', 'text');
      using socket = await RawSocket.open(at.server.url);
      const client = await new Client(socket, note.id).join(await tokenOf(at));
      const [, later] = client.draft('1', '2') as [Uint8Array, Uint8Array];
      const asked = () =>
        socket.messages.filter(({ kind, body }) => kind === kinds.sync && body[0] === SYNC.step1).length;
      await until(() => asked() === 1);
      socket.send(message.step2(note.id, later));
      socket.send(message.step2(note.id, later));
      await socket.waitFor(kinds.status, 2);
      assert.deepEqual(client.statuses(), [0, 0]);
      assert.equal(asked(), 1);
    });

    test('updates that a client sent before it left are still stored', async () => {
      const at = await start();
      const note = await at.alice.write('a.md', 'text');
      using socket = await RawSocket.open(at.server.url);
      const client = await new Client(socket, note.id).join(await tokenOf(at));
      for (const update of client.draft(...'abcdef')) socket.send(message.update(note.id, update));
      socket.send(message.close(note.id));
      socket.send(message.token(note.id, await tokenOf(at)));
      await socket.waitFor(kinds.auth, 2);
      socket.send(message.step1(note.id));
      const all = () => socket.messages.filter(({ kind, body }) => kind === kinds.sync && body[0] === SYNC.step2);
      await until(() => all().length === 2);
      const doc = new Y.Doc();
      Y.applyUpdate(doc, bodyOf(all()[1]?.body ?? new Uint8Array()));
      assert.equal(doc.getText('content').toString(), 'textabcdef');
      assert.deepEqual(
        socket.messages.filter(({ kind }) => kind === kinds.close),
        [],
      );
    });
  });
});

onSqlite('the Hocuspocus endpoint before it reads an update', (open) => {
  const start = notesOnOneServer(open);

  test('[9.12] an update too large for any note closes its document with a reason, not the socket', async () => {
    const at = await start();
    const note = await at.alice.write('a.md', 'text');
    using socket = await RawSocket.open(at.server.url);
    const client = await new Client(socket, note.id).join(await tokenOf(at));
    socket.send(message.update(note.id, new Uint8Array(17 * MB)));
    const { body } = await socket.waitFor(kinds.close);
    assert.equal(textIn(body), 'note_too_large');
    assert.deepEqual(client.statuses(), [0]);
    assert.equal(socket.closed, null);
  });
});
