import type { Call } from '@notevault/client/transport.ts';

/**
 * The idempotency keys of the requests with which an entry is done: the same for each attempt, so that one that arrives
 * after its tab was closed, or after a later attempt, changes nothing. A request that says something else has another.
 */
export function keysOf(entry: string): (call: Call) => string {
  return ({ path, json }) =>
    `${entry}${encodeURI(path)}#${json === undefined ? '' : digest(JSON.stringify(json))}`.slice(0, 255);
}

/** Tells texts of one entry apart: FNV-1a of 32 bits, with the length. Nothing secret depends on it. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return `${text.length}.${(hash >>> 0).toString(16)}`;
}
