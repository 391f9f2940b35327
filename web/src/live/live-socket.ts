import { LiveSocket } from '@notevault/client/live/live-socket.ts';
import { session } from '../session/app-session.ts';

let socket: LiveSocket | null = null;

/** The one WebSocket of this tab, opened when it is first needed and closed when the session ends. */
export function liveSocket(): LiveSocket {
  socket ??= new LiveSocket(location.origin, session);
  return socket;
}

session.subscribe(() => {
  if (session.state.status !== 'out') return;
  socket?.[Symbol.dispose]();
  socket = null;
});
