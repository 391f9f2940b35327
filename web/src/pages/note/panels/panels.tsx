import type { Note } from '@notevault/protocol/notes.ts';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { useCanWrite } from '../../../data/use-vault.ts';
import { loadTexts } from '../../../i18n/i18n.ts';
import { useTexts } from '../../../i18n/use-texts.ts';
import { CrashBarrier } from '../../../page/crash-barrier.tsx';
import { importOrReload } from '../../../page/import-or-reload.ts';
import type { PanelName } from '../../../page/search-params.ts';
import { workspace } from '../../../workspace/workspace.ts';
import { Files } from './files.tsx';
import { History } from './history.tsx';
import { Links } from './links.tsx';
import { Outline } from './outline.tsx';
import { PanelTabs } from './panel-tabs.tsx';
import styles from './panels.module.css';

const LocalGraph = lazy(async () => {
  const load = importOrReload(() => import('../../graph/local-graph.tsx'));
  const [module] = await Promise.all([load, loadTexts('graph')]);
  return { default: module.LocalGraph };
});

interface PanelsProps {
  readonly panel: PanelName;
  readonly noteId: string;
  /** Null while the server cannot be reached. */
  readonly note: Note | null;
  readonly vaultId: string;
}

/** What belongs to the open note, beside it. */
export function Panels({ panel, noteId, note, vaultId }: PanelsProps) {
  const t = useTexts('vault');
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (workspace.note(noteId).takeFocus('panel')) place.current?.focus();
  });
  return (
    <aside ref={place} tabIndex={-1} className={styles.panel} aria-label={t(`note.${panel}`)}>
      <h2 className="visually-hidden">{t(`note.${panel}`)}</h2>
      <PanelTabs panel={panel} vaultId={vaultId} noteId={noteId} />
      <CrashBarrier key={`${noteId} ${panel}`}>
        <Suspense>
          {panel === 'outline' ? <Outline noteId={noteId} /> : null}
          {panel !== 'outline' && note === null ? <p className={styles.none}>{t('error.away')}</p> : null}
          {panel !== 'outline' && note !== null ? <StoredPanel panel={panel} note={note} vaultId={vaultId} /> : null}
        </Suspense>
      </CrashBarrier>
    </aside>
  );
}

interface StoredPanelProps {
  readonly panel: PanelName;
  readonly note: Note;
  readonly vaultId: string;
}

/** What the server knows of the note. */
function StoredPanel({ panel, note, vaultId }: StoredPanelProps) {
  const t = useTexts('vault');
  const canWrite = useCanWrite(vaultId);
  if (panel === 'links') return <Links vaultId={vaultId} note={note} />;
  if (panel === 'files') return <Files vaultId={vaultId} note={note} />;
  if (panel === 'graph') return <LocalGraph vaultId={vaultId} noteId={note.id} />;
  return canWrite ? <History vaultId={vaultId} note={note} /> : <p className={styles.none}>{t('shared.forEditors')}</p>;
}
