import type { Note } from '@notevault/protocol/notes.ts';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { importOrReload } from '../app/import-or-reload.ts';
import { NotFound } from '../app/not-found.tsx';
import { noteQuery } from '../data/queries.ts';
import { loadTexts } from '../i18n/i18n.ts';
import { useWindowTitle } from '../vault/page.tsx';
import styles from './note-page.module.css';
import panels from './panels/panels.module.css';
import { Panels } from './panels/panels.tsx';

const route = getRouteApi('/vaults/$vaultId/notes/$noteId');

const NoteEditor = lazy(async () => {
  const [module] = await Promise.all([importOrReload(() => import('./note-editor.tsx')), loadTexts('editor')]);
  return { default: module.NoteEditor };
});

/** A note: its text at once, and the editor as soon as that is loaded. */
export function NotePage() {
  const { vaultId, noteId } = route.useParams();
  const { panel } = route.useSearch();
  const note = useKnownNote(vaultId, noteId);
  useWindowTitle(note?.title ?? '');
  if (note === null) return <NotFound />;
  const text = (
    <pre className={styles.source} dir="auto">
      {note.content}
    </pre>
  );
  return (
    <div className={panels.frame} data-panel={panel === undefined ? undefined : ''}>
      <div className={panels.note}>
        <Suspense fallback={text}>
          <NoteEditor key={noteId} vaultId={vaultId} note={note} />
        </Suspense>
      </div>
      {panel === undefined ? null : <Panels panel={panel} note={note} vaultId={vaultId} />}
    </div>
  );
}

/** The note; after it was deleted elsewhere, as it was: the editor has its text, and offers to keep it. */
function useKnownNote(vaultId: string, noteId: string): Note | null {
  const { data: note } = useSuspenseQuery(noteQuery(vaultId, noteId));
  const [known, setKnown] = useState(note);
  if (note !== null && note !== known) setKnown(note);
  return note ?? (known?.id === noteId ? known : null);
}
