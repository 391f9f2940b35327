import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { BODY, occurrenceAt, TITLE } from '../src/index/occurrence.ts';
import { PostingsReader, PostingsSkips, PostingsWriter } from '../src/index/postings.ts';
import { VarintWriter } from '../src/index/varint.ts';

/** Postings of notes, each with an occurrence at the position of its number. */
function postingsOf(notes: readonly number[]) {
  const writer = new PostingsWriter();
  for (const note of notes) writer.add(note, [occurrenceAt(note, note % 3 === 0 ? TITLE : BODY)]);
  const out = new VarintWriter();
  writer.appendTo(out);
  const bytes = out.toBytes();
  return (skips: PostingsSkips) => new PostingsReader(bytes, 0, bytes.length, skips);
}

describe('PostingsReader', () => {
  const notesOf = fc.uniqueArray(fc.nat(5000), { maxLength: 1200 }).map((notes) => notes.sort((a, b) => a - b));
  const targetsOf = fc.array(fc.nat(5200), { maxLength: 30 }).map((targets) => targets.sort((a, b) => a - b));

  test('advanceTo moves to the first note that is not before another, whatever was read before', () => {
    const property = fc.property(notesOf, targetsOf, fc.nat(1200), (notes, targets, read) => {
      const open = postingsOf(notes);
      const skips = new PostingsSkips();
      const first = open(skips);
      for (let count = 0; count < read && first.next(); count++);
      const reader = open(skips);
      for (let at = 0; at < targets.length; at++) {
        const target = targets[at] ?? 0;
        if (target <= reader.note) continue;
        const expected = notes.find((note) => note >= target);
        assert.equal(reader.advanceTo(target), expected !== undefined);
        if (expected === undefined) return;
        assert.deepEqual(
          [reader.note, reader.title, reader.nextOccurrence()],
          [expected, expected % 3 === 0 ? 1 : 0, occurrenceAt(expected, expected % 3 === 0 ? TITLE : BODY)],
        );
      }
    });
    fc.assert(property, { numRuns: 200 });
  });

  test('a reader that skips reads few of the notes before the one it moves to', () => {
    const notes = Array.from({ length: 1000 }, (_, note) => note);
    const open = postingsOf(notes);
    const skips = new PostingsSkips();
    for (const reader = open(skips); reader.next(); );
    assert.deepEqual(skips.notes, [127, 255, 383, 511, 639, 767, 895]);
    const reader = open(skips);
    let reads = 0;
    const next = reader.next.bind(reader);
    reader.next = () => {
      reads++;
      return next();
    };
    assert.equal(reader.advanceTo(900), true);
    assert.deepEqual([reader.note, reads], [900, 5]);
  });
});
