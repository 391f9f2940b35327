import type { EventEmitter } from 'node:events';
import { NotevaultError } from '@notevault/protocol/errors.ts';

/** Aborted with `bad_request` when the client hangs up: of a request's body, or of its response. */
export function closedSignal(stream: EventEmitter & { readonly destroyed: boolean }): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new NotevaultError('bad_request'));
  // Its `close` is over: waiting for it would be for ever.
  if (stream.destroyed) abort();
  // Without a listener for its error, a broken stream would end the process.
  else stream.on('error', abort).once('close', abort);
  return controller.signal;
}
