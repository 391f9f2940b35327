import type { Note } from '@notevault/protocol/notes.ts';
import { Link } from '@tanstack/react-router';
import i18next from 'i18next';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { useTree } from '../../../data/use-tree.ts';
import { useCanWrite } from '../../../data/use-vault.ts';
import type { EditorController } from '../../../editor/index.ts';
import { loadTexts } from '../../../i18n/i18n.ts';
import { useTexts } from '../../../i18n/use-texts.ts';
import { CrashBarrier } from '../../../page/crash-barrier.tsx';
import { importOrReload } from '../../../page/import-or-reload.ts';
import type { PanelName } from '../../../page/search-params.ts';
import { useObservable, useObserved } from '../../../platform/use-observable.ts';
import { bytes } from '../../../ui/text/bytes.ts';
import { workspace } from '../../../workspace/workspace.ts';
import { History } from './history.tsx';
import { Links } from './links.tsx';
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

/** Side panel of the open note. */
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

/** Panel with data from the server. */
function StoredPanel({ panel, note, vaultId }: StoredPanelProps) {
  const t = useTexts('vault');
  const canWrite = useCanWrite(vaultId);
  if (panel === 'links') return <Links vaultId={vaultId} note={note} />;
  if (panel === 'files') return <Files vaultId={vaultId} note={note} />;
  if (panel === 'graph') return <LocalGraph vaultId={vaultId} noteId={note.id} />;
  return canWrite ? <History vaultId={vaultId} note={note} /> : <p className={styles.none}>{t('shared.forEditors')}</p>;
}

interface FilesProps {
  readonly vaultId: string;
  readonly note: Note;
}

/** The attachments that the note links to or shows. */
function Files({ vaultId, note }: FilesProps) {
  const t = useTexts('vault');
  const index = useTree(vaultId);
  const ids = new Set(note.links.flatMap(({ target_attachment_id: id }) => id ?? []));
  const files = [...ids].flatMap((id) => {
    const entry = index.byKey(id);
    return entry?.kind === 'attachment' ? [entry] : [];
  });
  if (files.length === 0) return <p className={styles.none}>{t('files.none')}</p>;
  return (
    <ul>
      {files.map(({ id, name, parent, size }) => (
        <li key={id}>
          <Link to="/vaults/$vaultId/files/$fileId" params={{ vaultId, fileId: id }} className={styles.link}>
            <span dir="auto">{name}</span>
            <small dir="auto">{[parent, bytes(size, i18next.language)].filter(Boolean).join(' · ')}</small>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The headings of the open note, as they are written. */
function Outline({ noteId }: { readonly noteId: string }) {
  const editor = useObservable(workspace.note(noteId).editor);
  return editor === null ? <NoHeadings /> : <Headings editor={editor} />;
}

function NoHeadings() {
  return <p className={styles.none}>{useTexts('vault')('outline.none')}</p>;
}

function Headings({ editor }: { readonly editor: EditorController }) {
  const headings = useObserved(editor.facts, (facts) => facts.headings);
  if (headings.length === 0) return <NoHeadings />;
  return (
    <ul>
      {headings.map(({ level, text, from }) => (
        <li key={from}>
          <button
            type="button"
            className={styles.heading}
            style={{ paddingInlineStart: `${(level - 1) * 12 + 8}px` }}
            dir="auto"
            onClick={() => editor.goTo(from)}
          >
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}
