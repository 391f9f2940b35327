import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { minimalDiff } from '@notevault/note-text/diff.ts';
import fc from 'fast-check';
import { editDocument, loadDocument, mergeEdits, seedDocument, snapshotOf, stateOf, textOf } from './document.ts';

const SERVER = 4_000_000_001;

/** Writes `theirs` over `base`, then merges `ours` as an edit of `base`. */
function merged(base: string, theirs: string, ours: string): string {
  const first = seedDocument(SERVER, base);
  const snapshot = snapshotOf(first);
  editDocument(first, SERVER, minimalDiff(base, theirs));
  const doc = loadDocument(stateOf(first));
  assert.ok(mergeEdits(doc, SERVER, { snapshot, length: base.length }, minimalDiff(base, ours)));
  return textOf(doc);
}

describe('two people in one note', () => {
  it('who each replace a line leave both lines', () => {
    assert.equal(merged('a\nold one\nz\n', 'a\ntheirs now\nz\n', 'a\nour lot\nz\n'), 'a\nour lot\ntheirs now\nz\n');
    assert.equal(merged('a\n\nz\n', 'a\ntheirs\nz\n', 'a\nours\nz\n'), 'a\nours\ntheirs\nz\n');
    assert.equal(merged('old one\n', 'theirs now\nand more\n', ''), 'theirs now\nand more\n');
  });

  it('of whom one types into the line that the other replaces do not touch the next line', () => {
    const typed = 'a\nthe old lines\nz\n';
    const replaced = 'a\nsomething different\nz\n';
    const base = 'a\nthe old line\nz\n';
    assert.equal(merged(base, typed, replaced), 'a\nssomething different\nz\n');
    assert.equal(merged(base, replaced, typed), 'a\nssomething different\nz\n');
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

  /** What one side does to the lines before it: keep, drop, replace; and how many lines it adds ahead. */
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
      { numRuns: 1000 },
    );
  });
});
