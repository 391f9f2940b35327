import type { DeviceStore, NoteRef } from '../editor/device.ts';
import type { EditorSession, EditorSessionOptions } from '../editor/index.ts';
import { liveSocket } from '../live/live-socket.ts';

const open = new Map<EditorSession, string>();

/** How the sessions of this tab are connected. */
export function sessionOptions(note: NoteRef, store: DeviceStore): EditorSessionOptions {
  return {
    note,
    open: (id, doc) => liveSocket().open(id, doc),
    store,
    writer: crypto.getRandomValues(new Uint32Array(2)).join('-'),
    now: () => Date.now(),
    every(milliseconds, call) {
      const timer = setInterval(call, milliseconds);
      return () => clearInterval(timer);
    },
  };
}

/** Records that a note is open in this tab; returns a function that ends it. */
export function markOpen(noteId: string, session: EditorSession): () => void {
  open.set(session, noteId);
  return () => void open.delete(session);
}

/** Whether a note is open in this tab. */
export function isOpenHere(noteId: string): boolean {
  return [...open.values()].includes(noteId);
}

/** Whether a note is open in this tab, and the server takes its edits. */
export function isConnectedHere(noteId: string): boolean {
  return [...open].some(([{ state }, id]) => id === noteId && state.isConnected && state.problem === null);
}
