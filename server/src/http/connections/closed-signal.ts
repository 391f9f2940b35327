import type { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { NotevaultError } from '@notevault/protocol/errors.ts';

const signals = new WeakMap<EventEmitter, AbortSignal>();

/**
 * Returns a signal that is aborted with `bad_request` when a request's body or its response is closed; the same signal
 * for each call.
 */
export function closedSignal(stream: EventEmitter & { readonly destroyed: boolean }): AbortSignal {
  const known = signals.get(stream);
  if (known !== undefined) return known;
  const controller = new AbortController();
  const abort = () => controller.abort(new NotevaultError('bad_request'));
  // Its `close` event has passed and would never come.
  if (stream.destroyed) abort();
  // Without an error listener, a broken stream would end the process.
  else stream.on('error', abort).once('close', abort);
  signals.set(stream, controller.signal);
  return controller.signal;
}

/** Calls a function when the response is closed, or at once if it is. */
export function onceClosed(stream: EventEmitter & { readonly destroyed: boolean }, then: () => void): void {
  const signal = closedSignal(stream);
  if (signal.aborted) then();
  else signal.addEventListener('abort', then, { once: true });
}

/**
 * Returns a signal that is aborted with `bad_request` when the client is gone before it has the whole answer. After an
 * answer it stays as it is, because what the request began and nobody waits for must still be done.
 */
export function hangUpSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  onceClosed(response, () => {
    if (!response.writableFinished) controller.abort(new NotevaultError('bad_request'));
  });
  return controller.signal;
}
