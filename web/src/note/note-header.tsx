import type { Note } from '@notevault/protocol/notes.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import type { PanelName } from '../app/search-params.ts';
import type { EditorMode } from '../editor/index.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import styles from './note-page.module.css';
import { editorFacts, subscribeToEditor } from './open-editor.ts';

const route = getRouteApi('/vaults/$vaultId/notes/$noteId');

interface NoteHeaderProps {
  readonly note: Note;
  readonly mode: EditorMode;
  readonly setMode: (mode: EditorMode) => void;
  readonly panel: PanelName | undefined;
}

const PANEL_ICONS: readonly (readonly [PanelName, IconName])[] = [
  ['outline', 'list'],
  ['links', 'link'],
  ['history', 'history'],
];

/** Where the note is, how its text is shown, and what can be shown beside it. */
export function NoteHeader({ note, mode, setMode, panel }: NoteHeaderProps) {
  const t = useTexts('vault');
  const { vaultId, noteId } = route.useParams();
  return (
    <header className={styles.head}>
      <h1 className="visually-hidden">{note.title}</h1>
      <p className={styles.path} dir="auto">
        {note.path.replace(/\.md$/i, '').split('/').join(' / ')}
      </p>
      <WordCount />
      <select
        className={styles.mode}
        aria-label={t('note.mode')}
        value={mode}
        onChange={({ target }) => setMode(target.value as EditorMode)}
      >
        <option value="preview">{t('note.preview')}</option>
        <option value="source">{t('note.source')}</option>
        <option value="reading">{t('note.reading')}</option>
      </select>
      <nav className={styles.panelButtons} aria-label={t('note.beside')}>
        {PANEL_ICONS.map(([name, icon]) => (
          <Link
            key={name}
            to="/vaults/$vaultId/notes/$noteId"
            params={{ vaultId, noteId }}
            search={panel === name ? {} : { panel: name }}
            replace
            className={styles.panelButton}
            aria-label={t(`note.${name}`)}
            title={t(`note.${name}`)}
            data-open={panel === name ? '' : undefined}
          >
            <Icon name={icon} />
          </Link>
        ))}
      </nav>
    </header>
  );
}

function WordCount() {
  const t = useTexts('vault');
  const words = useSyncExternalStore(subscribeToEditor, () => editorFacts()?.words ?? null);
  return words === null ? null : <span className={styles.words}>{t('note.words', { count: words })}</span>;
}
