import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import type { EditorSession, SaveState } from '../editor/index.ts';
import { openNoteSession } from './note-session.ts';

/** The session of a note while the component is there; null at first. */
export function useNoteSession(noteId: string, name: string): EditorSession | null {
  const [session, setSession] = useState<EditorSession | null>(null);
  useEffect(() => {
    const opened = openNoteSession(noteId, name);
    setSession(opened);
    return () => opened[Symbol.dispose]();
  }, [noteId, name]);
  return session;
}

/** One fact of a session. The component is drawn again only when this one changes. */
export function useSessionFact<Fact extends string | number | boolean | null>(
  session: EditorSession,
  read: (session: EditorSession) => Fact,
): Fact {
  const subscribe = useCallback((listener: () => void) => session.onChange(listener), [session]);
  return useSyncExternalStore(subscribe, () => read(session));
}

/** The word and its reason, as one value that can be compared. */
export function stateKey({ word, problem, isLoud }: SaveState): string {
  return `${word ?? ''} ${problem ?? ''} ${isLoud}`;
}
