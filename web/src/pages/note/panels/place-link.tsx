import { Link } from '@tanstack/react-router';
import { workspace } from '../../../workspace/workspace.ts';
import { Marked } from './marked.tsx';
import styles from './panels.module.css';

interface PlaceLinkProps {
  readonly vaultId: string;
  /** The note that has the text. */
  readonly noteId: string;
  readonly context: string;
  /** What is marked in it; null if that is not known. */
  readonly place: readonly number[] | null;
  /** Where that is in the note. */
  readonly offset: number | null;
}

/** A line of another note, which opens there. */
export function PlaceLink({ vaultId, noteId, context, place, offset }: PlaceLinkProps) {
  const [start = 0, end = 0] = place ?? [];
  return (
    <Link
      to="/vaults/$vaultId/notes/$noteId"
      params={{ vaultId, noteId }}
      search={{ panel: 'links' }}
      className={styles.link}
      onClick={() =>
        workspace.note(noteId).wantPlace({ excerpt: context, start, end, ...(offset === null ? {} : { offset }) })
      }
    >
      <Marked text={context} places={place === null ? [] : [place]} />
    </Link>
  );
}
