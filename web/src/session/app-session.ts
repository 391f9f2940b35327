import { Transport } from '@notevault/client/transport.ts';
import { serverUrl } from '../platform/base.ts';
import { Session } from './session.ts';
import { exclusively, openSessionChannel, SESSION_NAME } from './session-channel.ts';

/** The session of this tab. */
export const session = new Session({
  fetch: (input, init) => globalThis.fetch(input, init),
  channel: openSessionChannel(),
  now: () => Date.now(),
  exclusively: (run) => exclusively(SESSION_NAME, run),
});

/** Sends the requests of this tab, with its session. */
export const transport = new Transport(serverUrl(), session);
