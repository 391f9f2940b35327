import type { SearchResult } from '@notevault/protocol/search.ts';
import { Link } from '@tanstack/react-router';
import { bestMark } from '../../workspace/result-place.ts';
import { workspace } from '../../workspace/workspace.ts';
import { markedPieces } from './marked.ts';
import styles from './search-page.module.css';

/** A note that was found, with the words around the best place, where it is opened. */
export function Result({ vaultId, result }: { readonly vaultId: string; readonly result: SearchResult }) {
  const { id, title, folder, heading_path, snippet, highlights } = result;
  const heading = heading_path.split(' > ').at(-1) ?? '';
  const pieces = markedPieces(snippet, highlights).map((piece, at) => ({ ...piece, key: `${at} ${piece.text}` }));
  const mark = bestMark(result);
  return (
    <Link
      to="/vaults/$vaultId/notes/$noteId"
      params={{ vaultId, noteId: id }}
      // In a tab of the browser, it opens at the heading above.
      hash={heading === title ? '' : heading}
      className={styles.result}
      onClick={() => {
        if (mark !== null) workspace.note(id).wantPlace(mark);
      }}
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
