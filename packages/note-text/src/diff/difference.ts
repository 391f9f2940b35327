import { minimalDiff } from './diff.ts';

/** A piece of two texts: in both, only in the later one, or only in the earlier one. */
export interface DifferencePiece {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Number of unchanged characters shown around a difference. */
const AROUND = 200;
const GAP = '\n⋯\n';

interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** A letter or digit of a script that separates words by spaces. */
const IN_WORD = /(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}])[\p{L}\p{N}_]/u;

function isInWord(text: string, at: number): boolean {
  return IN_WORD.test(text[at] ?? '');
}

/** Returns what differs between two texts, word by word, in the order of the text. */
export function differenceOf(before: string, after: string): DifferencePiece[] {
  const pieces: DifferencePiece[] = [];
  const add = (kind: DifferencePiece['kind'], text: string) => {
    if (text !== '') pieces.push({ kind, text });
  };
  let at = 0;
  for (const { from, to, insert } of wholeWords(before, after)) {
    add('same', before.slice(at, from));
    add('removed', before.slice(from, to));
    add('added', insert);
    at = to;
  }
  add('same', before.slice(at));
  return pieces;
}

/** The least edits, widened to the words that they are in. */
function wholeWords(before: string, after: string): Replacement[] {
  const found: Replacement[] = [];
  for (const { at, remove, insert } of minimalDiff(before, after)) {
    const wide = widened(before, { from: at, to: at + remove, insert });
    const last = found.at(-1);
    if (last === undefined || last.to < wide.from) found.push(wide);
    else found[found.length - 1] = joined(before, last, { from: at, to: at + remove, insert });
  }
  return found;
}

/** Two edits in one word, as one. */
function joined(before: string, first: Replacement, second: Replacement): Replacement {
  // The first was widened up to the end of the word, in which the second is.
  const kept = first.insert.slice(0, first.insert.length - Math.max(0, first.to - second.from));
  const between = before.slice(first.to, second.from);
  return widened(before, { from: first.from, to: second.to, insert: kept + between + second.insert });
}

function widened(before: string, { from, to, insert }: Replacement): Replacement {
  let [start, end] = [from, to];
  if (isInWord(before, from) || isInWord(insert, 0)) while (start > 0 && isInWord(before, start - 1)) start -= 1;
  if (isInWord(before, to - 1) || isInWord(insert, insert.length - 1)) while (isInWord(before, end)) end += 1;
  return { from: start, to: end, insert: before.slice(start, from) + insert + before.slice(to, end) };
}

/** Shortens unchanged text to the parts near a difference. */
export function shortened(pieces: readonly DifferencePiece[], around = AROUND): DifferencePiece[] {
  return pieces.map((piece, at) => {
    const { kind, text } = piece;
    if (kind !== 'same' || text.length <= 2 * around) return piece;
    const start = at === 0 ? '' : text.slice(0, around);
    const end = at === pieces.length - 1 ? '' : text.slice(-around);
    return { kind, text: `${start}${GAP}${end}` };
  });
}
