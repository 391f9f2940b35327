/** What tabs of one browser tell each other. It never leaves memory. */
export type SessionMessage =
  | { readonly type: 'token'; readonly token: string; readonly expiresAt: number }
  | { readonly type: 'out' };

export interface SessionChannel {
  /** Sends to the other tabs. */
  send(message: SessionMessage): void;
  listen(listener: (message: SessionMessage) => void): void;
}

const NAME = 'notevault-session';

/** The channel between the tabs of this browser. */
export function openSessionChannel(): SessionChannel {
  const channel = new BroadcastChannel(NAME);
  return {
    send: (message) => channel.postMessage(message),
    listen: (listener) => channel.addEventListener('message', ({ data }) => listener(data as SessionMessage)),
  };
}

/**
 * Runs one function at a time over all tabs. Browsers have locks only in secure contexts; without them tabs may refresh
 * at once, which the server accepts for half a minute.
 */
export function exclusively<T>(run: () => Promise<T>): Promise<T> {
  const { locks } = navigator as { locks?: LockManager };
  if (locks === undefined) return inTurn(run);
  return locks.request(NAME, run) as Promise<T>;
}

let last: Promise<unknown> = Promise.resolve();

/** Runs one function at a time in this tab. */
function inTurn<T>(run: () => Promise<T>): Promise<T> {
  const next = last.then(run, run);
  last = next.catch(() => undefined);
  return next;
}
