import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeTexts } from '@notevault/note-text/merge/merge-texts.ts';
import { Random } from '../../../server/test/kit/random.ts';

const TEXT = '# Title\n\nfirst line\n\nsecond line\n';

test('mergeTexts keeps both sides’ letters in a line into whose words both typed, and the line once', () => {
  assert.equal(mergeTexts('丆# Title\n', '业丆# T丛it丈东le\n', '丆#丕 Tit丘丙le\n'), '业丆#丕 T丛it丈东丘丙le\n');
  assert.equal(mergeTexts('# nowhere\n', '# no where\n', '# now here\n'), '# no w here\n');
});

test('mergeTexts has a line once into which both sides typed while they took letters out of it', () => {
  assert.equal(mergeTexts('first line\n', 'firX lineY\n', 'fiZWst lne\n'), 'fiZWst firX lne lineY\n');
});

test('mergeTexts keeps two new lines apart that both sides wrote in the place of one', () => {
  assert.equal(mergeTexts('# old\n', '# mine is this\n', '# another text\n'), '# mine is this\n# another text\n');
});

test('mergeTexts keeps a line apart that one side wrote anew and the other removed', () => {
  for (const [old, other] of ['AC', '万世']) {
    const [base, removed, written] = [`${old}\nB\n`, 'B\n', `${other}\nB\nD\n`];
    assert.equal(mergeTexts(base, removed, written), written);
    assert.equal(mergeTexts(base, written, removed), written);
  }
});

test('mergeTexts has every letter once that one side typed anywhere, in 500 texts', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const random = new Random(seed);
    let letters = 0;
    const typed = (text: string) => {
      let result = text;
      for (let left = random.below(12); left > 0; left--) {
        const at = random.below(result.length + 1);
        result = result.slice(0, at) + String.fromCodePoint(0x4e00 + letters) + result.slice(at);
        letters += 1;
      }
      return result;
    };
    const base = typed(TEXT);
    const merged = mergeTexts(base, typed(base), typed(base));
    const expected = Array.from({ length: letters }, (_, at) => String.fromCodePoint(0x4e00 + at));
    assert.deepEqual([...merged].filter((letter) => letter >= '\u4e00').sort(), expected, `seed ${seed}`);
  }
});

test('mergeTexts keeps words whole that both changed, and each place of a line by itself', () => {
  const cases = [
    ['count: 7', 'count: 8', 'count: 9', 'count: 8 9'],
    ['at 12:30 go', 'at 12:45 go', 'at 13:30 go', 'at 12:45 13:30 go'],
    ['http://a.example/x y', 'http://a.example/z y', 'http://b.example/x y', 'http://a.example/z http://b.example/x y'],
    ['recieve it', 'receive it', 'recieves it', 'receives it'],
    ['我们去', '我你去', '我他去', '我他你去'],
    ['| alpha | beta |', '| gamma | delta |', '| alpha | omega |', '| gamma | delta omega |'],
    ['see [[Old|x]]', 'see [[New|z]]', 'see [[Old|y]]', 'see [[New|z y]]'],
    ['see [[Old Name]]', 'see [[New Name]]', 'see [[Old Title]]', 'see [[Old Title]]'],
    ['- [ ] one', '- [x] one', '- [-] one', '- [-] one'],
    ['the old line', 'the old lines', '', 'lines'],
  ] as const;
  for (const [base, theirs, mine, expected] of cases) {
    assert.equal(mergeTexts(`a\n${base}\nz\n`, `a\n${mine}\nz\n`, `a\n${theirs}\nz\n`), `a\n${expected}\nz\n`);
  }
});

test('mergeTexts merges properties by their keys, and has no key twice', () => {
  const note = (yaml: string) => `---\n${yaml}---\ntext\n`;
  const cases = [
    ['due: 2026-11-28\n', 'due: 2026-12-01\n', 'due: 2026-11-29\n', 'due: 2026-11-29\n'],
    ['a: 1\n', 'a: 1\nb: 2\n', 'a: 1\nb: 3\nc: 4\n', 'a: 1\nb: 3\nc: 4\n'],
    ['tags: [a, b, c]\n', 'tags: [a, c, d]\n', 'tags: [b, a, e]\n', 'tags: [a, e, d]\n'],
    ['tags:\n  - a\n  - b\n', 'tags:\n  - a\n  - b\n  - c\n', 'tags:\n  - b\n', 'tags:\n  - b\n  - c\n'],
    ['a: 1\nb: 2\n', 'b: 3\n', 'a: 5\nb: 2\n', 'a: 5\nb: 3\n'],
    ['a:\n  x: 1\n', 'a:\n  x: 1\n  y: 2\n', 'a:\n  x: 1\n  y: 3\n', 'a:\n  x: 1\n  y: 3\n'],
    [
      'a:\n  - x: 1\n    y: 1\n',
      'a:\n  - x: 1\n    y: 1\n  - x: 2\n    y: 2\n',
      'a:\n  - x: 0\n    y: 1\n',
      'a:\n  - x: 0\n    y: 1\n  - x: 2\n    y: 2\n',
    ],
    [
      't: |\n  one\n  two\n',
      't: |\n  one more\n  two\n',
      't: |\n  one\n  two three\n',
      't: |\n  one more\n  two three\n',
    ],
  ] as const;
  for (const [base, theirs, mine, expected] of cases) {
    assert.equal(mergeTexts(note(base), note(mine), note(theirs)), note(expected));
  }
});
