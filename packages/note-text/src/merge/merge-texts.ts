import { applyEdits } from '../diff/diff.ts';
import { mergeByDifferences } from './by-differences.ts';
import { mergeNote } from './merge-note.ts';

/**
 * Merges two texts of a note derived from one base, without its document. A change made on both sides is applied once;
 * words that both changed stand side by side, and of two values of one property the one of `mine` stands.
 */
export function mergeTexts(base: string, mine: string, theirs: string): string {
  const texts = { base, stored: theirs, client: mine, runs: [], insertions: [] };
  return applyEdits(theirs, mergeNote(texts, mergeByDifferences).edits);
}
