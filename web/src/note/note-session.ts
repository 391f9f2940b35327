import { deviceStore } from '../device/device-store.ts';
import { persistStorage, setUnkept } from '../device/unkept.ts';
import { unsentChanged } from '../device/unsent-state.ts';
import type { NoteRef } from '../editor/device.ts';
import { type EditorSession, openSession, presence } from '../editor/index.ts';
import { markOpen, sessionOptions } from './session-options.ts';

/** Who edits. */
export interface Editor {
  readonly account: string;
  /** Shown to others beside the cursor. */
  readonly name: string;
}

/** Opens a note over the socket of this tab. Close it with `close`. */
export function openNoteSession(note: NoteRef, { account, name }: Editor): { session: EditorSession; close(): void } {
  const session = openSession(sessionOptions(note, deviceStore(account)));
  const endOpen = markOpen(note.id, session);
  let generation = 0;
  let isLeft = false;
  session.onChange(() => {
    const { awareness, state } = session;
    setUnkept(session, state.hasUnsent && !state.isOnDevice);
    const isOnlyHere = state.hasUnsent && state.isOnDevice && (!state.isConnected || state.problem !== null);
    if (isOnlyHere !== isLeft) {
      isLeft = isOnlyHere;
      if (isOnlyHere) persistStorage();
      void session.kept().then(unsentChanged);
    }
    if (awareness === null || generation === session.generation) return;
    generation = session.generation;
    awareness.setLocalStateField('user', presence(name, awareness.clientID));
  });
  return {
    session,
    close() {
      const { hasUnsent } = session.state;
      session[Symbol.dispose]();
      endOpen();
      void session.kept().then(() => {
        setUnkept(session, false);
        if (hasUnsent) unsentChanged();
      });
    },
  };
}
