import { beginsWithTitle } from '@notevault/note-text/names/title-heading.ts';
import { useMemo, useState } from 'react';
import { createPortal } from 'react-dom';
import type { EditorController } from '../editor/index.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { useObserved } from '../platform/use-observable.ts';
import { nameFault } from '../tree/model/moves.ts';
import { showToast } from '../ui/feedback/toast.ts';
import styles from './title-field.module.css';

interface TitleProps {
  readonly name: string;
  readonly editor: EditorController;
  readonly canRename: boolean;
  /** Resolves when it is done, or refused. */
  readonly rename: (name: string) => Promise<void>;
}

/** The name of the note as the title of its page; nothing if the text begins with it. */
export function Title(props: TitleProps) {
  const { name, editor } = props;
  const first = useObserved(editor.facts, ({ headings }) => headings[0]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is looked at when its first heading changes
  const isInText = useMemo(() => beginsWithTitle(editor.text(), name), [editor, first, name]);
  return isInText ? null : createPortal(<TitleField key={name} {...props} />, editor.top);
}

/** A field with the name, which Enter and leaving it take, and Escape gives up. */
function TitleField({ name, editor, canRename, rename }: TitleProps) {
  const t = useTexts('vault');
  const [typed, setTyped] = useState(name);
  const take = async () => {
    const wanted = typed.trim();
    const fault = wanted === name ? null : nameFault(wanted);
    if (fault !== null) showToast({ kind: 'danger', text: t(`nameFault.${fault}`) });
    else if (wanted !== name) await rename(wanted);
    // A name that was taken has a field of its own.
    setTyped(name);
  };
  return (
    <div className={styles.title} data-text={typed}>
      <textarea
        rows={1}
        dir="auto"
        aria-label={t('note.title')}
        value={typed}
        readOnly={!canRename}
        spellCheck={false}
        enterKeyHint="done"
        onChange={({ target }) => setTyped(target.value.replace(/\n/g, ' '))}
        onBlur={() => void take()}
        onKeyDown={({ key, nativeEvent, currentTarget }) => {
          // Enter also ends the composition of an input method.
          if (nativeEvent.isComposing) return;
          if (key === 'Escape') {
            setTyped(name);
            nativeEvent.preventDefault();
          }
          const isAtEnd = currentTarget.selectionEnd === currentTarget.value.length;
          if (key !== 'Enter' && !(key === 'ArrowDown' && isAtEnd)) return;
          nativeEvent.preventDefault();
          editor.focus();
        }}
      />
    </div>
  );
}

/** The title as long as there is no editor, in the same place. */
export function PlainTitle({ name, text }: { readonly name: string; readonly text: string }) {
  if (beginsWithTitle(text, name)) return null;
  return <div className={`${styles.title} ${styles.plain}`} data-text={name} aria-hidden="true" />;
}
