import { getRouteApi, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { recordOpened } from '../data/record-opened.ts';
import { loadTexts } from '../i18n/i18n.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { importOrReload } from '../page/import-or-reload.ts';
import { NotFound } from '../page/not-found.tsx';
import { Page, useWindowTitle } from '../page/page.tsx';
import { noteName } from '../tree/model/tree-index.ts';
import { Notice } from '../ui/feedback/notice.tsx';
import { workspace } from '../workspace/workspace.ts';
import { anchorOf } from './anchor.ts';
import panels from './panels/panels.module.css';
import { Panels } from './panels/panels.tsx';
import { useFoundNote } from './shown-note.ts';
import { UndrawnNote } from './undrawn-note.tsx';

const route = getRouteApi('/vaults/$vaultId/notes/$noteId');

const NoteEditor = lazy(async () => {
  const [module] = await Promise.all([importOrReload(() => import('./note-editor.tsx')), loadTexts('editor')]);
  return { default: module.NoteEditor };
});

const PastVersion = lazy(async () => {
  const module = await importOrReload(() => import('./panels/past-version.tsx'));
  return { default: module.PastVersion };
});

/** A note: its text at once, and the editor as soon as that is loaded. */
export function NotePage() {
  const { vaultId, noteId } = route.useParams();
  const { panel, version } = route.useSearch();
  const navigate = route.useNavigate();
  useAnchor(noteId);
  const found = useFoundNote(vaultId, noteId);
  const isStored = typeof found === 'object' && found?.stored !== null && found !== null;
  useEffect(() => {
    if (isStored && navigator.onLine) recordOpened(vaultId, noteId);
  }, [vaultId, noteId, isStored]);
  useWindowTitle(typeof found === 'object' && found !== null ? noteName(found.shown.path) : '');
  if (found === null) return <NotFound />;
  if (found === 'unreachable') return <NotHere vaultId={vaultId} noteId={noteId} />;
  const { shown, stored, isDraft } = found;
  return (
    <div className={panels.frame} data-panel={panel === undefined ? undefined : ''} data-version={version}>
      <div className={panels.note} inert={version !== undefined}>
        <Suspense fallback={<UndrawnNote note={shown} isAlone />}>
          <NoteEditor key={`${noteId} ${isDraft}`} vaultId={vaultId} note={shown} isDraft={isDraft} />
        </Suspense>
      </div>
      {version === undefined || stored === null ? null : (
        <Suspense>
          <PastVersion
            vaultId={vaultId}
            note={stored}
            version={version}
            close={() => void navigate({ search: { panel: 'history' }, replace: true })}
          />
        </Suspense>
      )}
      {panel === undefined ? null : <Panels panel={panel} noteId={noteId} note={stored} vaultId={vaultId} />}
    </div>
  );
}

/** Goes to the heading or block that the address names, when it names another one or another note. */
function useAnchor(noteId: string): void {
  const hash = useLocation({ select: (at) => at.hash });
  // The router decodes what it gives.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the hash says when to look at the address
  useEffect(() => void workspace.note(noteId).goToAnchor(anchorOf(location.hash)), [noteId, hash]);
}

/**
 * In place of a note of which this device has no document, while the server cannot be reached: it is opened as it is kept
 * here on request. One that only the server has follows by itself.
 */
function NotHere({ vaultId, noteId }: { readonly vaultId: string; readonly noteId: string }) {
  const t = useTexts('vault');
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    setMissing(false);
    void import('../device/kept/here.ts')
      .then(({ openKept }) => openKept(vaultId, noteId))
      .catch(() => false)
      .then((isKept) => setMissing(!isKept));
  }, [vaultId, noteId]);
  if (!isMissing) return null;
  return (
    <Page title={t('note.notHere')}>
      <Notice kind="plain">{t('note.notHereText')}</Notice>
    </Page>
  );
}
