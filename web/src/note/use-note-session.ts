import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { NoteRef } from '../editor/device.ts';
import type { EditorSession } from '../editor/index.ts';
import { openNoteSession } from './note-session.ts';

/** The session of a note while the component is there; null at first. */
export function useNoteSession({ id, vaultId, path }: NoteRef, account: string, name: string): EditorSession | null {
  const [session, setSession] = useState<EditorSession | null>(null);
  // Where the note is now, for when it is opened again: moving it must not open another session.
  const place = useRef({ vaultId, path });
  useEffect(() => {
    const opened = openNoteSession({ id, ...place.current }, { account, name });
    setSession(opened.session);
    return () => opened.close();
  }, [id, account, name]);
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
