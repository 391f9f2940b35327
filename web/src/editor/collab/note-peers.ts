import type { LocalCopy } from './local-store.ts';

/** Message to the browser's other tabs about a note that they have open. */
export type PeerMessage =
  /**
   * Updates of the document, with the edits in them that the server had not acknowledged; `isKept` if they are on this
   * device's storage, so that nobody else has to write them.
   */
  | (LocalCopy & { readonly type: 'updates'; readonly isKept: boolean })
  /** The copies of the note were removed or stashed: no tab may send their edits. */
  | { readonly type: 'removed' };

/** The tabs of this browser that have one note open. */
export interface NotePeers extends Disposable {
  /** Sends to the other tabs, in order. */
  post(message: PeerMessage): void;
  listen(listener: (message: PeerMessage) => void): void;
}

/** Opens the channel between the tabs in which an account has a note open; null in browsers that have no channels. */
export function openPeers(account: string, noteId: string): NotePeers | null {
  if (typeof BroadcastChannel === 'undefined') return null;
  const channel = new BroadcastChannel(`notevault-note ${account} ${noteId}`);
  return {
    post: (message) => channel.postMessage(message),
    listen: (listener) => channel.addEventListener('message', ({ data }) => listener(data as PeerMessage)),
    [Symbol.dispose]: () => channel.close(),
  };
}
