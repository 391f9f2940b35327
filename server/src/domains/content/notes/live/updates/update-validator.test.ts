import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import * as encoding from 'lib0/encoding';
import * as Y from 'yjs';
import { craftUpdate } from '../../../../../../test/kit/clients/crafted-updates.ts';
import { anyCharacter } from '../../../../../../test/kit/content/any-character.ts';
import { MalformedUpdate, readStateVector, scanUpdate, UnsupportedUpdate } from './update-validator.ts';

/** A document after some edits by several clients, and every update they made. */
function history(edits: readonly { client: number; at: number; remove: number; insert: string }[]) {
  const doc = new Y.Doc();
  const updates: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(update));
  const content = doc.getText('content');
  for (const { client, at, remove, insert } of edits) {
    doc.clientID = client;
    const from = Math.min(at, content.length);
    doc.transact(() => {
      content.delete(from, Math.min(remove, content.length - from));
      content.insert(from, insert);
    });
  }
  return { doc, updates };
}

const edits = fc.array(
  fc.record({
    client: fc.integer({ min: 1, max: 4 }),
    at: fc.nat(40),
    remove: fc.nat(5),
    insert: fc.string({ unit: anyCharacter, maxLength: 12 }),
  }),
  { maxLength: 30 },
);

describe('scanning an update', () => {
  test('scanning an update accepts the updates that Yjs makes, and reads the clocks that Yjs reads', () => {
    fc.assert(
      fc.property(edits, (list) => {
        const { doc, updates } = history(list);
        for (const update of updates) scanUpdate(update);
        const whole = scanUpdate(Y.encodeStateAsUpdate(doc));
        const vector = Y.decodeStateVector(Y.encodeStateVector(doc));
        assert.deepEqual(new Map([...whole.clients].map(([client, { to }]) => [client, to])), vector);
        assert.ok([...whole.needs].every(([client, below]) => below <= (vector.get(client) ?? 0)));
        assert.equal(whole.roots.length, vector.size === 0 ? 0 : 1);
        assert.deepEqual(readStateVector(Y.encodeStateVector(doc)), vector);
      }),
    );
  });

  test('scanning an update reports what an update leaves out', () => {
    const doc = new Y.Doc();
    const updates: Uint8Array[] = [];
    doc.on('update', (update: Uint8Array) => updates.push(update));
    for (const word of ['one', 'two', 'three']) doc.getText('content').insert(doc.getText('content').length, word);
    const [first, , third] = updates;
    assert.ok(first !== undefined && third !== undefined);
    assert.deepEqual([...scanUpdate(Y.mergeUpdates([first, third])).gaps], [[doc.clientID, 6]]);
  });

  test('any bytes are read or refused, in time that grows with them alone', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        refusedOrRead(() => scanUpdate(bytes));
        refusedOrRead(() => readStateVector(bytes));
      }),
    );
  });

  test('damaged bytes that can still be read do no harm to a document', () => {
    fc.assert(
      fc.property(edits, fc.nat(), fc.nat(255), (list, at, byte) => {
        const update = Y.encodeStateAsUpdate(history(list).doc);
        update[at % update.length] = byte;
        if (!refusedOrRead(() => scanUpdate(update))) return;
        const doc = new Y.Doc();
        Y.applyUpdate(doc, update);
        assert.deepEqual(
          [...doc.share.keys()].filter((root) => root !== 'content'),
          [],
        );
      }),
    );
  });

  test('an update that claims more than it contains is refused before anything is built', () => {
    const claims = [
      [0x80, 0xe1, 0xeb, 0x17], // fifty million clients
      [1, 0x80, 0xe1, 0xeb, 0x17, 1, 0, 0], // fifty million structs
      [0, 1, 1, 0x80, 0xe1, 0xeb, 0x17], // fifty million deletions
      [1, 1, 1, 0, 4, 1, 7, ...Buffer.from('content'), 0x80, 0xe1, 0xeb, 0x17], // fifty million letters
    ];
    for (const claim of claims) assert.throws(() => scanUpdate(Uint8Array.from(claim)), MalformedUpdate);
    assert.throws(() => readStateVector(Uint8Array.from([0x80, 0xe1, 0xeb, 0x17, 1, 1])), MalformedUpdate);
  });

  test('an update of more pieces or clients than its reader has memory for is refused', () => {
    const structs = Buffer.concat(
      [[1], varUint(1_000_001), [7, 0]].map((part) => Buffer.from(part)).concat(Buffer.alloc(2_000_100, 1)),
    );
    const letters = Array.from({ length: 101_000 }, (_, at) => ({
      client: 7,
      clock: at,
      text: 'a',
      origin: [10 + at, 0] as const,
    }));
    for (const update of [structs, craftUpdate(letters)]) assert.throws(() => scanUpdate(update), MalformedUpdate);
  });

  test('a document holds one text: anything else in it is refused', () => {
    const others: ((doc: Y.Doc) => void)[] = [
      (doc) => doc.getMap('content').set('key', 'value'),
      (doc) => doc.getText('elsewhere').insert(0, 'text'),
      (doc) => doc.getText('content').insertEmbed(0, { image: 'x' }),
      (doc) => doc.getArray('content').insert(0, [1]),
      (doc) => doc.getArray('content').insert(0, [new Y.Text('nested')]),
      (doc) => doc.getArray('content').insert(0, [new Uint8Array(4)]),
      (doc) => doc.getMap('content').set('doc', new Y.Doc()),
    ];
    for (const edit of others) {
      const doc = new Y.Doc();
      edit(doc);
      assert.throws(() => scanUpdate(Y.encodeStateAsUpdate(doc)), UnsupportedUpdate);
    }
  });

  test('formats, which a plain text never has, are refused', () => {
    const doc = new Y.Doc();
    doc.getText('content').insert(0, 'bold', { bold: true });
    assert.throws(() => scanUpdate(Y.encodeStateAsUpdate(doc)), UnsupportedUpdate);
  });

  test('an item that refers to a later one of its own client is refused: Yjs would throw', () => {
    const doc = new Y.Doc();
    doc.clientID = 7;
    doc.getText('content').insert(0, 'a');
    // Client 9: "b" behind its own third letter, which comes after it.
    const update = Uint8Array.of(1, 3, 9, 0, 0x84, 9, 2, 1, 98, 0x84, 7, 0, 1, 99, 0x84, 7, 0, 1, 100, 0);
    assert.throws(() => Y.applyUpdate(doc, update));
    assert.throws(() => scanUpdate(update), MalformedUpdate);
  });
});

function refusedOrRead(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    assert.ok(error instanceof MalformedUpdate, String(error));
    return false;
  }
}

function varUint(value: number): Uint8Array {
  return encoding.encode((encoder) => encoding.writeVarUint(encoder, value));
}
