import { type DeviceStore, type EditorSession, openDeviceStore, openSession, presence } from '../editor/index.ts';
import { liveSocket } from '../live/live-socket.ts';

let store: DeviceStore | null = null;

/** The documents in this browser; null where the browser has no IndexedDB, as in some private windows. */
function deviceStore(): DeviceStore | null {
  if (typeof indexedDB === 'undefined') return null;
  store ??= openDeviceStore(indexedDB, () => Date.now());
  return store;
}

/** Names this tab among those that write to the store. */
const writer = crypto.getRandomValues(new Uint32Array(2)).join('-');

/** Opens a note over the socket of this tab. @param name shown to others beside the cursor. */
export function openNoteSession(noteId: string, name: string): EditorSession {
  const session = openSession({
    noteId,
    open: (id, doc) => liveSocket().open(id, doc),
    store: deviceStore(),
    writer,
    now: () => Date.now(),
    every(milliseconds, call) {
      const timer = setInterval(call, milliseconds);
      return () => clearInterval(timer);
    },
  });
  let generation = 0;
  session.onChange(() => {
    const { awareness } = session;
    if (awareness === null || generation === session.generation) return;
    generation = session.generation;
    awareness.setLocalStateField('user', presence(name, awareness.clientID));
  });
  return session;
}
