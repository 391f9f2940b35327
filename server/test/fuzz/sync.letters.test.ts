import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as Y from 'yjs';
import { Letters } from './sync.letters.ts';

/** A document with a text, created under a client id. */
function docOf(client: number, text: string): Y.Doc {
  const doc = new Y.Doc();
  doc.clientID = client;
  doc.getText('content').insert(0, text);
  return doc;
}

test('Letters finds no letter with two meanings in copies of one document, also after deletions', () => {
  const letters = new Letters();
  const [one, other] = [docOf(7, 'one text'), new Y.Doc()];
  assert.deepEqual(letters.faults('note', 'one', one), []);
  Y.applyUpdate(other, Y.encodeStateAsUpdate(one));
  other.getText('content').insert(3, ' more');
  one.getText('content').delete(0, 4);
  for (const [who, doc] of Object.entries({ one, other })) assert.deepEqual(letters.faults('note', who, doc), []);
  Y.applyUpdate(one, Y.encodeStateAsUpdate(other));
  assert.deepEqual(letters.faults('note', 'one', one), []);
});

test('Letters finds a second document under the same client id, also long after the first', () => {
  const letters = new Letters();
  letters.faults('note', 'the first', docOf(7, 'abc'));
  const second = docOf(7, 'ab');
  assert.deepEqual(letters.faults('note', 'the second', second), []);
  second.getText('content').insert(2, 'x');
  assert.deepEqual(letters.faults('note', 'the second', second), [
    'the second: letter 7:2 of note note is "x", elsewhere "c"',
  ]);
});

test('Letters keeps letters of other notes and other clients apart', () => {
  const letters = new Letters();
  letters.faults('note', 'one', docOf(7, 'abc'));
  assert.deepEqual(letters.faults('other note', 'one', docOf(7, 'xyz')), []);
  assert.deepEqual(letters.faults('note', 'one', docOf(8, 'xyz')), []);
});
