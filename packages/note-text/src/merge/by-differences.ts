import { applyEdits, type Edit, minimalDiff } from '../diff/diff.ts';
import { hunksOf } from '../diff/myers.ts';
import { changesAt, type Texts } from '../diff/runs.ts';
import { clientEdits, type Merge } from '../diff/three-way.ts';
import { startsLine } from '../diff/tokens.ts';
import { typedLetters } from '../diff/typed-letters.ts';

/** Merges texts by their differences from the base, where the stored text's changes are not known letter by letter. */
export function mergeByDifferences({ base, stored, client }: Pick<Texts, 'base' | 'stored' | 'client'>): Merge {
  const [ofTheirs, ofMine] = byLetters(base, [minimalDiff(base, stored), minimalDiff(base, client)]);
  const insertions = [{ from: 0, to: stored.length, write: 'theirs' }];
  const texts = { base, stored, client, runs: [], insertions };
  return clientEdits({ ...texts, ...changesAt(texts, hunksOf(ofTheirs)) }, {}, ofMine);
}

/**
 * Returns the edits of both sides by letters, where both replace the same text and only typed into it: a line that both
 * replaced as a whole would be there twice.
 */
function byLetters(
  base: string,
  [theirs, mine]: readonly [readonly Edit[], readonly Edit[]],
): readonly [readonly Edit[], readonly Edit[]] {
  const meets = (edit: Edit) => (other: Edit) => edit.at < other.at + other.remove && other.at < edit.at + edit.remove;
  const meet = (some: readonly Edit[], others: readonly Edit[]) => some.some((edit) => others.some(meets(edit)));
  if (!meet(theirs, mine)) return [theirs, mine];
  // As a diff by lines may tell that a line was typed elsewhere, all that changed is compared first.
  const [from, to] = [Math.min(startOf(theirs), startOf(mine)), Math.max(endOf(theirs), endOf(mine))];
  const all = [theirs, mine].map((edits) => typedLetters(base, joined(base, edits, from, to)));
  const [ofTheirs = null, ofMine = null] = all;
  if (ofTheirs === null || ofMine === null) return [theirs, mine];
  const isLine = ({ at, remove, insert }: Edit) =>
    insert === '' && startsLine(base, at) && startsLine(base, at + remove);
  // Where one side removed a line, the letters of the other would be left at the start of the next line.
  const isRemoved = meet(ofTheirs.filter(isLine), ofMine) || meet(ofMine.filter(isLine), ofTheirs);
  return isRemoved ? [theirs, mine] : [ofTheirs, ofMine];
}

const startOf = (edits: readonly Edit[]) => edits[0]?.at ?? 0;
const endOf = (edits: readonly Edit[]) => edits.reduce((end, { at, remove }) => Math.max(end, at + remove), 0);

/** Returns a single edit of a stretch with the combined effect of several. */
function joined(base: string, edits: readonly Edit[], from: number, to: number): Edit {
  const moved = edits.map((edit) => ({ ...edit, at: edit.at - from }));
  return { at: from, remove: to - from, insert: applyEdits(base.slice(from, to), moved) };
}
