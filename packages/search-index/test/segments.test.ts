import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { analyze, type SearchableNote } from '../src/analysis/analyzer.ts';
import { FrozenSegment, type SegmentArrays } from '../src/index/frozen-segment.ts';
import { decodeSegment, encodeSegment } from '../src/index/segment-codec.ts';
import { VaultIndex } from '../src/index/vault-index.ts';
import { find, idOf, indexOf, noteOf, numbers, texts, typed } from './kit/notes.ts';

/** Step in the life of a vault's index. */
type Step = { put: number; content: string } | { remove: number } | 'freeze' | 'reload';
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ put: fc.nat(9), content: texts }) },
    { weight: 2, arbitrary: fc.record({ remove: fc.nat(9) }) },
    { weight: 2, arbitrary: fc.constantFrom<Step[]>('freeze', 'reload') },
  ),
  { maxLength: 40 },
);

test('search results depend only on the notes, not on their history, segments or being stored and loaded', () => {
  fc.assert(
    fc.property(steps, fc.array(typed, { minLength: 1, maxLength: 3 }), (life, asked) => {
      let index = new VaultIndex();
      const alive = new Map<number, SearchableNote>();
      for (const step of life as Step[]) {
        if (typeof step === 'object' && 'put' in step) {
          const note = noteOf(step.put, step.content);
          alive.set(step.put, note);
          index.put(analyze(note));
        } else if (typeof step === 'object') {
          alive.delete(step.remove);
          index.remove(idOf(step.remove));
        } else {
          index.startSegment();
          for (const _ of index.compact());
          if (step === 'reload')
            index = VaultIndex.fromSegments(
              index.frozenSegments.map(({ arrays }) => readBack(arrays)),
              0,
            );
        }
      }
      const fresh = indexOf([...alive.values()].reverse());
      for (const query of [asked.join(' '), `${asked.join(' ')} `, `"${asked.join(' ')}"`, `-${asked[0]} tide`]) {
        assert.deepEqual(find(index, query), find(fresh, query), query);
      }
    }),
    { numRuns: 300 },
  );
});

test('VaultIndex.compact keeps writes and deletions made between its steps', () => {
  const index = indexOf(Array.from({ length: 600 }, (_, at) => noteOf(at, `anchor w${at}x`)));
  index.startSegment();
  const compaction = index.compact();
  compaction.next();
  index.remove(idOf(1));
  index.put(analyze(noteOf(2, 'lantern')));
  while (compaction.next().done !== true);
  assert.deepEqual(numbers(index, 'w1x '), []);
  assert.deepEqual(numbers(index, 'w2x '), []);
  assert.deepEqual(numbers(index, 'lantern'), [2]);
  assert.equal(numbers(index, 'anchor').length, 50);
  assert.equal(index.noteCount, 599);
});

/** Encodes and decodes a segment, in a buffer that begins at an odd address. */
function readBack(arrays: SegmentArrays): FrozenSegment {
  return new FrozenSegment(decodeSegment(Buffer.concat([Buffer.from('x'), encodeSegment(arrays)]).subarray(1)));
}
