import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { noteQuery } from '../data/queries.ts';
import { useVaultId } from '../data/use-vault.ts';
import { Time } from '../ui/text/time.tsx';
import { firstLine } from './first-line.ts';
import styles from './note-list.module.css';

interface ListedNote {
  readonly id: string;
  readonly title: string;
  readonly folder: string;
  readonly updated_at: string;
}

/** Those at the top are likely to be opened; they are read for their first lines. */
const WITH_LINES = 8;

/** A list of notes with their first lines, their folders and when they changed. */
export function NoteList({ notes }: { readonly notes: readonly ListedNote[] }) {
  const vaultId = useVaultId();
  const texts = useQueries({
    queries: notes
      .slice(0, WITH_LINES)
      .map(({ id }) => ({ ...noteQuery(vaultId, id), staleTime: 60_000, retry: false })),
  });
  return (
    <ul className={styles.list}>
      {notes.map(({ id, title, folder, updated_at }, at) => (
        <li key={id}>
          <Link to="/vaults/$vaultId/notes/$noteId" params={{ vaultId, noteId: id }} className={styles.item}>
            <span className={styles.title} dir="auto">
              {title}
            </span>
            <span className={styles.about}>
              {folder === '' ? null : <span dir="auto">{folder} · </span>}
              <Time at={updated_at} />
            </span>
            {at < WITH_LINES ? (
              <span className={styles.line} dir="auto">
                {firstLine(texts[at]?.data?.content ?? '', title)}
              </span>
            ) : null}
          </Link>
        </li>
      ))}
    </ul>
  );
}
