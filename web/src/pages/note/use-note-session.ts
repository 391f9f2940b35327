import { useEffect, useRef } from 'react';
import type { NoteRef } from '../../editor/device.ts';
import type { EditorSession } from '../../editor/index.ts';
import { useObservable, useObserved } from '../../platform/use-observable.ts';
import { workspace } from '../../workspace/workspace.ts';
import { openNoteSession } from './note-session.ts';

/** The session of a note, which is open while the component is there; null at first. */
export function useNoteSession({ id, vaultId, path }: NoteRef, account: string, name: string): EditorSession | null {
  // Where the note is now, for when it is opened again: moving it must not open another session.
  const place = useRef({ vaultId, path });
  useEffect(() => openNoteSession({ id, ...place.current }, { account, name }), [id, account, name]);
  return useObservable(workspace.note(id).session);
}

/** One fact of a session. The component is drawn again only when this one changes. */
export function useSessionFact<Fact extends string | number | boolean | null>(
  session: EditorSession,
  read: (session: EditorSession) => Fact,
): Fact {
  return useObserved(session.changes, () => read(session));
}
