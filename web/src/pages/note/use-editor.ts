import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';
import {
  createEditor,
  type EditorController,
  type EditorMode,
  type EditorServices,
  type EditorSession,
} from '../../editor/index.ts';
import { useObservable } from '../../platform/use-observable.ts';
import { editorSettings, lookOf } from '../../workspace/editor-settings.ts';
import type { OpenNote } from '../../workspace/open-note.ts';
import { useSessionFact } from './use-note-session.ts';

interface EditorSetup {
  readonly note: OpenNote;
  readonly session: EditorSession;
  readonly services: EditorServices;
  readonly mode: EditorMode;
  readonly label: string;
  /** Whether the account may change the vault. */
  readonly canWrite: boolean;
}

/** Draws the editor of a session into an element, anew when the session has another document or connection. */
export function useEditor(place: RefObject<HTMLElement | null>, setup: EditorSetup): EditorController | null {
  const { note, session, services, mode, label, canWrite: mayWrite } = setup;
  const [editor, setEditor] = useState<EditorController | null>(null);
  const isReady = useSessionFact(session, (one) => one.isReady);
  const generation = useSessionFact(session, (one) => one.generation);
  const canWrite = useSessionFact(session, (one) => one.canWrite !== false) && mayWrite;
  // Before it is painted, so that what React draws above the text is there at once.
  useLayoutEffect(() => {
    const parent = place.current;
    if (!isReady || parent === null || generation === 0) return;
    const hadFocus = parent.contains(document.activeElement);
    const made = createEditor(parent, {
      text: session.text,
      undo: session.undo,
      awareness: session.awareness,
      services,
      // The effects below bring the mode, the right to write and the label up to date.
      mode: 'preview',
      canWrite: true,
      label: '',
      caret: note.caret,
    });
    if (hadFocus) made.focus();
    setEditor(made);
    return () => {
      setEditor(null);
      note.caret = made.caret();
      made[Symbol.dispose]();
    };
  }, [place, note, session, services, isReady, generation]);
  const settings = useObservable(editorSettings);
  useEffect(() => editor?.setMode(mode), [editor, mode]);
  useEffect(() => editor?.setAppearance(lookOf(settings)), [editor, settings]);
  const { isVim } = settings;
  useEffect(() => void editor?.setVim(isVim), [editor, isVim]);
  useEffect(() => editor?.setCanWrite(canWrite), [editor, canWrite]);
  // Before it is painted, too: the properties stand under the title.
  useLayoutEffect(() => editor?.setLabel(label), [editor, label]);
  return editor;
}
