import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applyEdits, type Edit, minimalDiff } from '@notevault/note-text/diff/diff.ts';
import fc from 'fast-check';
import type { Doc } from 'yjs';
import { editDocument, loadDocument, seedDocument, snapshotOf, stateOf, stateVectorMap, textOf } from './document.ts';
import { mergeText } from './merge.ts';

const SERVER = 4_000_000_001;
const CLIENT = 77;

/** A step of the stored side since the base: a whole text as REST writes it, or an edit as a person types it. */
type Step = string | Edit;

/** Takes the stored side's steps from `base`, then merges `client` as an edit of `base`. */
function merged(base: string, steps: readonly Step[], client: string): { stored: string; text: string } {
  const doc = seedDocument(SERVER, base);
  const snapshot = snapshotOf(doc);
  const boundaries = [stateVectorMap(doc, SERVER)];
  for (const step of steps) {
    take(doc, step);
    const clock = stateVectorMap(doc, SERVER);
    if (clock !== boundaries.at(-1)) boundaries.push(clock);
  }
  const now = loadDocument(stateOf(doc));
  const stored = textOf(now);
  assert.ok(mergeText(now, SERVER, { snapshot, text: base }, client, boundaries));
  return { stored, text: textOf(now) };
}

function take(doc: Doc, step: Step): void {
  const text = textOf(doc);
  if (typeof step === 'string') editDocument(doc, SERVER, minimalDiff(text, step));
  else {
    const at = step.at % (text.length + 1);
    editDocument(doc, CLIENT, [{ ...step, at, remove: Math.min(step.remove, text.length - at) }]);
  }
}

/** Texts with much in common: few words, and lines that are there twice. */
const words = fc.constantFrom('the', 'cat', 'teh', 'a', 'sat', ' ', ' ', '\n', '\n', '- ', '[[Old]]', '.', '𝄞');
const texts = fc.array(words, { maxLength: 14 }).map((parts) => parts.join(''));
const typed = fc.record({ at: fc.nat(60), remove: fc.nat(5), insert: fc.oneof(words, fc.constant('')) });
const history = fc.array(fc.oneof(texts, typed), { maxLength: 5 });

describe('a merge with what both sides did alike', () => {
  it('a merge of two equal texts is that text, however the stored side was made', () => {
    fc.assert(
      fc.property(texts, history, texts, (base, steps, text) => {
        assert.equal(merged(base, [...steps, text], text).text, text);
      }),
      { numRuns: 1250 },
    );
  });

  it('a merge takes one side where the other equals the base', () => {
    fc.assert(
      fc.property(texts, history, texts, (base, steps, text) => {
        assert.equal(merged(base, [...steps, base], text).text, text);
        const kept = merged(base, steps, base);
        assert.equal(kept.text, kept.stored);
      }),
      { numRuns: 400 },
    );
  });

  const names = ['amber', 'birch', 'cedar', 'dune', 'ember', 'fjord', 'grove', 'heath', 'inlet', 'jetty'];
  const change = fc.record({
    at: fc.nat(),
    remove: fc.constantFrom(0, 0, 0, 1, 3, 8),
    who: fc.constantFrom('both', 'stored', 'client'),
    form: fc.constantFrom('<*>', ' <*>', '<*> ', 'x<*>', '<*>\n', '\n<*>', '<*>\n<*b>\n', '[[<*>|a]]'),
  });
  type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

  /** Edits of `base` that do not touch: two edits at one place by the same hand would be one. */
  function changesOf(base: string, drawn: readonly Change[]) {
    const sorted = drawn.map((each) => ({ ...each, at: each.at % (base.length + 1) })).sort((a, b) => a.at - b.at);
    let free = -1;
    return sorted.flatMap(({ at, remove, who, form }, index) => {
      if (at <= free) return [];
      free = Math.min(at + remove, base.length);
      return [{ who, edit: { at, remove: free - at, insert: form.replaceAll('*', `${index}`) } }];
    });
  }

  const beside = fc.array(
    fc.record({
      to: fc.nat(),
      after: fc.boolean(),
      form: fc.constantFrom('<#>', ' <#> ', '<#>\n', '\n<#>'),
      typed: fc.boolean(),
    }),
    { maxLength: 3 },
  );
  type Beside = typeof beside extends fc.Arbitrary<infer T> ? T : never;

  /** Somebody else writes right before or behind markers of the stored text. */
  function besideMarkers(stored: string, drawn: Beside): Step[] {
    const steps: Step[] = [];
    let text = stored;
    for (const [index, { to, after, form, typed: isTyped }] of drawn.entries()) {
      const all = [...text.matchAll(/<\d+\w?>/g)];
      const marker = all[to % Math.max(1, all.length)];
      if (marker === undefined) break;
      const at = marker.index + (after ? marker[0].length : 0);
      const edit = { at, remove: 0, insert: form.replace('#', `${90 + index}`) };
      text = applyEdits(text, [edit]);
      steps.push(isTyped ? edit : text);
    }
    return steps;
  }

  const countsOf = (text: string) => {
    const counts = new Map<string, number>();
    for (const [marker] of text.matchAll(/<\d+\w?>/g)) counts.set(marker, (counts.get(marker) ?? 0) + 1);
    return counts;
  };

  function mergedChanges(base: string, drawn: readonly Change[], others: Beside, atOnce: boolean) {
    const changes = changesOf(base, drawn);
    const editsOf = (side: string) =>
      changes.filter(({ who }) => who === side || who === 'both').map(({ edit }) => edit);
    const stored = applyEdits(base, editsOf('stored'));
    const client = applyEdits(base, editsOf('client'));
    const first: Step[] = atOnce ? [stored] : editsOf('stored').toReversed();
    const result = merged(base, [...first, ...besideMarkers(stored, others)], client);
    return { ...result, client, hint: JSON.stringify([base, result.stored, client, result.text]) };
  }

  it('a merge keeps the insertions of each side exactly once, wherever they are, and loses no shared edit', () => {
    const gaps = fc.array(fc.constantFrom(' ', ' ', '\n', '\n\n', ', ', '\n- '), { minLength: 10, maxLength: 10 });
    const bases = gaps.map((drawn) => names.map((name, at) => name + drawn[at]).join(''));
    fc.assert(
      fc.property(bases, fc.array(change, { maxLength: 8 }), beside, fc.boolean(), (base, drawn, others, atOnce) => {
        const { stored, client, text, hint } = mergedChanges(base, drawn, others, atOnce);
        const [inStored, inClient, counts] = [countsOf(stored), countsOf(client), countsOf(text)];
        for (const marker of new Set([...inStored.keys(), ...inClient.keys()])) {
          const count = counts.get(marker) ?? 0;
          const both = inStored.has(marker) && inClient.has(marker);
          assert.ok(count === 1 || (both && count > 1), `${marker} is there ${count} times: ${hint}`);
        }
      }),
      { numRuns: 1250 },
    );
  });

  it('a merge has every change once where different lines changed, whoever made it', () => {
    const lines = fc.array(fc.tuple(change, fc.nat(20)), { maxLength: 6 });
    fc.assert(
      fc.property(lines, beside, fc.boolean(), (drawn, others, atOnce) => {
        const base = names.map((name, at) => `${name} stands in line ${at}\nand so on ${names[9 - at]}\n`).join('');
        const starts = names.map((name) => base.indexOf(`${name} stands`));
        const apart = drawn.map(([each, at], index) => ({ ...each, at: (starts[index] ?? 0) + at }));
        const { stored, client, text, hint } = mergedChanges(base, apart, others, atOnce);
        const expected = [...new Set([...countsOf(stored).keys(), ...countsOf(client).keys()])];
        assert.deepEqual([...countsOf(text)].sort(), expected.map((marker) => [marker, 1]).sort(), hint);
      }),
      { numRuns: 1250 },
    );
  });

  it('a merge has a word once that both wrote, where somebody wrote another one beyond the blank behind it', () => {
    // The blank of the base is between the two insertions: a diff may place the client's word on either side of it.
    const typed = { at: 'it stands'.length, remove: 0, insert: ' <0>' };
    const { text } = merged('it stands in', [typed, 'it stands <0> <90>  in'], 'it stands <0> in');
    assert.equal(text, 'it stands <0> <90>  in');
  });

  it('a merge tears no line added above lines that the other side removed and wrote again', () => {
    const base = 'text\n<3>\n\n<2>\n<1><4>\n';
    const stored = 'text\n<28>\n<29>\n<3>\n<30>\n\n<2>\n<1><4>\n';
    const { text } = merged(base, ['text\n<3>\n\n', stored], 'text\n<3>\n\n<42>\n<2>\n<1><4>\n');
    assert.equal(text, 'text\n<28>\n<29>\n<3>\n<30>\n\n<42>\n<2>\n<1><4>\n');
  });

  it('a merge tears no line that one side added or removed beside a word that the other side changed', () => {
    const drawn = fc.array(fc.tuple(fc.boolean(), fc.constantFrom('kept', 'added', 'removed')), { minLength: 1 });
    fc.assert(
      fc.property(drawn, fc.boolean(), (lines, swapped) => {
        const text = (isChanged: boolean, kinds: readonly string[]) =>
          lines
            .flatMap(([changes, kind], at) => [
              `<${changes && isChanged ? 2 : 1}${at}>\n`,
              ...(kinds.includes(kind) ? [`<4${at}>\n`] : []),
            ])
            .join('');
        const base = text(false, ['removed']);
        const [changed, edited] = [text(true, ['removed']), text(false, ['added'])];
        const [stored, client] = swapped ? [edited, changed] : [changed, edited];
        assert.equal(
          merged(base, [stored], client).text,
          text(true, ['added']),
          JSON.stringify([base, stored, client]),
        );
      }),
      { numRuns: 500 },
    );
  });
});
