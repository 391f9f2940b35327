import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRevealed, type RevealRule, type RevealState } from './reveal.ts';

const TEXT = 'one **two** three\nfour';
const bold = { from: 4, to: 11 };

function state(from: number, to = from, isActive = true): RevealState {
  return {
    isActive,
    selection: [{ from, to }],
    linesOf: (range) => ({
      from: TEXT.lastIndexOf('\n', range.from - 1) + 1,
      to: (TEXT.indexOf('\n', range.to) + TEXT.length + 1) % (TEXT.length + 1),
    }),
  };
}

const cases: readonly [RevealRule, RevealState, boolean, string][] = [
  ['touch', state(3), false, 'a cursor beside the space'],
  ['touch', state(4), true, 'a cursor before the first mark'],
  ['touch', state(11), true, 'a cursor after the last mark'],
  ['touch', state(12), false, 'a cursor one further'],
  ['touch', state(0, 20), true, 'a selection around it'],
  ['inside', state(4), false, 'a cursor at its edge'],
  ['inside', state(5), true, 'a cursor inside'],
  ['inside', state(10, 14), true, 'a selection of its end'],
  ['line', state(0), true, 'a cursor on its line'],
  ['line', state(17), true, 'a cursor at the end of its line'],
  ['line', state(18), false, 'a cursor on the next line'],
  ['never', state(5), false, 'a cursor inside'],
  ['touch', state(5, 5, false), false, 'a cursor inside while reading'],
];

for (const [rule, at, expected, what] of cases) {
  test(`the rule ${rule} ${expected ? 'reveals' : 'hides'} marks with ${what}`, () => {
    assert.equal(isRevealed(rule, bold, at), expected);
  });
}
