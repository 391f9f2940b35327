/** A place to go to in a note: an excerpt of its plain text, and the part of it that was found. */
export interface ExcerptPlace {
  readonly excerpt: string;
  readonly start: number;
  readonly end: number;
  /** Offset of the excerpt in the note when it was found; if missing, the text is searched for. */
  readonly offset?: number;
}

/** Numbers of characters around a match that must agree, tried from the largest down to none. */
const BESIDE = [40, 20, 8, 3]
  .flatMap(
    (length) =>
      [
        [length, length],
        [length, 0],
        [0, length],
      ] as const,
  )
  .concat([[0, 0]]);

interface Letters {
  /** Only letters and digits, in lower case: what marks of markdown do not change. */
  readonly text: string;
  /** Offsets of the letters in the original text. */
  readonly places: readonly number[];
}

/**
 * Finds an excerpt's match in the text of a note, which has marks that the excerpt lacks and may have changed since.
 * Null if the match is gone.
 */
export function placeOfExcerpt(
  note: string,
  { excerpt, start, end, offset }: ExcerptPlace,
): { readonly from: number; readonly to: number } | null {
  const found = lettersOf(excerpt.slice(start, end)).text;
  if (found === '') return null;
  const all = lettersOf(note);
  const before = lettersOf(excerpt.slice(0, start)).text;
  const after = lettersOf(excerpt.slice(end)).text;
  for (const [leading, trailing] of BESIDE) {
    const lead = leading === 0 ? '' : before.slice(-leading);
    const at = nearest(all, lead + found + after.slice(0, trailing), offset);
    if (at === null) continue;
    const first = all.places[at + lead.length];
    const last = all.places[at + lead.length + found.length - 1];
    if (first !== undefined && last !== undefined) return { from: first, to: last + 1 };
  }
  return null;
}

/** The first place of a text, or that which is nearest to an offset of the note. */
function nearest({ text, places }: Letters, needle: string, offset: number | undefined): number | null {
  let best: number | null = null;
  const distance = (at: number) => Math.abs((places[at] ?? 0) - (offset ?? 0));
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
    if (offset === undefined) return at;
    if (best !== null && distance(at) > distance(best)) break;
    best = at;
  }
  return best;
}

const LETTER = /[\p{L}\p{N}]/u;

function lettersOf(of: string): Letters {
  const places: number[] = [];
  let text = '';
  let at = 0;
  for (const char of of) {
    if (LETTER.test(char)) {
      const lower = char.toLowerCase();
      text += lower;
      // A letter may be longer in lower case.
      for (let unit = 0; unit < lower.length; unit++) places.push(at + Math.min(unit, char.length - 1));
    }
    at += char.length;
  }
  return { text, places };
}
