import type { Note } from '@notevault/protocol/notes.ts';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { CrashBarrier } from '../../app/crash-barrier.tsx';
import { importOrReload } from '../../app/import-or-reload.ts';
import type { PanelName } from '../../app/search-params.ts';
import { loadTexts } from '../../i18n/i18n.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { takeFocus } from '../wanted-focus.ts';
import { Files } from './files.tsx';
import { History } from './history.tsx';
import { Links } from './links.tsx';
import { Outline } from './outline.tsx';
import styles from './panels.module.css';

const LocalGraph = lazy(async () => {
  const load = importOrReload(() => import('../../graph/local-graph.tsx'));
  const [module] = await Promise.all([load, loadTexts('graph')]);
  return { default: module.LocalGraph };
});

interface PanelsProps {
  readonly panel: PanelName;
  readonly note: Note;
  readonly vaultId: string;
}

/** What belongs to the open note, beside it. */
export function Panels({ panel, note, vaultId }: PanelsProps) {
  const t = useTexts('vault');
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (takeFocus('panel')) place.current?.focus();
  });
  return (
    <aside ref={place} tabIndex={-1} className={styles.panel} aria-label={t(`note.${panel}`)}>
      <h2>{t(`note.${panel}`)}</h2>
      <CrashBarrier>
        <Suspense>
          {panel === 'outline' ? <Outline /> : null}
          {panel === 'links' ? <Links vaultId={vaultId} note={note} /> : null}
          {panel === 'files' ? <Files vaultId={vaultId} note={note} /> : null}
          {panel === 'graph' ? <LocalGraph vaultId={vaultId} noteId={note.id} /> : null}
          {panel === 'history' ? <History vaultId={vaultId} note={note} /> : null}
        </Suspense>
      </CrashBarrier>
    </aside>
  );
}
