import { applyEdits, type Edit, minimalDiff } from '@notevault/note-text/diff/diff.ts';
import type { Insertion, Run } from '@notevault/note-text/diff/runs.ts';
import { clientEdits } from '@notevault/note-text/diff/three-way.ts';
import { typedLetters } from '@notevault/note-text/diff/typed-letters.ts';

/**
 * Merges two texts derived from one base that the server no longer has. A change made on both sides is applied once;
 * where the sides differ, the insertions of both are kept.
 */
export function mergeTexts(base: string, mine: string, theirs: string): string {
  const runs: Run[] = [];
  const insertions: Insertion[] = [];
  let [baseStart, nowStart] = [0, 0];
  const push = (length: number, alive: boolean) => {
    if (length > 0) runs.push({ baseStart, length, nowStart, alive });
    baseStart += length;
    if (alive) nowStart += length;
  };
  const [ofTheirs, ofMine] = byLetters(base, [minimalDiff(base, theirs), minimalDiff(base, mine)]);
  for (const { at, remove, insert } of ofTheirs) {
    push(at - baseStart, true);
    push(remove, false);
    if (insert !== '') insertions.push({ from: nowStart, to: nowStart + insert.length, write: 'theirs' });
    nowStart += insert.length;
  }
  push(base.length - baseStart, true);
  return applyEdits(theirs, clientEdits({ base, stored: theirs, client: mine, runs, insertions }, {}, ofMine));
}

/**
 * The edits of both sides by letters, where both replace the same text and only typed into it: a line that both replaced
 * as a whole would be there twice.
 */
function byLetters(
  base: string,
  [theirs, mine]: readonly [readonly Edit[], readonly Edit[]],
): readonly [readonly Edit[], readonly Edit[]] {
  const meets = (edit: Edit) => (other: Edit) => edit.at < other.at + other.remove && other.at < edit.at + edit.remove;
  if (!theirs.some((edit) => mine.some(meets(edit)))) return [theirs, mine];
  // As a diff by lines may tell that a line was typed elsewhere, all that changed is compared first.
  const [from, to] = [Math.min(startOf(theirs), startOf(mine)), Math.max(endOf(theirs), endOf(mine))];
  const all = [theirs, mine].map((edits) => typedLetters(base, joined(base, edits, from, to)));
  const [ofTheirs = null, ofMine = null] = all;
  return ofTheirs === null || ofMine === null ? [theirs, mine] : [ofTheirs, ofMine];
}

const startOf = (edits: readonly Edit[]) => edits[0]?.at ?? 0;
const endOf = (edits: readonly Edit[]) => edits.reduce((end, { at, remove }) => Math.max(end, at + remove), 0);

/** One edit of a stretch that has the same effect. */
function joined(base: string, edits: readonly Edit[], from: number, to: number): Edit {
  const moved = edits.map((edit) => ({ ...edit, at: edit.at - from }));
  return { at: from, remove: to - from, insert: applyEdits(base.slice(from, to), moved) };
}
