import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { minimalDiff } from '@notevault/note-text/diff/diff.ts';
import fc from 'fast-check';
import * as Y from 'yjs';
import { editDocument, loadDocument, seedDocument, snapshotOf, stateOf, textOf } from './document.ts';
import { mergeText } from './merge.ts';

const SERVER = 4_000_000_001;
const reload = (doc: Y.Doc) => loadDocument(stateOf(doc));
const write = (doc: Y.Doc, text: string) => editDocument(doc, SERVER, minimalDiff(textOf(doc), text));

/** Writes `theirs` over `base`, then merges `ours` as an edit of `base`. */
function merged(base: string, theirs: string, ours: string): string {
  const first = seedDocument(SERVER, base);
  const snapshot = snapshotOf(first);
  editDocument(first, SERVER, minimalDiff(base, theirs));
  const doc = loadDocument(stateOf(first));
  assert.ok(mergeText(doc, SERVER, { snapshot, text: base }, ours, []));
  return textOf(doc);
}

describe('two people in one note', () => {
  it('who each replace a line leave both lines', () => {
    assert.equal(merged('a\nold one\nz\n', 'a\ntheirs now\nz\n', 'a\nour lot\nz\n'), 'a\nour lot\ntheirs now\nz\n');
    assert.equal(merged('a\n\nz\n', 'a\ntheirs\nz\n', 'a\nours\nz\n'), 'a\nours\ntheirs\nz\n');
    assert.equal(merged('old one\n', 'theirs now\nand more\n', ''), 'theirs now\nand more\n');
  });

  it('two people in one note keep word and line when one types into the line that the other replaces', () => {
    const typed = 'a\nthe old lines\nz\n';
    const replaced = 'a\nsomething different\nz\n';
    const base = 'a\nthe old line\nz\n';
    assert.equal(merged(base, typed, replaced), 'a\nlines something different\nz\n');
    assert.equal(merged(base, replaced, typed), 'a\nsomething different lines\nz\n');
  });

  it('two people in one note keep both edits when one adds a line below the word that the other replaces', () => {
    const base = '<71>\n[[x y]]\n';
    const [replaced, added] = ['<72>\n[[x y]]\n', '<71>\n<85>\n[[x y]]\n'];
    assert.equal(merged(base, replaced, added), '<72>\n<85>\n[[x y]]\n');
    assert.equal(merged(base, added, replaced), '<72>\n<85>\n[[x y]]\n');
  });

  it('who both append to a note without a last newline leave two lines', () => {
    assert.equal(merged('a\nb', 'a\nb\ntheirs', 'a\nb\nours'), 'a\nb\nours\ntheirs');
    assert.equal(merged('a\nb', 'a\nb\ntheirs', 'a\nrewritten'), 'a\nrewritten\ntheirs');
    assert.equal(merged('a\nb', 'a\ntheirs\nb', 'a\nrewritten'), 'a\ntheirs\nrewritten');
    assert.equal(merged('a\nb', 'a\nrewritten', 'a\nours\nb'), 'a\nours\nrewritten');
  });

  it('who add to one line and below it leave every line whole', () => {
    const result = merged('foo bar\nend\n', 'foo bar baz\ntheirs\nend\n', 'foo bar quux\nours\nend\n');
    assert.equal(result, 'foo bar quux baz\nours\ntheirs\nend\n');
  });

  /** A random change by one side: keep, drop or replace the line, and how many lines to add before it. */
  const change = fc.tuple(fc.constantFrom('keep', 'keep', 'keep', 'drop', 'replace'), fc.nat(2));
  const side = fc.array(change, { minLength: 9, maxLength: 9 });
  const words = ['amber', 'birch', 'cedar', 'dune', 'ember', 'fjord', 'grove', 'heath', 'inlet'];

  it('find every line they wrote, once and whole, and none that either took out', () => {
    fc.assert(
      fc.property(side, side, (theirs, ours) => {
        const base = words.slice(0, 8).map((word, at) => `${word} ${at}`);
        const write = (changes: typeof theirs, mark: string) => {
          const added: string[] = [];
          const line = () => {
            const text = `${mark.repeat(6)}${added.length}`;
            added.push(text);
            return text;
          };
          const text = changes.flatMap(([what, ahead], at) => {
            const kept = base[at];
            const here = kept === undefined || what === 'drop' ? [] : [what === 'keep' ? kept : line()];
            return [...Array.from({ length: ahead }, line), ...here];
          });
          return { added, text: text.map((each) => `${each}\n`).join('') };
        };
        const [their, our] = [write(theirs, 'x'), write(ours, 'y')];
        const both = base.filter((_, at) => theirs[at]?.[0] === 'keep' && ours[at]?.[0] === 'keep');
        const result = merged(base.map((each) => `${each}\n`).join(''), their.text, our.text);
        assert.deepEqual(result.split('\n').sort(), ['', ...both, ...their.added, ...our.added].sort());
      }),
      { numRuns: 250 },
    );
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
    assert.ok(mergeText(doc, SERVER, { snapshot, text: base }, ours, []));
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
      { numRuns: 200 },
    );
  });

  it('gives what Yjs gives for a client that edited its own copy and synced later', () => {
    // No two letters alike, so that nothing can be the same change twice, and no words, which a merge keeps whole.
    const base = fc
      .subarray([...'丁七丈三上下不丑专且丕世丘丙业丛 .,\n东丝丞丢两严並丧'])
      .map((letters) => letters.join(''));
    const edits = (...texts: string[]) =>
      fc.array(fc.tuple(fc.nat(40), fc.nat(6), fc.constantFrom('', ...texts)), { maxLength: 6 });
    const apply = (doc: Y.Doc, steps: [number, number, string][]) => {
      const text = doc.getText('content');
      for (const [at, remove, insert] of steps) {
        const from = Math.min(at, text.length);
        text.delete(from, Math.min(remove, text.length - from));
        text.insert(from, insert);
      }
    };
    fc.assert(
      fc.property(base, edits('仁', '仃仄', '!'), edits('仅', '仆仇', '?'), (base, since, steps) => {
        const server = seedDocument(SERVER, base);
        const snapshot = snapshotOf(server);
        const copy = reload(server);
        apply(server, since);
        const now = textOf(server);
        // The copy's own change as one pass over the base: deletions and insertions that survive in it.
        apply(copy, steps);
        const remote = loadDocument(stateOf(seedDocument(SERVER, base)));
        editDocument(remote, 7, minimalDiff(base, textOf(copy)));
        const expected = reload(server);
        Y.applyUpdateV2(expected, Y.encodeStateAsUpdateV2(remote));
        const actual = reload(server);
        assert.ok(mergeText(actual, SERVER, { snapshot, text: base }, textOf(copy), []));
        // A merge keeps two last lines apart by a newline; Yjs does not.
        const letters = (text: string) => [...text.replaceAll('\n', '')].sort().join('');
        assert.equal(letters(textOf(actual)), letters(textOf(expected)), `onto ${JSON.stringify(now)}`);
      }),
      { numRuns: 200 },
    );
  });
});
