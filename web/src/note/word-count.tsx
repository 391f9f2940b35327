import { useCallback, useSyncExternalStore } from 'react';
import type { EditorController } from '../editor/index.ts';
import { useTexts } from '../i18n/use-texts.ts';
import styles from './note-editor.module.css';

/** How many words the note has, counted when typing pauses. */
export function WordCount({ editor }: { readonly editor: EditorController }) {
  const t = useTexts('editor');
  const subscribe = useCallback((listener: () => void) => editor.onFacts(listener), [editor]);
  const count = useSyncExternalStore(subscribe, () => editor.facts().words);
  const selected = useSyncExternalStore(subscribe, () => editor.facts().selectedWords);
  return (
    <span className={styles.words}>
      {selected === 0 ? t('words', { count }) : t('wordsSelected', { selected, count })}
    </span>
  );
}
