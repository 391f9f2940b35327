import { getRouteApi, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { recordOpened } from '../../data/record-opened.ts';
import { noteName } from '../../data/tree/tree-index.ts';
import { useTree } from '../../data/use-tree.ts';
import { loadTexts } from '../../i18n/i18n.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { CrashBarrier } from '../../page/crash-barrier.tsx';
import { importOrReload } from '../../page/import-or-reload.ts';
import { NotFound } from '../../page/not-found.tsx';
import { Page, useWindowTitle } from '../../page/page.tsx';
import type { PanelName } from '../../page/search-params.ts';
import { narrow } from '../../platform/narrow.ts';
import { useObservable } from '../../platform/use-observable.ts';
import { Notice } from '../../ui/feedback/notice.tsx';
import { tabsOf } from '../../workspace/kept-tabs.ts';
import { showTab } from '../../workspace/tabs.ts';
import { useTabs } from '../../workspace/use-tabs.ts';
import { workspace } from '../../workspace/workspace.ts';
import { anchorOf } from './anchor.ts';
import styles from './note-page.module.css';
import panels from './panels/panels.module.css';
import { useFoundNote } from './shown-note.ts';
import { UndrawnNote } from './undrawn-note.tsx';

const route = getRouteApi('/vaults/$vaultId/notes/$noteId');

const NoteEditor = lazy(async () => {
  const [module] = await Promise.all([importOrReload(() => import('./note-editor.tsx')), loadTexts('editor')]);
  return { default: module.NoteEditor };
});

const Panels = lazy(async () => {
  const module = await importOrReload(() => import('./panels/panels.tsx'));
  return { default: module.Panels };
});

const PastVersion = lazy(async () => {
  const module = await importOrReload(() => import('./panels/past-version.tsx'));
  return { default: module.PastVersion };
});

/** The note of the address, and the one beside it, if two are shown. */
export function NotePage() {
  const { vaultId, noteId } = route.useParams();
  const { panel, version } = route.useSearch();
  const isNarrow = useObservable(narrow);
  const tabs = tabsOf(vaultId);
  const shownTabs = showTab(useObservable(tabs), noteId);
  useEffect(() => tabs.set(showTab(tabs.get(), noteId)), [tabs, noteId]);
  useAnchor(noteId);
  const shown = isNarrow ? [noteId] : shownTabs.shown;
  return (
    <div className={panels.frame} data-panel={panel === undefined ? undefined : ''} data-version={version}>
      <div className={styles.panes} data-split={shown.length > 1 || undefined} inert={version !== undefined}>
        {shown.map((id, place) => (
          // A pane stays when it shows another note, and when the other one has the focus.
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          <Pane key={place} vaultId={vaultId} noteId={id} hasFocus={id === noteId} isSplit={shown.length > 1} />
        ))}
      </div>
      {version === undefined ? null : (
        <Suspense>
          <PastVersionOf version={version} vaultId={vaultId} noteId={noteId} />
        </Suspense>
      )}
      {panel === undefined ? null : (
        <Suspense>
          <PanelsOf panel={panel} vaultId={vaultId} noteId={noteId} />
        </Suspense>
      )}
    </div>
  );
}

interface PaneProps {
  readonly vaultId: string;
  readonly noteId: string;
  readonly hasFocus: boolean;
  readonly isSplit: boolean;
}

/** A place for a note; the address names the note that has the focus. */
function Pane({ vaultId, noteId, hasFocus, isSplit }: PaneProps) {
  const t = useTexts('vault');
  const { goTo } = useTabs(vaultId);
  const index = useTree(vaultId);
  const note = (
    <CrashBarrier key={noteId}>
      <Suspense>
        <ShownNotePage vaultId={vaultId} noteId={noteId} hasFocus={hasFocus} />
      </Suspense>
    </CrashBarrier>
  );
  if (!isSplit) return <div className={panels.note}>{note}</div>;
  const takeFocus = () => {
    // Going from one to the other is no step to go back over.
    if (!hasFocus) goTo(noteId, true);
  };
  return (
    <section
      className={panels.note}
      data-focused={hasFocus || undefined}
      aria-label={t('tabs.pane', { name: index.byKey(noteId)?.name ?? '' })}
      onFocusCapture={takeFocus}
      onPointerDownCapture={takeFocus}
    >
      {note}
    </section>
  );
}

interface ShownNoteProps {
  readonly vaultId: string;
  readonly noteId: string;
  readonly hasFocus: boolean;
}

/** A note: its text at once, and the editor as soon as that is loaded. */
function ShownNotePage({ vaultId, noteId, hasFocus }: ShownNoteProps) {
  const found = useFoundNote(vaultId, noteId);
  const isStored = typeof found === 'object' && found?.stored !== null && found !== null;
  useEffect(() => {
    if (isStored && navigator.onLine) recordOpened(vaultId, noteId);
  }, [vaultId, noteId, isStored]);
  const title = typeof found === 'object' && found !== null ? noteName(found.shown.path) : '';
  if (found === null) return <NotFound />;
  if (found === 'unreachable') return <NotHere vaultId={vaultId} noteId={noteId} />;
  const { shown, isDraft } = found;
  return (
    <>
      {hasFocus ? <WindowTitle title={title} /> : null}
      <Suspense fallback={<UndrawnNote note={shown} isAlone />}>
        <NoteEditor key={`${noteId} ${isDraft}`} vaultId={vaultId} note={shown} isMain={hasFocus} isDraft={isDraft} />
      </Suspense>
    </>
  );
}

function WindowTitle({ title }: { readonly title: string }) {
  useWindowTitle(title);
  return null;
}

/** Panels of the note that has the focus. */
function PanelsOf({ panel, vaultId, noteId }: { readonly panel: PanelName } & Omit<ShownNoteProps, 'hasFocus'>) {
  const found = useFoundNote(vaultId, noteId);
  if (found === null || found === 'unreachable') return null;
  return <Panels panel={panel} noteId={noteId} note={found.stored} vaultId={vaultId} />;
}

/** The version of it that the address names. */
function PastVersionOf({ version, vaultId, noteId }: { readonly version: number } & Omit<ShownNoteProps, 'hasFocus'>) {
  const navigate = route.useNavigate();
  const found = useFoundNote(vaultId, noteId);
  if (found === null || found === 'unreachable' || found.stored === null) return null;
  const close = () => void navigate({ search: { panel: 'history' }, replace: true });
  return <PastVersion vaultId={vaultId} note={found.stored} version={version} close={close} />;
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
    void import('../../device/kept/current-kept.ts')
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
