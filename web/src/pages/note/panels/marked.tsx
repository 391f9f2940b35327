import { markedPieces } from '../../search/marked.ts';

/** A text around places, with these marked. */
export function Marked({ text, places }: { readonly text: string; readonly places: readonly (readonly number[])[] }) {
  const pieces = markedPieces(text, places).map((piece, at) => ({ ...piece, key: `${at} ${piece.text}` }));
  return (
    <small dir="auto">
      {pieces.map(({ key, text: shown, isFound }) => (isFound ? <mark key={key}>{shown}</mark> : shown))}
    </small>
  );
}
