import { positionOf } from '../index/occurrence.ts';
import type { Segment } from '../index/segment.ts';
import type { NoteMasks } from './search-filter.ts';
import { exactTerms } from './vocabulary.ts';

/** Returns the notes in which the words follow one another as they are spelt. */
export function notesWithPhrase(segments: readonly Segment[], words: readonly string[]): NoteMasks {
  const terms = words.map((word) => exactTerms(segments, word));
  return segments.map((segment) => {
    const candidates = notesWithAll(segment, terms);
    let ends: PhraseEnds | null = null;
    for (const wordTerms of terms) ends = extendPhrase(segment, wordTerms, candidates, ends);
    const mask = new Uint8Array(segment.size);
    for (const note of ends?.keys() ?? []) mask[note] = 1;
    return mask;
  });
}

/** Positions at which the phrase's words so far end, by note. */
type PhraseEnds = ReadonlyMap<number, ReadonlySet<number>>;

/** Returns the ends of a phrase that is extended by one word. */
function extendPhrase(
  segment: Segment,
  terms: readonly string[],
  candidates: Uint8Array,
  ends: PhraseEnds | null,
): PhraseEnds {
  const extended = new Map<number, Set<number>>();
  for (const term of terms) {
    const reader = segment.postings(term);
    while (reader?.next()) {
      const { note } = reader;
      if (candidates[note] !== 1) continue;
      const before = ends?.get(note);
      if (ends !== null && before === undefined) continue;
      const positions = extended.get(note) ?? new Set<number>();
      for (let occurrence = reader.nextOccurrence(); occurrence >= 0; occurrence = reader.nextOccurrence()) {
        const position = positionOf(occurrence);
        if (before === undefined || before.has(position - 1)) positions.add(position);
      }
      if (positions.size > 0) extended.set(note, positions);
    }
  }
  return extended;
}

/**
 * Returns the notes that have a term of each list. It does not read occurrences, so that the caller reads them for few
 * notes only.
 */
function notesWithAll(segment: Segment, lists: readonly (readonly string[])[]): Uint8Array {
  const matched = new Uint8Array(segment.size);
  lists.forEach((terms, index) => {
    const before = Math.min(index, 254);
    for (const term of terms) {
      const reader = segment.postings(term);
      while (reader?.next()) if (matched[reader.note] === before) matched[reader.note] = before + 1;
    }
  });
  const all = Math.min(lists.length, 255);
  return matched.map((count) => (count === all ? 1 : 0));
}
