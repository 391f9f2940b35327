import type { EditorController } from '../editor/index.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { useObserved } from '../platform/use-observable.ts';
import styles from './note-editor.module.css';

/** How many words the note has, counted when typing pauses. */
export function WordCount({ editor }: { readonly editor: EditorController }) {
  const t = useTexts('editor');
  const count = useObserved(editor.facts, ({ words }) => words);
  const selected = useObserved(editor.facts, ({ selectedWords }) => selectedWords);
  return (
    <span className={styles.words}>
      {selected === 0 ? t('words', { count }) : t('wordsSelected', { selected, count })}
    </span>
  );
}
