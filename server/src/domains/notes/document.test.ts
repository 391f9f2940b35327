import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Edit, minimalDiff } from '@notevault/note-text/diff.ts';
import fc from 'fast-check';
import * as Y from 'yjs';
import {
  editDocument,
  headOf,
  loadDocument,
  mergeEdits,
  seedDocument,
  seedSnapshot,
  snapshotOf,
  stateOf,
  takeUpdates,
  textOf,
} from './document.ts';

const SERVER = 4_000_000_001;
const reload = (doc: Y.Doc) => loadDocument(stateOf(doc));
const write = (doc: Y.Doc, text: string) => editDocument(doc, SERVER, minimalDiff(textOf(doc), text));

describe('document', () => {
  it('keeps text and head through its state, also when empty', () => {
    for (const text of ['', 'a', '---\r\ntags: [x]\r\n---\r\n𝄞 text']) {
      const doc = seedDocument(SERVER, text);
      assert.equal(textOf(reload(doc)), text);
      assert.equal(headOf(snapshotOf(reload(doc))), headOf(snapshotOf(doc)));
    }
  });

  it('takes updates in any order, when together they lean on nothing else', () => {
    const doc = seedDocument(SERVER, 'a');
    const client = reload(doc);
    const updates: Uint8Array[] = [];
    client.on('update', (update: Uint8Array) => updates.push(update));
    for (const letter of 'bcd') client.getText('content').insert(client.getText('content').length, letter);
    client.getText('content').delete(1, 1);
    assert.equal(takeUpdates(doc, updates.toReversed()), true);
    assert.equal(textOf(doc), 'acd');
    assert.equal(headOf(snapshotOf(doc)), headOf(snapshotOf(client)));
    assert.equal(takeUpdates(seedDocument(SERVER, 'a'), updates.slice(1)), false);
  });

  it('has the snapshot that can be told without making it', () => {
    for (const text of ['', 'a', '𝄞 text']) {
      assert.deepEqual(seedSnapshot(SERVER, text), snapshotOf(seedDocument(SERVER, text)));
    }
  });

  it('has an origin for every item but the genesis, so that foreign text can be told', () => {
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

  it('stays small under ten thousand edits by the one client id', () => {
    let doc = seedDocument(SERVER, 'start\n');
    for (let turn = 0; turn < 1000; turn++) {
      doc = reload(doc);
      write(doc, `line ${turn % 7}\nmore ${turn % 5}\n`);
    }
    assert.ok(stateOf(doc).length < 20_000, `${stateOf(doc).length} bytes`);
  });
});

describe('merging edits of an older version', () => {
  /** Writes `theirs` over `base`, then merges `ours` as an edit of `base`. */
  function merged(base: string, theirs: string[], ours: string): string {
    let doc = seedDocument(SERVER, base);
    const snapshot = snapshotOf(doc);
    for (const text of theirs) {
      doc = reload(doc);
      write(doc, text);
    }
    doc = reload(doc);
    assert.ok(mergeEdits(doc, SERVER, { snapshot, length: base.length }, minimalDiff(base, ours)));
    return textOf(reload(doc));
  }

  it('keeps what both sides inserted', () => {
    assert.equal(merged('a\nb\nc\n', ['a\nx\nb\nc\n'], 'a\nb\ny\nc\n'), 'a\nx\nb\ny\nc\n');
    assert.equal(merged('', ['theirs\n'], 'ours\n').length, 'theirs\nours\n'.length);
  });

  it('drops what either side deleted, once', () => {
    assert.equal(merged('a\nb\nc\nd\n', ['a\nc\nd\n'], 'a\nb\nd\n'), 'a\nd\n');
    assert.equal(merged('a\nb\nc\n', ['a\nc\n'], 'a\nc\n'), 'a\nc\n');
  });

  it('keeps an insertion whose surroundings were deleted', () => {
    assert.equal(merged('one two three', ['one three'], 'one two and a half three'), 'one and a half three');
  });

  it('reaches back over several versions and text that came back', () => {
    assert.equal(merged('k\n', ['', 'k\n', 'k\nlater\n'], 'mine\nk\n').includes('mine'), true);
  });

  const line = fc.constantFrom('a', 'b', 'c', 'd', 'e').map((text) => `${text}\n`);
  const lines = fc.array(line, { maxLength: 8 });
  const insertions = fc.array(fc.nat(8), { maxLength: 5 });
  const weave = (base: string[], at: number[], mark: string) => {
    const text = [...base];
    for (const [index, position] of at.entries()) text.splice(position % (text.length + 1), 0, `${mark}${index}\n`);
    return text;
  };

  it('loses and doubles no inserted line, whatever the two sides insert and delete', () => {
    fc.assert(
      fc.property(lines, insertions, insertions, fc.nat(8), fc.nat(8), (base, theirs, ours, theirCut, ourCut) => {
        const cut = (text: string[], at: number) => (text.length === 0 ? text : text.toSpliced(at % text.length, 1));
        const their = weave(cut(base, theirCut), theirs, 't').join('');
        const our = weave(cut(base, ourCut), ours, 'o').join('');
        const result = merged(base.join(''), [their], our).split('\n');
        for (const [index] of theirs.entries()) assert.equal(result.filter((text) => text === `t${index}`).length, 1);
        for (const [index] of ours.entries()) assert.equal(result.filter((text) => text === `o${index}`).length, 1);
      }),
      { numRuns: 500 },
    );
  });

  it('gives what Yjs gives for a client that edited its own copy and synced later', () => {
    const edits = fc.array(fc.tuple(fc.nat(40), fc.nat(6), fc.constantFrom('', 'x', 'yz', '\n')), { maxLength: 6 });
    const apply = (doc: Y.Doc, steps: [number, number, string][]) => {
      const text = doc.getText('content');
      for (const [at, remove, insert] of steps) {
        const from = Math.min(at, text.length);
        text.delete(from, Math.min(remove, text.length - from));
        text.insert(from, insert);
      }
    };
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), edits, edits, (base, since, steps) => {
        const server = seedDocument(SERVER, base);
        const snapshot = snapshotOf(server);
        const copy = reload(server);
        apply(server, since);
        const now = textOf(server);
        // The copy's own change as one pass over the base: deletions and insertions that survive in it.
        apply(copy, steps);
        const edit: Edit[] = minimalDiff(base, textOf(copy));
        const remote = loadDocument(stateOf(seedDocument(SERVER, base)));
        editDocument(remote, 7, edit);
        const expected = reload(server);
        Y.applyUpdateV2(expected, Y.encodeStateAsUpdateV2(remote));
        const actual = reload(server);
        assert.ok(mergeEdits(actual, SERVER, { snapshot, length: base.length }, edit));
        const letters = (text: string) => [...text].sort().join('');
        assert.equal(letters(textOf(actual)), letters(textOf(expected)), `onto ${JSON.stringify(now)}`);
      }),
      { numRuns: 500 },
    );
  });
});
