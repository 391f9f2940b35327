import type { SearchResult } from '@notevault/protocol/search.ts';
import { Link } from '@tanstack/react-router';
import { markedPieces } from './marked.ts';
import styles from './search-page.module.css';

/** A note that was found, with the words around the best place; it opens at the heading above that. */
export function Result({ vaultId, result }: { readonly vaultId: string; readonly result: SearchResult }) {
  const { id, title, folder, heading_path, snippet, highlights } = result;
  const heading = heading_path.split(' > ').at(-1) ?? '';
  const pieces = markedPieces(snippet, highlights).map((piece, at) => ({ ...piece, key: `${at} ${piece.text}` }));
  return (
    <Link
      to="/vaults/$vaultId/notes/$noteId"
      params={{ vaultId, noteId: id }}
      hash={heading === title ? '' : heading}
      className={styles.result}
    >
      <span className={styles.title} dir="auto">
        {title}
      </span>
      <span className={styles.path} dir="auto">
        {[folder, heading_path].filter((part) => part !== '' && part !== title).join(' · ')}
      </span>
      <span className={styles.snippet} dir="auto">
        {pieces.map(({ key, text, isFound }) => (isFound ? <mark key={key}>{text}</mark> : text))}
      </span>
    </Link>
  );
}
