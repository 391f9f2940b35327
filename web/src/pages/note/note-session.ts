import i18next from 'i18next';
import { keys } from '../../data/keys.ts';
import { queryClient } from '../../data/query-client.ts';
import { nameOf, noteName } from '../../data/tree/tree-index.ts';
import { deviceStore } from '../../device/device-store.ts';
import { markTyped } from '../../device/outbox/current-outbox.ts';
import { sessionOptions } from '../../device/session-options.ts';
import { persistStorage, setUnkept } from '../../device/unkept.ts';
import { unsentChanged } from '../../device/unsent-state.ts';
import type { NoteRef } from '../../editor/device.ts';
import { keepSteps, openSession, presence } from '../../editor/index.ts';
import { session as signedIn } from '../../session/app-session.ts';
import { saveFile } from '../../ui/controls/save-file.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { workspace } from '../../workspace/workspace.ts';

/** Number of notes whose undo history survives going to other notes and back. */
const STEPS_MAX = 20;
const steps = keepSteps(STEPS_MAX);
signedIn.state.subscribe(() => {
  if (signedIn.state.get().status === 'out') steps.clear();
});

/** A person in the editor. */
export interface Editor {
  readonly account: string;
  /** Shown to others beside the cursor. */
  readonly name: string;
}

/** Opens a note over the socket of this tab; returns a function that closes it. */
export function openNoteSession(note: NoteRef, { account, name }: Editor): () => void {
  const store = deviceStore(account);
  const session = openSession({ ...sessionOptions(note, account, store), steps });
  const open = workspace.note(note.id);
  let generation = 0;
  let isLeft = false;
  let isTyped = false;
  let access: unknown = 'unknown';
  session.changes.subscribe(() => {
    const { awareness, state } = session;
    // The role was changed elsewhere: the list of vaults has the new one.
    const now = state.problem === 'not-there' ? 'none' : session.canWrite;
    if (now !== null && now !== access) {
      if (access !== 'unknown' || now === 'none')
        void queryClient.invalidateQueries({ queryKey: keys.vaults, exact: true });
      access = now;
    }
    setUnkept(session, state.hasUnsent && !state.isOnDevice);
    if (state.hasUnsent && !isTyped) {
      isTyped = true;
      void markTyped(note.id);
    }
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
  open.session.set(session);
  return () => {
    session[Symbol.dispose]();
    open.session.set(null);
    void session.kept().then(() => {
      const { hasUnsent, isOnDevice } = session.state;
      setUnkept(session, false);
      if (hasUnsent) unsentChanged();
      if (hasUnsent && store.isDurable && !isOnDevice) offerFile(note, session.text.toString());
    });
  };
}

/** The device took no copy, and the tab has none once the note is left. */
function offerFile({ path }: NoteRef, text: string): void {
  const name = nameOf(path ?? '') || 'note.md';
  showToast({
    kind: 'danger',
    text: i18next.t('unsent.lost', { ns: 'vault', name: noteName(name) }),
    action: {
      label: i18next.t('unsent.download', { ns: 'vault' }),
      run: () => saveFile(name, new Blob([text], { type: 'text/markdown' })),
    },
  });
}
