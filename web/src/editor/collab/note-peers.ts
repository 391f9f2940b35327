import type { LocalCopy } from './local-store.ts';

/** Message to the browser's other tabs about a note that they have open. */
export type PeerMessage =
  /**
   * Updates of the document, with their edits that the server has not acknowledged. `isKept` if they are already stored
   * on this device, so that no other tab has to write them.
   */
  | (LocalCopy & { readonly type: 'updates'; readonly isKept: boolean })
  /** The copies of the note were removed or stashed: tabs must not send their edits. */
  | { readonly type: 'removed' };

/** The tabs of this browser that have one note open. */
export interface NotePeers extends Disposable {
  /** Sends a message to the other tabs, in order. */
  post(message: PeerMessage): void;
  listen(listener: (message: PeerMessage) => void): void;
}

/** Opens the channel between an account's tabs with this note; null in browsers without BroadcastChannel. */
export function openPeers(account: string, noteId: string): NotePeers | null {
  if (typeof BroadcastChannel === 'undefined') return null;
  const channel = new BroadcastChannel(`notevault-note ${account} ${noteId}`);
  return {
    post: (message) => channel.postMessage(message),
    listen: (listener) => channel.addEventListener('message', ({ data }) => listener(data as PeerMessage)),
    [Symbol.dispose]: () => channel.close(),
  };
}
