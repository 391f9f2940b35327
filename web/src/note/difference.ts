import { minimalDiff } from '@notevault/note-text/diff/diff.ts';

/** A piece of two texts: in both, only in the later one, or only in the earlier one. */
export interface DifferencePiece {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** So many characters of what is the same are shown around a difference. */
const AROUND = 200;
const GAP = '\n⋯\n';

/** Returns what differs between two texts, word by word, in the order of the text. */
export function differenceOf(before: string, after: string): DifferencePiece[] {
  const pieces: DifferencePiece[] = [];
  const add = (kind: DifferencePiece['kind'], text: string) => {
    if (text !== '') pieces.push({ kind, text });
  };
  let at = 0;
  for (const edit of minimalDiff(before, after)) {
    add('same', before.slice(at, edit.at));
    add('removed', before.slice(edit.at, edit.at + edit.remove));
    add('added', edit.insert);
    at = edit.at + edit.remove;
  }
  add('same', before.slice(at));
  return pieces;
}

/** Shortens what is the same to what is near a difference. */
export function shortened(pieces: readonly DifferencePiece[]): DifferencePiece[] {
  return pieces.map((piece, at) => {
    const { kind, text } = piece;
    if (kind !== 'same' || text.length <= 2 * AROUND) return piece;
    const start = at === 0 ? '' : text.slice(0, AROUND);
    const end = at === pieces.length - 1 ? '' : text.slice(-AROUND);
    return { kind, text: `${start}${GAP}${end}` };
  });
}
