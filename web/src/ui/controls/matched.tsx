import { matchedPieces } from './matched-pieces.ts';
import styles from './picker.module.css';

/** A text with the letters that were looked for. */
export function Matched({ text, query }: { readonly text: string; readonly query: string }) {
  return matchedPieces(text, query).map(({ from, piece, isMatched }) =>
    isMatched ? (
      <b key={from} className={styles.matched}>
        {piece}
      </b>
    ) : (
      piece
    ),
  );
}
