import { beginsWithTitle } from '@notevault/note-text/names/title-heading.ts';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { nameFault } from '../../data/tree/moves.ts';
import type { EditorController } from '../../editor/index.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useObserved } from '../../platform/use-observable.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import type { OpenNote } from '../../workspace/open-note.ts';
import styles from './title-field.module.css';

interface TitleProps {
  readonly open: OpenNote;
  readonly name: string;
  readonly editor: EditorController;
  readonly canRename: boolean;
  /** Resolves when it is done, or refused. */
  readonly rename: (name: string) => Promise<void>;
}

/** The name of the note as the title of its page; nothing if the text begins with it. */
export function Title(props: TitleProps) {
  const { name, editor, open } = props;
  const first = useObserved(editor.facts, ({ headings }) => headings[0]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is looked at when its first heading changes
  const isInText = useMemo(() => beginsWithTitle(editor.text(), name), [editor, first, name]);
  useEffect(() => {
    if (!isInText) return;
    open.setTitle(() => editor.focus());
    open.focusIfWanted();
    return () => open.setTitle(null);
  }, [isInText, open, editor]);
  return isInText ? null : createPortal(<TitleField key={name} {...props} />, editor.top);
}

/** A field with the name, which Enter and leaving it take, and Escape gives up. Without a name the note keeps its own. */
function TitleField({ open, name, editor, canRename, rename }: TitleProps) {
  const t = useTexts('vault');
  const [typed, setTyped] = useState(name);
  const { field, hasFocus } = useTitleFocus(open, setTyped);
  const take = async () => {
    const wanted = typed.trim() || name;
    const fault = wanted === name ? null : nameFault(wanted);
    if (fault !== null) showToast({ kind: 'danger', text: t(`nameFault.${fault}`) });
    else if (wanted !== name) await rename(wanted);
    // A name that was taken has a field of its own.
    setTyped(name);
  };
  return (
    <div className={styles.title} data-text={typed}>
      <textarea
        ref={field}
        rows={1}
        dir="auto"
        aria-label={t('note.title')}
        value={typed}
        readOnly={!canRename}
        spellCheck={false}
        enterKeyHint="done"
        onChange={({ target }) => setTyped(target.value.replace(/\n/g, ' '))}
        onFocus={() => {
          hasFocus.current = true;
        }}
        onBlur={() => {
          hasFocus.current = false;
          void take();
        }}
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

/** The field of the title, which takes the focus when that is wanted; one that is made anew goes on where it was. */
function useTitleFocus(open: OpenNote, setTyped: (typed: string) => void) {
  const field = useRef<HTMLTextAreaElement>(null);
  // React tells of no blur when the field goes with its editor.
  const hasFocus = useRef(false);
  useLayoutEffect(() => {
    const { current } = field;
    // Shown again after it was hidden, it is in an editor that is gone.
    if (current?.isConnected !== true) return;
    const { typedTitle } = open;
    // Only now: the field before this one is left after this one was drawn.
    if (typedTitle !== null) setTyped(typedTitle);
    open.typedTitle = null;
    open.setTitle(() => {
      current.focus();
      if (typedTitle === null) current.select();
    });
    open.focusIfWanted();
    return () => {
      open.setTitle(null);
      if (!hasFocus.current) return;
      open.typedTitle = current.value;
      open.wantFocus('title');
    };
  }, [open, setTyped]);
  return { field, hasFocus };
}

/** The title as long as there is no editor, in the same place. */
export function PlainTitle({ name, text }: { readonly name: string; readonly text: string }) {
  if (beginsWithTitle(text, name)) return null;
  return <div className={`${styles.title} ${styles.plain}`} data-text={name} aria-hidden="true" />;
}
