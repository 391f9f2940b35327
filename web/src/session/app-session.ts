import { Transport } from '@notevault/client/transport.ts';
import { serverUrl } from '../platform/base.ts';
import { Session } from './session.ts';
import { exclusively, openSessionChannel, SESSION_NAME } from './session-channel.ts';
import { StepUp } from './step-up.ts';

/** The session of this tab. */
export const session = new Session({
  fetch: (input, init) => globalThis.fetch(input, init),
  channel: openSessionChannel(),
  now: () => Date.now(),
  exclusively: (run) => exclusively(SESSION_NAME, run),
});

/** Asks who uses this tab, where the server wants that proved. */
export const stepUp = new StepUp();

/** Sends the requests of this tab, with its session. */
export const transport = new Transport(serverUrl(), session, {
  fetch: stepUp.over((url, request) => globalThis.fetch(url, request)),
});
