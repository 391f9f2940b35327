import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { noteQuery } from '../../data/queries.ts';
import { useVaultId } from '../../data/use-vault.ts';
import { Time } from '../../ui/text/time.tsx';
import { firstLine } from './first-line.ts';
import styles from './note-list.module.css';

interface ListedNote {
  readonly id: string;
  readonly title: string;
  readonly folder: string;
  readonly updated_at: string;
}

/** A list of notes with their first lines, their folders and when they changed. */
export function NoteList({ notes }: { readonly notes: readonly ListedNote[] }) {
  return (
    <ul className={styles.list}>
      {notes.map((note) => (
        <NoteRow key={note.id} note={note} />
      ))}
    </ul>
  );
}

/** Row of a note; its first line is loaded when the row is nearly visible. */
function NoteRow({ note: { id, title, folder, updated_at } }: { readonly note: ListedNote }) {
  const vaultId = useVaultId();
  const row = useRef<HTMLLIElement>(null);
  const enabled = useIsNear(row);
  const { data } = useQuery({ ...noteQuery(vaultId, id), enabled, staleTime: 60_000, retry: false });
  return (
    <li ref={row}>
      <Link to="/vaults/$vaultId/notes/$noteId" params={{ vaultId, noteId: id }} className={styles.item}>
        <span className={styles.title} dir="auto">
          {title}
        </span>
        <span className={styles.about}>
          {folder === '' ? null : <span dir="auto">{folder} · </span>}
          <Time at={updated_at} />
        </span>
        <span className={styles.line} dir="auto">
          {firstLine(data?.content ?? '', title)}
        </span>
      </Link>
    </li>
  );
}

/** Whether an element has been nearly visible. */
function useIsNear(place: React.RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    const observer = new IntersectionObserver(
      (seen) => {
        if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
        setNear(true);
        observer.disconnect();
      },
      // The page scrolls within an element, whose edges a margin would not move otherwise.
      { root: current.closest('main'), rootMargin: '200px' },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, [place]);
  return isNear;
}
