import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TooManySteps } from '../src/diff/budget.ts';
import { applyEdits, type Edit, minimalDiff } from '../src/diff/diff.ts';
import type { Insertion, Run } from '../src/diff/runs.ts';
import { clientEdits } from '../src/diff/three-way.ts';

/** Applies edits to a base, each as a separate write, and returns the changes as a document would report them. */
function changesOf(base: string, edits: readonly Edit[]): { runs: Run[]; insertions: Insertion[] } {
  const runs: Run[] = [];
  const insertions: Insertion[] = [];
  let [baseStart, nowStart] = [0, 0];
  const push = (length: number, alive: boolean) => {
    if (length > 0) runs.push({ baseStart, length, nowStart, alive });
    baseStart += length;
    if (alive) nowStart += length;
  };
  for (const [index, { at, remove, insert }] of edits.entries()) {
    push(at - baseStart, true);
    push(remove, false);
    insertions.push({ from: nowStart, to: nowStart + insert.length, write: `${index}` });
    nowStart += insert.length;
  }
  push(base.length - baseStart, true);
  return { runs, insertions };
}

function merged(base: string, theirs: readonly Edit[], client: string): string {
  const stored = applyEdits(base, theirs);
  return applyEdits(stored, clientEdits({ base, stored, client, ...changesOf(base, theirs) }).edits);
}

const insertion = (at: number, insert: string): Edit => ({ at, remove: 0, insert });

describe('clientEdits', () => {
  it('clientEdits keeps two insertions that share letters inside a word as two', () => {
    assert.equal(merged('text\n', [insertion(0, '<1>\n')], '<13>\ntext\n'), '<13>\n<1>\ntext\n');
    assert.equal(merged('text\n', [insertion(0, '<13>\n')], '<1>\ntext\n'), '<1>\n<13>\ntext\n');
  });

  it('clientEdits does not restore a line that the stored side removed and the client merely kept', () => {
    const base = '<4>\ntext\n\n<38><19>\n<27>\n<28>\n';
    const client = '<4>\ntext\n\n<38><19>\n<27>\n<72>\n<28>\n';
    const removed = { at: base.indexOf('<19>'), remove: 5, insert: '' };
    const theirs = [insertion(0, '<60>\n'), removed, insertion(base.length, '<67>\n')];
    assert.equal(merged(base, theirs, client), '<60>\n<4>\ntext\n\n<38><27>\n<72>\n<28>\n<67>\n');
  });

  it("clientEdits removes one of two equal lines once, whichever of them each side's diff names", () => {
    const base = 'a\nx\nx\nb\n';
    for (const at of [2, 4]) assert.equal(merged(base, [{ at, remove: 2, insert: '' }], 'a\nx\nb\n'), 'a\nx\nb\n');
  });

  it('clientEdits inserts once what the stored side inserted at another end of the text it slides over', () => {
    const base = 'a\nb\n';
    for (const theirs of [insertion(1, '\nx'), insertion(2, 'x\n')]) {
      assert.equal(merged(base, [theirs, insertion(4, 'c\n')], 'a\nx\nb\n'), 'a\nx\nb\nc\n');
    }
  });

  it('clientEdits rewrites a link once that both rewrote, with text that somebody else wrote beside it', () => {
    const base = 'see [[Moved]] now\n';
    const rewritten = [{ at: 6, remove: 5, insert: 'Moved88' }, insertion(13, ' (new)')];
    assert.equal(merged(base, rewritten, 'see [[Moved88]] now\n'), 'see [[Moved88]] (new) now\n');
  });

  it('clientEdits returns no edits where both have the same text', () => {
    const [base, text] = ['teh cat\n', 'the cat\n'];
    assert.equal(merged(base, minimalDiff(base, text), text), text);
  });

  it('clientEdits gives up after the allowed steps, in the diff and in the comparison with other writes', () => {
    const words = (of: string, count: number) => Array.from({ length: count }, (_, at) => `${of}${at * 7} `).join('');
    const base = 'begin\nend\n';
    const theirs = Array.from({ length: 40 }, (_, at) => insertion(6, `${words('t', 30)}${at}\n`));
    const stored = applyEdits(base, theirs.slice(0, 1));
    const client = `begin\n${words('c', 400)}\nend\n`;
    const texts = { base, stored, client, ...changesOf(base, theirs.slice(0, 1)) };
    const edits = clientEdits(texts);
    assert.throws(() => clientEdits(texts, { allowed: 100 }), TooManySteps);
    assert.deepEqual(clientEdits(texts, { allowed: 1_000_000 }), edits);
  });
});
