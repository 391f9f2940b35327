import { exactTerms } from './expand.ts';
import type { Segment } from './segment.ts';

/** Notes in which the words stand one right after the other, as they are spelt; one byte for each note of each segment. */
export function notesWithPhrase(segments: readonly Segment[], words: readonly string[]): Uint8Array[] {
  const terms = words.map((word) => exactTerms(segments, word));
  return segments.map((segment) => {
    const candidates = notesWithAll(segment, terms);
    // For each candidate, the positions at which the words so far have ended.
    let ends: Map<number, Set<number>> | undefined;
    for (const own of terms) {
      const next = new Map<number, Set<number>>();
      for (const term of own) {
        const reader = segment.postings(term);
        while (reader?.next()) {
          const { note } = reader;
          if (candidates[note] !== 1) continue;
          const before = ends?.get(note);
          if (ends !== undefined && before === undefined) continue;
          const positions = next.get(note) ?? new Set<number>();
          for (let place = reader.nextPlace(); place >= 0; place = reader.nextPlace()) {
            const position = Math.floor(place / 4);
            if (before === undefined || before.has(position - 1)) positions.add(position);
          }
          if (positions.size > 0) next.set(note, positions);
        }
      }
      ends = next;
    }
    const mask = new Uint8Array(segment.size);
    for (const note of ends?.keys() ?? []) mask[note] = 1;
    return mask;
  });
}

/** Notes that have a term of each list: so that places are read of few. */
function notesWithAll(segment: Segment, lists: readonly (readonly string[])[]): Uint8Array {
  const reached = new Uint8Array(segment.size);
  lists.forEach((terms, step) => {
    const before = Math.min(step, 254);
    for (const term of terms) {
      const reader = segment.postings(term);
      while (reader?.next()) if (reached[reader.note] === before) reached[reader.note] = before + 1;
    }
  });
  const all = Math.min(lists.length, 255);
  return reached.map((steps) => (steps === all ? 1 : 0));
}
