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
