import { LiveSocket } from '@notevault/client/live/live-socket.ts';
import { serverUrl } from '../platform/base.ts';
import { type Observable, ObservableValue } from '../platform/observable.ts';
import { session } from '../session/app-session.ts';

let socket: LiveSocket | null = null;

/** Delay before typed keys are sent: they are drawn first, and fast typing is sent together. */
const GATHER_MS = 30;
const connection = new ObservableValue(false);

/** Whether there is a connection, also of a socket that is opened later. */
export const isConnected: Observable<boolean> = connection;

/** The browser knows at once that the network is gone. */
function showConnection(): void {
  connection.set(navigator.onLine && (socket?.isConnected ?? false));
}

addEventListener('online', () => {
  showConnection();
  socket?.connectNow();
});
addEventListener('offline', () => {
  // A server on this machine is still reached.
  socket?.reconnect();
  showConnection();
});

/** The one WebSocket of this tab, opened when it is first needed and closed when the session ends. */
export function liveSocket(): LiveSocket {
  if (socket === null) {
    socket = new LiveSocket(serverUrl(), session, { gatherMs: GATHER_MS });
    socket.onConnection(showConnection);
  }
  return socket;
}

session.state.subscribe(() => {
  if (session.state.get().status !== 'out') return;
  socket?.[Symbol.dispose]();
  socket = null;
  showConnection();
});
