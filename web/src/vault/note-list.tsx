import { Link } from '@tanstack/react-router';
import { useVaultId } from '../data/use-vault.ts';
import { Time } from '../ui/text/time.tsx';
import styles from './note-list.module.css';

interface ListedNote {
  readonly id: string;
  readonly title: string;
  readonly folder: string;
  readonly updated_at: string;
}

/** A list of notes with their folders and when they changed. */
export function NoteList({ notes, empty }: { readonly notes: readonly ListedNote[]; readonly empty: string }) {
  const vaultId = useVaultId();
  if (notes.length === 0) return <p className={styles.empty}>{empty}</p>;
  return (
    <ul className={styles.list}>
      {notes.map(({ id, title, folder, updated_at }) => (
        <li key={id}>
          <Link to="/vaults/$vaultId/notes/$noteId" params={{ vaultId, noteId: id }} className={styles.item}>
            <span className={styles.title} dir="auto">
              {title}
            </span>
            <Time at={updated_at} className={styles.time} />
            <span className={styles.path} dir="auto">
              {folder}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
