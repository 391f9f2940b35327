import { LiveSocket } from '@notevault/client/live/live-socket.ts';
import { session } from '../session/app-session.ts';

let socket: LiveSocket | null = null;
const listeners = new Set<(isConnected: boolean) => void>();

/**
 * Calls the listener with whether there is a connection, now and after each change, also of a socket that is opened
 * later; returns a function that removes it.
 */
export function onConnection(listener: (isConnected: boolean) => void): () => void {
  listeners.add(listener);
  listener(isConnected());
  return () => void listeners.delete(listener);
}

/** A socket notices only after half a minute that the network is gone; the browser knows at once. */
function isConnected(): boolean {
  return navigator.onLine && (socket?.isConnected ?? false);
}

function announce(): void {
  for (const listener of [...listeners]) listener(isConnected());
}

addEventListener('online', announce);
addEventListener('offline', announce);

/** The one WebSocket of this tab, opened when it is first needed and closed when the session ends. */
export function liveSocket(): LiveSocket {
  if (socket === null) {
    socket = new LiveSocket(location.origin, session);
    socket.onConnection(announce);
  }
  return socket;
}

session.subscribe(() => {
  if (session.state.status !== 'out') return;
  socket?.[Symbol.dispose]();
  socket = null;
  announce();
});
