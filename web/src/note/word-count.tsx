import { useCallback, useSyncExternalStore } from 'react';
import type { EditorController } from '../editor/index.ts';
import { useTexts } from '../i18n/use-texts.ts';
import styles from './note-editor.module.css';

/** How many words the note has, counted when typing pauses. */
export function WordCount({ editor }: { readonly editor: EditorController }) {
  const t = useTexts('editor');
  const subscribe = useCallback((listener: () => void) => editor.onFacts(listener), [editor]);
  const count = useSyncExternalStore(subscribe, () => editor.facts().words);
  return <span className={styles.words}>{t('words', { count })}</span>;
}
