import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FuzzyMatcher } from '../src/index/fuzzy.ts';
import { distance } from './kit/reference-scores.ts';

test('FuzzyMatcher finds the words that the definition of the edit distance gives', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 7 });
  fc.assert(
    fc.property(fc.uniqueArray(word, { maxLength: 30 }), word, fc.constantFrom(1, 2), (list, asked, most) => {
      const terms = list.map((each) => `${each}\0en`).sort();
      const matcher = new FuzzyMatcher();
      for (const term of terms) matcher.add(term);
      const found = matcher.match(asked, most, (index) => terms[index] ?? '');
      const expected = terms
        .map((term) => ({ term, edits: distance(term.slice(0, -3), asked) }))
        .filter(({ edits }) => edits <= most);
      assert.deepEqual(found, expected);
    }),
    { numRuns: 250 },
  );
});
