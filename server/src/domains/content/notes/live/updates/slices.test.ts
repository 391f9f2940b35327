import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import * as Y from 'yjs';
import { craftUpdate } from '../../../../../../test/kit/clients/crafted-updates.ts';
import { applyUpdate, loadUpdate, textOf } from '../../merge/document.ts';
import { sliceUpdate } from './slices.ts';

const SMALL = { structs: 3, deletions: 2, deletedLength: 4 };

const edits = fc.array(
  fc.record({ client: fc.nat(3), at: fc.nat(60), remove: fc.nat(6), insert: fc.string({ maxLength: 8 }) }),
  { minLength: 1, maxLength: 60 },
);

function share(from: Y.Doc, docs: readonly Y.Doc[]): void {
  for (const doc of docs) {
    // Given edits of its own id, Yjs would take another one and say so.
    const { clientID } = doc;
    doc.clientID = 99;
    Y.applyUpdate(doc, Y.encodeStateAsUpdate(from));
    doc.clientID = clientID;
  }
}

/** Several people edit, each in a document of their own, and hear of each other now and then. */
function write(list: typeof edits extends fc.Arbitrary<infer List> ? List : never): Y.Doc {
  const docs = [10, 20, 30, 40].map((clientID) => {
    const doc = new Y.Doc();
    Y.applyUpdate(doc, craftUpdate([{ client: 1, clock: 0, text: 'genesis' }]));
    doc.clientID = clientID;
    return doc;
  });
  for (const { client, at, remove, insert } of list) {
    const doc = docs[client] as Y.Doc;
    const content = doc.getText('content');
    const from = Math.min(at, content.length);
    doc.transact(() => {
      content.delete(from, Math.min(remove, content.length - from));
      content.insert(from, insert);
    });
    if (at % 5 === 0) share(doc, docs);
  }
  const [whole, ...others] = docs as [Y.Doc, ...Y.Doc[]];
  whole.clientID = 99;
  for (const other of others) share(other, [whole]);
  return whole;
}

describe('slices of an update', () => {
  test('slices applied one after the other do what the update does, in both encodings', () => {
    fc.assert(
      fc.property(edits, (list) => {
        const doc = write(list);
        for (const decoded of [
          Y.decodeUpdate(Y.encodeStateAsUpdate(doc)),
          Y.decodeUpdateV2(Y.encodeStateAsUpdateV2(doc)),
        ]) {
          const slices = sliceUpdate(decoded, () => 0, SMALL);
          const copy = new Y.Doc();
          for (const slice of slices ?? []) assert.ok(applyUpdate(copy, slice), 'a slice needs what comes after it');
          assert.equal(textOf(copy), textOf(doc));
          assert.deepEqual(Y.encodeSnapshot(Y.snapshot(copy)), Y.encodeSnapshot(Y.snapshot(doc)));
        }
      }),
    );
  });

  test('slices of what a document lacks are applied by that document', () => {
    fc.assert(
      fc.property(edits, fc.nat(60), (list, cut) => {
        const early = write(list.slice(0, cut));
        const late = loadUpdate(Y.encodeStateAsUpdate(early));
        Y.applyUpdate(late, Y.encodeStateAsUpdate(write(list)));
        const update = Y.encodeStateAsUpdate(late, Y.encodeStateVector(early));
        const known = (client: number) => Y.getState(early.store, client);
        const slices = sliceUpdate(Y.decodeUpdate(update), known, SMALL);
        for (const slice of slices ?? []) assert.ok(applyUpdate(early, slice));
        assert.equal(textOf(early), textOf(late));
      }),
    );
  });

  test('slices are refused for items of several clients that wait for each other', () => {
    const update = craftUpdate([
      { client: 2, clock: 0, text: 'a', origin: [3, 0] },
      { client: 3, clock: 0, text: 'b', origin: [2, 0] },
    ]);
    assert.equal(
      sliceUpdate(Y.decodeUpdate(update), () => 0, SMALL),
      null,
    );
  });
});
