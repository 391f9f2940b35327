import { type DeviceStore, type NoteRef, openNotePeers } from '../editor/device.ts';
import type { EditorSessionOptions } from '../editor/index.ts';
import { liveSocket } from '../live/live-socket.ts';
import { delayUnlessHidden } from './delay-unless-hidden.ts';
import { draftId, draftOf } from './outbox/outbox-state.ts';

/** After this long, most keys have been drawn. */
const DRAWN_MS = 30;
const delay = delayUnlessHidden(document, DRAWN_MS);

/** How the sessions of this tab are connected. */
export function sessionOptions(note: NoteRef, account: string, store: DeviceStore): EditorSessionOptions {
  const draft = draftOf(note.id);
  const isDraft = draft !== null;
  const id = isDraft ? draftId(note.id) : note.id;
  const begun = draft?.operation.kind === 'note' ? { begun: draft.operation.content } : {};
  return {
    note: { ...note, id },
    open: (_, doc) => (isDraft ? UNCONNECTED : liveSocket().open(id, doc)),
    store,
    peers: openNotePeers(account, id),
    ...begun,
    writer: crypto.getRandomValues(new Uint32Array(2)).join('-'),
    now: () => Date.now(),
    delay,
    every(milliseconds, call) {
      const timer = setInterval(call, milliseconds);
      return () => clearInterval(timer);
    },
  };
}

/** The connection of a note that the server does not have yet. */
const UNCONNECTED: ReturnType<EditorSessionOptions['open']> = {
  awareness: null,
  state: { isSynced: false, isSaved: false, canWrite: null, isRejected: false, end: null },
  onState: () => () => undefined,
  [Symbol.dispose]: () => undefined,
};
