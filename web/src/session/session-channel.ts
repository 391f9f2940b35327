/** Why there is no session; null where there was none. */
export type EndReason =
  | null
  | 'signed-out'
  /** The session expired. */
  | 'expired'
  /** The server ended it: from elsewhere, or because the account was suspended. */
  | 'revoked';

/** Message between the tabs of one browser. It never leaves memory. */
export type SessionMessage =
  | { readonly type: 'token'; readonly token: string; readonly expiresAt: number }
  | { readonly type: 'out'; readonly reason: EndReason };

export interface SessionChannel {
  /** Sends to the other tabs. */
  send(message: SessionMessage): void;
  listen(listener: (message: SessionMessage) => void): void;
}

export const SESSION_NAME = 'notevault-session';

/** The channel between the tabs of this browser. */
export function openSessionChannel(): SessionChannel {
  const channel = new BroadcastChannel(SESSION_NAME);
  return {
    send: (message) => channel.postMessage(message),
    listen: (listener) => channel.addEventListener('message', ({ data }) => listener(data as SessionMessage)),
  };
}

/**
 * Runs one function at a time over all tabs, of those with a name. Browsers have locks only in secure contexts; without
 * them only this tab keeps the order: tabs that refresh at once are accepted by the server for half a minute, and edits
 * that are sent twice are merged.
 */
export function exclusively<T>(name: string, run: () => Promise<T>): Promise<T> {
  const { locks } = navigator as { locks?: LockManager };
  if (locks === undefined) return inTurn(name, run);
  return locks.request(name, run) as Promise<T>;
}

const last = new Map<string, Promise<unknown>>();

/** Runs one function of a name at a time in this tab. */
function inTurn<T>(name: string, run: () => Promise<T>): Promise<T> {
  const next = (last.get(name) ?? Promise.resolve()).then(run, run);
  last.set(
    name,
    next.catch(() => undefined),
  );
  return next;
}
