import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as Y from 'yjs';
import { seedDocument, stateOf } from '../merge/document.ts';
import { partsOf } from './people-parts.ts';

test('a flush of six people has four parts, of which the last belongs to all others', () => {
  const doc = seedDocument(1, 'text');
  const typed = ['a', 'b', 'c', 'd', 'e', 'f'].map((userId) => {
    const own = new Y.Doc();
    Y.applyUpdateV2(own, stateOf(doc));
    const before = Y.encodeStateVector(own);
    own.getText('content').insert(0, userId);
    return { actor: { kind: 'session', name: '', userId }, updates: [Y.encodeStateAsUpdate(own, before)] };
  });
  const nobody = { kind: 'none', name: '' };
  const parts = partsOf(doc, typed, nobody).map(({ actors }) => actors.map(({ userId }) => userId).join(''));
  assert.deepEqual(parts, ['a', 'b', 'c', 'def']);
  // The author of the present version goes first.
  const [first] = partsOf(doc, typed, { kind: 'session', name: '', userId: 'd' });
  assert.deepEqual(first?.actors, [typed[3]?.actor]);
});
