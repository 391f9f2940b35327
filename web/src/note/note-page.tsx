import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { importOrReload } from '../app/import-or-reload.ts';
import { NotFound } from '../app/not-found.tsx';
import { loadTexts } from '../i18n/i18n.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { noteName } from '../tree/model/tree-index.ts';
import { Notice } from '../ui/feedback/notice.tsx';
import { Page, useWindowTitle } from '../vault/page.tsx';
import styles from './note-page.module.css';
import panels from './panels/panels.module.css';
import { Panels } from './panels/panels.tsx';
import { useFoundNote } from './shown-note.ts';

const route = getRouteApi('/vaults/$vaultId/notes/$noteId');

const NoteEditor = lazy(async () => {
  const [module] = await Promise.all([importOrReload(() => import('./note-editor.tsx')), loadTexts('editor')]);
  return { default: module.NoteEditor };
});

/** A note: its text at once, and the editor as soon as that is loaded. */
export function NotePage() {
  const { vaultId, noteId } = route.useParams();
  const { panel } = route.useSearch();
  const found = useFoundNote(vaultId, noteId);
  useWindowTitle(typeof found === 'object' && found !== null ? noteName(found.shown.path) : '');
  if (found === null) return <NotFound />;
  if (found === 'unreachable') return <NotHere />;
  const { shown, stored } = found;
  const text = (
    <pre className={styles.source} dir="auto">
      {shown.content}
    </pre>
  );
  return (
    <div className={panels.frame} data-panel={panel === undefined ? undefined : ''}>
      <div className={panels.note}>
        <Suspense fallback={text}>
          <NoteEditor key={noteId} vaultId={vaultId} note={shown} />
        </Suspense>
      </div>
      {panel === undefined ? null : <Panels panel={panel} note={stored} vaultId={vaultId} />}
    </div>
  );
}

/** In place of a note that only the server has, while that cannot be reached. The note follows by itself. */
function NotHere() {
  const t = useTexts('vault');
  return (
    <Page title={t('note.notHere')}>
      <Notice kind="plain">{t('note.notHereText')}</Notice>
    </Page>
  );
}
