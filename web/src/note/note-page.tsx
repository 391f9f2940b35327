import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { NotFound } from '../app/not-found.tsx';
import { noteQuery } from '../data/queries.ts';
import { Page } from '../vault/page.tsx';
import styles from './note-page.module.css';

const route = getRouteApi('/vaults/$vaultId/notes/$noteId');

/** A note. */
export function NotePage() {
  const { vaultId, noteId } = route.useParams();
  const { data: note } = useSuspenseQuery(noteQuery(vaultId, noteId));
  if (note === null) return <NotFound />;
  return (
    <Page title={note.title}>
      <pre className={styles.source} dir="auto">
        {note.content}
      </pre>
    </Page>
  );
}
