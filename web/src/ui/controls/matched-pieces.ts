interface Piece {
  readonly from: number;
  readonly piece: string;
  readonly isMatched: boolean;
}

/** Cuts a text where each word of a query is in it first, as it is written but for its case. */
export function matchedPieces(text: string, query: string): Piece[] {
  const lower = text.toLowerCase();
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  // Letters that have another length in lower case would shift what is marked.
  if (lower.length !== text.length || words.length === 0) return [{ from: 0, piece: text, isMatched: false }];
  const isMarked = new Array<boolean>(text.length).fill(false);
  for (const word of words) {
    const at = lower.indexOf(word);
    if (at >= 0) isMarked.fill(true, at, at + word.length);
  }
  const pieces: Piece[] = [];
  for (let from = 0; from < text.length; ) {
    let to = from + 1;
    while (to < text.length && isMarked[to] === isMarked[from]) to += 1;
    pieces.push({ from, piece: text.slice(from, to), isMatched: isMarked[from] === true });
    from = to;
  }
  return pieces;
}
