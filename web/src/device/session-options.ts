import type { DeviceStore, NoteRef } from '../editor/device.ts';
import type { EditorSessionOptions } from '../editor/index.ts';
import { liveSocket } from '../live/live-socket.ts';

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
