import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applyEdits, minimalDiff } from '@notevault/note-text/diff/diff.ts';
import fc from 'fast-check';
import { changesBack, insertedBy } from './changes-back.ts';
import { editDocument, seedDocument, snapshotOf, stateVectorMap, textOf } from './document.ts';
import { type BaseVersion, mergeText } from './merge.ts';

const SERVER = 4_000_000_001;

interface Written {
  readonly by: 'alice' | 'bob';
  readonly text: string | ((older: string) => string);
  /** How many versions are newer than the one that it edits. */
  readonly behind?: number;
  /** Whether a device types it, instead of sending a whole text. */
  readonly types?: boolean;
}

const DEVICES = { alice: 1, bob: 2 };

/** Writes texts on top of each other or of older versions, then reverts what alice wrote, the newest first; consecutive writes as one. */
function withoutAlice(base: string, writes: readonly Written[]): string {
  const doc = seedDocument(SERVER, base);
  const versions: BaseVersion[] = [{ text: base, snapshot: snapshotOf(doc) }];
  const boundaries = [stateVectorMap(doc, SERVER)];
  for (const { by, text, behind = 0, types = false } of writes) {
    const edited = versions[Math.max(0, versions.length - 1 - behind)] as BaseVersion;
    const sent = typeof text === 'string' ? text : text(edited.text);
    if (types) editDocument(doc, DEVICES[by], minimalDiff(edited.text, sent));
    else assert.ok(mergeText(doc, SERVER, edited, sent, boundaries));
    versions.push({ text: textOf(doc), snapshot: snapshotOf(doc) });
    boundaries.push(stateVectorMap(doc, SERVER));
  }
  const spans: { earlier: BaseVersion; version: BaseVersion }[] = [];
  for (const [at, { by }] of writes.entries()) {
    const [earlier, version, last] = [versions[at], versions[at + 1], spans.at(-1)];
    if (by === 'bob' || earlier === undefined || version === undefined) continue;
    if (last !== undefined && last.version === earlier) last.version = version;
    else spans.push({ earlier, version });
  }
  const own = insertedBy(spans.map(({ earlier, version }) => [earlier.snapshot, version.snapshot]));
  for (const { earlier, version } of spans.toReversed()) {
    const back = changesBack(doc, version, earlier, own);
    assert.ok(back);
    assert.equal(applyEdits(version.text, back.edits), back.text);
    assert.ok(mergeText(doc, SERVER, version, back.text, boundaries, { changes: back.edits }));
  }
  return textOf(doc);
}

describe('changes back to an earlier version', () => {
  it('remove the letters that were written, and not equal ones of an earlier write', () => {
    const writes = [
      { by: 'alice', text: 'line word8x0 end' },
      { by: 'bob', text: 'line word8x4 word8x0 end' },
      { by: 'alice', text: 'line word8x4 word8x9 word8x0 end' },
      { by: 'alice', text: 'line word8x4 word8x9 word8x0 word8x10 end' },
      { by: 'bob', text: 'line word8x4 word8x9 word8x0 word8x10 end again' },
    ] as const;
    assert.equal(withoutAlice('line end', writes), 'line word8x4 end again');
  });

  it('do not bring back what an earlier write of the same reverted ones had inserted', () => {
    const writes = [
      { by: 'alice', text: 'one two three' },
      { by: 'bob', text: 'one two three four' },
      { by: 'alice', text: 'one three four' },
    ] as const;
    assert.equal(withoutAlice('one three', writes), 'one three four');
  });

  it('are made as the document knows them, not as a comparison of the texts would guess', () => {
    const writes = [
      { by: 'alice', text: 'line alice0 2 end' },
      { by: 'bob', text: 'line bob1 2 end', behind: 1 },
      { by: 'alice', text: 'line bob1 alice0 alice2 2 end' },
      { by: 'alice', text: 'line alice0 alice2 2 end' },
    ] as const;
    assert.equal(withoutAlice('line 2 end', writes), 'line bob1 2 end');
  });

  it('keep the blank that a reverted write inserted between two words of another person', () => {
    const writes = [
      { by: 'bob', text: 'line 1 end bob0' },
      { by: 'alice', text: 'line 1 end alice1', behind: 1 },
      { by: 'alice', text: 'line 1 end alice2 alice1 bob0' },
      { by: 'bob', text: 'line 1 end bob0', behind: 1 },
    ] as const;
    assert.equal(withoutAlice('line 1 end', writes), 'line 1 end bob0');
  });

  it('restore a blank of the reverted writes if a restored word would be joined with another one', () => {
    const writes = [
      { by: 'alice', text: 'line 0 end alice0' },
      { by: 'bob', text: 'line 0 end bob1', behind: 1 },
      { by: 'alice', text: 'line 0 end bob1 alice2 alice0' },
      { by: 'bob', text: 'line 0 end bob1 alice2 alice0\nlast' },
      { by: 'alice', text: 'line 0 end alice2 alice0\nlast' },
    ] as const;
    assert.match(withoutAlice('line 0 end', writes), /^line 0 end bob1 *\nlast$/);
  });

  it('are unknown when the document does not have the version', () => {
    const version = { text: 'other', snapshot: snapshotOf(seedDocument(7, 'other')) };
    assert.equal(changesBack(seedDocument(SERVER, 'one'), version, version, insertedBy([])), null);
  });

  it('leave the words of the other person, whatever both wrote and deleted', () => {
    const step = fc.record({
      by: fc.constantFrom('alice' as const, 'bob' as const),
      line: fc.nat(2),
      at: fc.nat(9),
      deletes: fc.integer({ min: 0, max: 3 }).map((drawn) => drawn === 0),
      behind: fc.constantFrom(0, 0, 1, 2, 5),
      types: fc.boolean(),
    });
    const check = (steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]) => {
      const kept = new Set<string>();
      const gone = new Set<string>();
      const writes = steps.map(({ by, line, at, deletes, behind, types }, number): Written => {
        const text = (older: string) => {
          const lines = older.split('\n');
          const words = (lines[line] ?? '').split(' ');
          const index = 1 + (at % words.length);
          const word = words[index] ?? '';
          if (deletes && word.includes('x')) {
            words.splice(index, 1);
            if (by === 'bob') kept.delete(word);
          } else {
            words.splice(index, 0, `${by}448898x${number}`);
            (by === 'bob' ? kept : gone).add(`${by}448898x${number}`);
          }
          lines[line] = words.join(' ');
          return lines.join('\n');
        };
        return types ? { by, text, types } : { by, text, behind };
      });
      const after = withoutAlice('line 0 end\nline 1 end\nline 2 end', writes);
      const found = new Set(after.split(/\s+/));
      for (const word of kept) assert.ok(found.has(word), `${word} is lost: ${after}`);
      for (const word of gone) assert.ok(!found.has(word), `${word} stays: ${after}`);
    };
    fc.assert(fc.property(fc.array(step, { maxLength: 12 }), check), { numRuns: 3000 });
  });
});
