import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Heap } from './heap.ts';

interface Entry {
  rank: number;
  readonly id: number;
  place: number;
}

const isBefore = (one: Entry, other: Entry) => one.rank < other.rank || (one.rank === other.rank && one.id < other.id);

test('Heap returns the first entry, and the first that passes, after any changes', () => {
  const change = fc.record({ kind: fc.constantFrom('add', 'remove', 'reorder'), at: fc.nat(20), rank: fc.nat(9) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const heap = new Heap(isBefore);
      const held: Entry[] = [];
      for (const [id, { kind, at, rank }] of changes.entries()) {
        const entry = held[at % held.length];
        if (kind === 'add' || entry === undefined) {
          held.push({ rank, id, place: 0 });
          heap.add(held.at(-1) as Entry);
        } else if (kind === 'remove') {
          held.splice(held.indexOf(entry), 1);
          heap.remove(entry);
        } else {
          entry.rank = rank;
          heap.reorder(entry);
        }
        const sorted = held.toSorted((one, other) => (isBefore(one, other) ? -1 : 1));
        const isEven = (each: Entry) => each.id % 2 === 0;
        assert.equal(heap.size, held.length);
        assert.equal(heap.first, sorted[0]);
        assert.equal(heap.find(isEven), sorted.find(isEven));
      }
    }),
  );
});
