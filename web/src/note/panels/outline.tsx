import { useSyncExternalStore } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { editorFacts, openEditor, subscribeToEditor } from '../open-editor.ts';
import styles from './panels.module.css';

const NONE: never[] = [];

/** The headings of the open note, as they are written. */
export function Outline() {
  const t = useTexts('vault');
  const headings = useSyncExternalStore(subscribeToEditor, () => editorFacts()?.headings ?? NONE);
  if (headings.length === 0) return <p className={styles.none}>{t('outline.none')}</p>;
  return (
    <ul>
      {headings.map(({ level, text, from }) => (
        <li key={from}>
          <button
            type="button"
            className={styles.heading}
            style={{ paddingInlineStart: `${(level - 1) * 12 + 8}px` }}
            dir="auto"
            onClick={() => openEditor()?.goTo(from)}
          >
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}
