import type { EventEmitter } from 'node:events';
import { NotevaultError } from '@notevault/protocol/errors.ts';

const signals = new WeakMap<EventEmitter, AbortSignal>();

/** Aborted with `bad_request` when a request's body or its response is closed; one for each, however often asked for. */
export function closedSignal(stream: EventEmitter & { readonly destroyed: boolean }): AbortSignal {
  const known = signals.get(stream);
  if (known !== undefined) return known;
  const controller = new AbortController();
  const abort = () => controller.abort(new NotevaultError('bad_request'));
  // Its `close` is over: waiting for it would be for ever.
  if (stream.destroyed) abort();
  // Without a listener for its error, a broken stream would end the process.
  else stream.on('error', abort).once('close', abort);
  signals.set(stream, controller.signal);
  return controller.signal;
}

/** Calls a function once the response is closed, at once when it is. */
export function onceClosed(stream: EventEmitter & { readonly destroyed: boolean }, then: () => void): void {
  const signal = closedSignal(stream);
  if (signal.aborted) then();
  else signal.addEventListener('abort', then, { once: true });
}
