/** Piece of a text: a match, or the text between matches. */
export interface Piece {
  readonly text: string;
  readonly isFound: boolean;
}

/** Cuts a text at the places that were found, given as start and end. Places that overlap or lie outside are ignored. */
export function markedPieces(text: string, found: readonly (readonly number[])[]): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const [start = -1, end = -1] of [...found].sort(([a = 0], [b = 0]) => a - b)) {
    if (start < at || end <= start || end > text.length) continue;
    if (start > at) pieces.push({ text: text.slice(at, start), isFound: false });
    pieces.push({ text: text.slice(start, end), isFound: true });
    at = end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isFound: false });
  return pieces;
}
