import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../server/test/kit/content/any-character.ts';
import { TooManySteps } from '../src/diff/budget.ts';
import { applyEdits, type DiffLimits, type Edit, minimalDiff } from '../src/diff/diff.ts';
import { processorMs } from './processor.ts';

/** Returns whether an offset is inside a surrogate pair. */
function insidePair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}

/** Checks all guarantees of `minimalDiff` for two texts. */
function check(before: string, after: string, limits?: Partial<DiffLimits>): Edit[] {
  const edits = minimalDiff(before, after, limits);
  assert.ok(applyEdits(before, edits) === after, 'the edits lead to the new text');
  let from = -1;
  let shift = 0;
  for (const { at, remove, insert } of edits) {
    assert.ok(at > from && remove >= 0 && remove + insert.length > 0, 'sorted, apart, not empty');
    from = at + remove;
    assert.ok(from <= before.length);
    assert.ok(!insidePair(before, at) && !insidePair(before, from), 'no pair of the old text parted');
    assert.ok(!insidePair(after, at + shift), 'no pair of the new text parted');
    assert.ok(!insidePair(after, at + shift + insert.length), 'no pair of the new text parted');
    shift += insert.length - remove;
  }
  return edits;
}

/** Edits as [removed, inserted]. */
function changes(before: string, after: string): [string, string][] {
  return check(before, after).map(({ at, remove, insert }) => [before.slice(at, at + remove), insert]);
}

/** Returns a reproducible sequence of numbers in [0, 1), so that a failure can be repeated. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    const mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

function prose(length: number, seed: number): string {
  const random = randomFrom(seed);
  const below = (n: number) => Math.floor(random() * n);
  const word = () => Array.from({ length: 2 + below(8) }, () => String.fromCharCode(97 + below(26))).join('');
  const vocabulary = Array.from({ length: 2000 }, word);
  const parts: string[] = [];
  for (let size = 0; size < length; ) {
    const line = `${Array.from({ length: 1 + below(16) }, () => vocabulary[below(2000)]).join(' ')}\n`;
    parts.push(line);
    size += line.length;
  }
  return parts.join('').slice(0, length);
}

const fragments = [
  '\n',
  '\n',
  '\r\n',
  ' ',
  'a',
  'b',
  'note ',
  '- ',
  '😀',
  '😁',
  '\ud83d',
  '\ude00',
  'é',
  'の',
  '日本',
  '.',
];
const fragmentText = fc.array(fc.constantFrom(...fragments), { maxLength: 60 }).map((parts) => parts.join(''));

test('minimalDiff of equal texts is empty', () => {
  assert.deepEqual(minimalDiff('', ''), []);
  assert.deepEqual(minimalDiff('a\n', 'a\n'), []);
});

test('minimalDiff edits lead from one text to the other and split no surrogate pair, for any texts', () => {
  fc.assert(
    fc.property(fragmentText, fragmentText, (before, after) => void check(before, after)),
    { numRuns: 750 },
  );
  const anything = fc.string({ unit: anyCharacter, maxLength: 200 });
  fc.assert(
    fc.property(anything, anything, (before, after) => void check(before, after)),
    { numRuns: 200 },
  );
});

test('minimalDiff stays correct under any limits', () => {
  const limits = fc.record({
    work: fc.integer({ min: -1, max: 2000 }),
    changedLines: fc.integer({ min: 0, max: 5 }),
    changedWords: fc.integer({ min: 0, max: 5 }),
  });
  fc.assert(
    fc.property(fragmentText, fragmentText, limits, (a, b, some) => void check(a, b, some)),
    { numRuns: 500 },
  );
});

test('minimalDiff stays correct for a text long enough to be searched piece by piece', () => {
  const edit = fc.record({ at: fc.nat(40_000), remove: fc.nat(300), insert: fragmentText });
  const text = prose(40_000, 1);
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 8 }), (edits) => {
      const after = edits.reduce(
        (now, { at, remove, insert }) => now.slice(0, at) + insert + now.slice(at + remove),
        text,
      );
      const found = check(text, after);
      const made = edits.reduce((sum, { remove, insert }) => sum + remove + insert.length, 0);
      const size = found.reduce((sum, { remove, insert }) => sum + remove + insert.length, 0);
      assert.ok(size <= made * 2 + 200 * edits.length, `${size} units of edits for ${made}`);
    }),
    { numRuns: 200 },
  );
});

test('minimalDiff finds the edits that a person would have made', () => {
  assert.deepEqual(changes('the quick brown fox\n', 'the slow brown dog\n'), [
    ['quick', 'slow'],
    ['fox', 'dog'],
  ]);
  assert.deepEqual(changes('colour\n', 'colours\n'), [['', 's']]);
  assert.deepEqual(changes('note\n', 'notes are\n'), [['', 's are']]);
  assert.deepEqual(changes('foo bar\n', 'foo baz bar\n'), [['', 'baz ']]);
  assert.deepEqual(changes('# A\nfoo\n# B\n', '# A\nfoo\n# C\nbar\n# B\n'), [['', '# C\nbar\n']]);
  assert.deepEqual(changes('- one\n- two\n', '- one\n- six\n- two\n'), [['', '- six\n']]);
  assert.deepEqual(changes('- one\n- six\n- two\n', '- one\n- two\n'), [['- six\n', '']]);
  assert.deepEqual(changes('- [ ] milk\n- [ ] eggs\n', '- [x] milk\n- [ ] eggs\n'), [[' ', 'x']]);
  assert.deepEqual(changes('今日は天気がいいです。\n', '今日は天気が悪いです。\n'), [['い', '悪']]);
  assert.deepEqual(changes('Это было давно.\n', 'Это случилось давно.\n'), [['было', 'случилось']]);
});

test('minimalDiff replaces a rewritten sentence by one edit', () => {
  const before = 'The plan was approved by the committee of elders in May.\n';
  const after = 'Nobody knows how many of the birds came back and why.\n';
  assert.equal(changes(before, after).length, 1);
});

test('minimalDiff replaces unlike lines whole, with their newlines, and edits similar ones inside', () => {
  assert.deepEqual(changes('a\nold words\nb\n', 'a\nnew text here\nb\n'), [['old words\n', 'new text here\n']]);
  assert.deepEqual(changes('a\n\nb\n', 'a\ntyped here\nb\n'), [['\n', 'typed here\n']]);
  assert.deepEqual(changes('a\nall gone\nb\n', 'a\n\nb\n'), [['all gone', '']]);
  assert.deepEqual(changes('one two three\nfour five\n', 'one two 3\nsix\n'), [
    ['three', '3'],
    ['four five\n', 'six\n'],
  ]);
  assert.deepEqual(changes('tea\nmilk and eggs\n', 'zzz\nbread and eggs\n'), [
    ['tea\nmilk and eggs\n', 'zzz\nbread and eggs\n'],
  ]);
});

test('minimalDiff separates a line that grows from lines added after it', () => {
  assert.deepEqual(changes('foo bar\nend\n', 'foo bar baz\nnew\nend\n'), [
    ['', ' baz'],
    ['', 'new\n'],
  ]);
  assert.deepEqual(changes('foo bar baz\nold\nend\n', 'foo bar\nend\n'), [
    [' baz', ''],
    ['old\n', ''],
  ]);
  assert.deepEqual(changes('foo bar\n', 'foo baz\nnew\n'), [
    ['bar', 'baz'],
    ['', 'new\n'],
  ]);
});

test('minimalDiff handles lines that end in CR LF', () => {
  assert.deepEqual(changes('a\r\nb\r\nc\r\n', 'a\r\nx y\r\nb\r\nc\r\n'), [['', 'x y\r\n']]);
  assert.deepEqual(changes('a\r\nb\r\n', 'a\nb\n'), [
    ['\r', ''],
    ['\r', ''],
  ]);
});

test('minimalDiff replaces emoji that share half their units whole', () => {
  assert.deepEqual(changes('x😀y', 'x😁y'), [['😀', '😁']]);
  assert.deepEqual(changes('\u{1f600}', '\u{1f601}\u{1f600}'), [['', '\u{1f601}']]);
  assert.deepEqual(changes('\u{1f600}', '\u{2f600}'), [['\u{1f600}', '\u{2f600}']]);
});

test('concurrent edits of two people, by minimalDiff, each stay where they belong', () => {
  const base = prose(6000, 5).split('\n').slice(0, 60);
  const change = fc.constantFrom<(line: string) => string[]>(
    (line) => [`${line} and more`],
    (line) => [`so ${line}`],
    (line) => [line.replace(' ', ' very ')],
    (line) => [line, 'a new line', 'and one more'],
    (line) => ['', line],
    () => ['something else'],
    () => [],
  );
  const text = (lines: readonly string[][]) => lines.flat().join('\n');
  // Each person changes every sixth line or so, so that there are always unchanged lines between the two.
  const person = fc.array(fc.option(change), { minLength: 10, maxLength: 10 });
  const edited =
    (changes: readonly (((line: string) => string[]) | null)[], offset: number) => (line: string, at: number) =>
      at % 6 === offset ? (changes[(at - offset) / 6]?.(line) ?? [line]) : [line];
  fc.assert(
    fc.property(person, person, (alice, bob) => {
      const before = base.join('\n');
      const mine = minimalDiff(before, text(base.map(edited(alice, 0))));
      const theirs = minimalDiff(before, text(base.map(edited(bob, 3))));
      const both = base.map((line, at) => (at % 6 === 0 ? edited(alice, 0)(line, at) : edited(bob, 3)(line, at)));
      const edits = [...mine, ...theirs].sort((one, other) => one.at - other.at);
      assert.equal(applyEdits(before, edits), text(both));
    }),
    { numRuns: 300 },
  );
});

test('minimalDiff finds a small edit after a long paste', () => {
  const text = prose(400_000, 2);
  const paste = prose(150_000, 3);
  const after = `${text.slice(0, 1000)}${paste}${text.slice(1000, 300_000)}WORD${text.slice(300_000)}`;
  const edits = check(text, after);
  const size = edits.reduce((sum, { remove, insert }) => sum + remove + insert.length, 0);
  assert.ok(size < paste.length * 1.02, `${edits.length} edits of ${size} units`);
});

const MB = 1024 * 1024;
/** The target is 50 ms for 10 MB; a busy machine needs more, while an unbounded search would take minutes. */
const generous = 1000;

function timed(name: string, before: string, after: string): Edit[] {
  let edits: Edit[] = [];
  const took = processorMs(() => {
    edits = minimalDiff(before, after);
  });
  assert.ok(applyEdits(before, edits) === after, name);
  assert.ok(took < generous, `${name}: ${took} ms`);
  return edits;
}

test('minimalDiff of 3 MB takes bounded time whatever the texts', () => {
  const megabytes = 3 * MB;
  const one = prose(megabytes, 11);
  const other = prose(megabytes, 12);
  timed('unrelated', one, other);
  timed('every line changed', one, one.replaceAll('\n', ' end\n'));
  timed('line ends', one, one.replaceAll('\n', '\r\n'));
  timed('halves swapped', one, one.slice(megabytes / 2) + one.slice(0, megabytes / 2));
  timed('unrelated, one line', one.replaceAll('\n', ' '), other.replaceAll('\n', ' '));
  timed('unrelated, no spaces', one.replaceAll(/\s/g, ''), other.replaceAll(/\s/g, ''));
  timed('newlines', '\n'.repeat(megabytes), 'x\n'.repeat(megabytes / 2));
  timed('short lines', 'a\n'.repeat(megabytes / 2), 'b\n'.repeat(megabytes / 2));
  const long = 'の'.repeat(8000);
  const longLines = (first: number) => Array.from({ length: 180 }, (_, at) => `${long}${first + at}\n`).join('');
  timed('long lines that differ at their ends', longLines(100_000), longLines(500_000));
  timed('shifted', 'ab'.repeat(megabytes / 2), 'ba'.repeat(megabytes / 2));
  timed('halves of pairs', '\ud83d'.repeat(megabytes / 2), '\ude00'.repeat(megabytes / 2));
  timed('emoji', '😀'.repeat(megabytes / 4), '😁'.repeat(megabytes / 4));
});

test('minimalDiff of 10 MB with a few edits returns these edits', () => {
  const one = prose(10 * MB, 13);
  const ends = timed('ends', one, `first ${one.slice(0, 5_000_000)} middle ${one.slice(5_000_000)}last`);
  assert.deepEqual(
    ends.map(({ remove, insert }) => [remove, insert.trim()]),
    [
      [0, 'first'],
      [0, 'middle'],
      [0, 'last'],
    ],
  );
  const single = one.replaceAll('\n', ' ');
  assert.equal(timed('one line', single, `first ${single}last`).length, 2);
});

test('minimalDiff of 60 KB of unrelated words takes bounded time', () => {
  timed('unrelated', prose(60_000, 21), prose(60_000, 22));
});

/** Lines of one letter, a or b: each occurs in both texts thousands of times. */
function letterLines(seed: number): string {
  const random = randomFrom(seed);
  return Array.from({ length: 4000 }, () => (random() < 0.5 ? 'a' : 'b')).join('\n');
}

test('minimalDiff gives up after the steps that are allowed, and never makes another difference for them', () => {
  const [one, other] = [letterLines(1), letterLines(2)];
  const took = processorMs(() => {
    for (let round = 0; round < 5; round++) {
      assert.throws(() => minimalDiff(one, other, { allowed: 50_000 }), TooManySteps);
    }
  });
  const whole = processorMs(() => {
    for (let round = 0; round < 5; round++) minimalDiff(one, other);
  });
  assert.ok(took < whole / 2, `${took} ms of ${whole}`);
  let refused = 0;
  for (let seed = 0; seed < 30; seed++) {
    const [before, after] = [prose(600, seed), prose(600, seed % 7)];
    const edits = minimalDiff(before, after);
    for (const allowed of [1000, 4000, 16_000, 64_000]) {
      try {
        assert.deepEqual(minimalDiff(before, after, { allowed }), edits);
      } catch (error) {
        assert.ok(error instanceof TooManySteps);
        refused += 1;
      }
    }
  }
  assert.ok(refused > 10 && refused < 110, `${refused} refused`);
});
