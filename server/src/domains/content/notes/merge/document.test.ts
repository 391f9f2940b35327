import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { minimalDiff } from '@notevault/note-text/diff/diff.ts';
import type * as Y from 'yjs';
import {
  applyUpdates,
  editDocument,
  headOf,
  loadDocument,
  seedDocument,
  seedSnapshot,
  snapshotOf,
  stateOf,
  textOf,
} from './document.ts';

const SERVER = 4_000_000_001;
const reload = (doc: Y.Doc) => loadDocument(stateOf(doc));
const write = (doc: Y.Doc, text: string) => editDocument(doc, SERVER, minimalDiff(textOf(doc), text));

describe('document', () => {
  it('a note document keeps text and head through its state, also when empty', () => {
    for (const text of ['', 'a', '---\r\ntags: [x]\r\n---\r\n𝄞 text']) {
      const doc = seedDocument(SERVER, text);
      assert.equal(textOf(reload(doc)), text);
      assert.equal(headOf(snapshotOf(reload(doc))), headOf(snapshotOf(doc)));
    }
  });

  it('a note document takes updates in any order, when together they depend on nothing else', () => {
    const doc = seedDocument(SERVER, 'a');
    const client = reload(doc);
    const updates: Uint8Array[] = [];
    client.on('update', (update: Uint8Array) => updates.push(update));
    for (const letter of 'bcd') client.getText('content').insert(client.getText('content').length, letter);
    client.getText('content').delete(1, 1);
    assert.equal(applyUpdates(doc, updates.toReversed()), true);
    assert.equal(textOf(doc), 'acd');
    assert.equal(headOf(snapshotOf(doc)), headOf(snapshotOf(client)));
    assert.equal(applyUpdates(seedDocument(SERVER, 'a'), updates.slice(1)), false);
  });

  it('a note document has the snapshot that can be told without making it', () => {
    for (const text of ['', 'a', '𝄞 text']) {
      assert.deepEqual(seedSnapshot(SERVER, text), snapshotOf(seedDocument(SERVER, text)));
    }
  });

  it('a note document has an origin for every item but the genesis, so that foreign text can be told', () => {
    const doc = seedDocument(SERVER, '');
    write(doc, 'first');
    const again = reload(doc);
    write(again, 'before first');
    write(again, '');
    write(again, 'anew');
    let item = again.getText('content')._start;
    let genesis = 0;
    for (; item !== null; item = item.right) if (item.origin === null && item.rightOrigin === null) genesis += 1;
    assert.equal(genesis, 1);
  });

  it('a note document stays small under five hundred edits by the one client id', () => {
    let doc = seedDocument(SERVER, 'start\n');
    for (let turn = 0; turn < 250; turn++) {
      doc = reload(doc);
      write(doc, `line ${turn % 7}\nmore ${turn % 5}\n`);
    }
    assert.ok(stateOf(doc).length < 2000, `${stateOf(doc).length} bytes`);
  });
});
