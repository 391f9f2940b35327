/** How long what could not be sent waits in this browser for its account, after the server ended its session. */
export const LOCKED_MS = 30 * 24 * 60 * 60 * 1000;
