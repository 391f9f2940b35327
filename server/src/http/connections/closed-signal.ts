import type { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { NotevaultError } from '@notevault/protocol/errors.ts';

type Stream = EventEmitter & { readonly destroyed: boolean };

/** Calls functions once, when a request's body or its response is closed. */
class Closing {
  readonly #then: (() => void)[] = [];
  #closed = false;

  constructor(stream: Stream) {
    // Without an error listener, a broken stream would end the process.
    stream.on('error', () => this.#close()).once('close', () => this.#close());
  }

  add(then: () => void): void {
    if (this.#closed) then();
    else this.#then.push(then);
  }

  #close(): void {
    this.#closed = true;
    for (const then of this.#then.splice(0)) then();
  }
}

const closings = new WeakMap<Stream, Closing>();
const signals = new WeakMap<Stream, AbortSignal>();

/** Calls a function when a request's body or its response is closed, or at once if it is. */
export function onceClosed(stream: Stream, then: () => void): void {
  let closing = closings.get(stream);
  if (closing === undefined) {
    if (stream.destroyed) {
      // Its `close` event has passed and would never come.
      then();
      return;
    }
    closing = new Closing(stream);
    closings.set(stream, closing);
  }
  closing.add(then);
}

/** Is aborted with `bad_request` when a request's body or its response is closed; the same signal for each call. */
export function closedSignal(stream: Stream): AbortSignal {
  const known = signals.get(stream);
  if (known !== undefined) return known;
  const controller = new AbortController();
  onceClosed(stream, () => controller.abort(new NotevaultError('bad_request')));
  signals.set(stream, controller.signal);
  return controller.signal;
}

/**
 * Returns a signal that is aborted with `bad_request` when the client is gone before it has the whole answer. After the
 * answer it is not aborted, because background work that the request began must still finish.
 */
export function hangUpSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  onceClosed(response, () => {
    if (!response.writableFinished) controller.abort(new NotevaultError('bad_request'));
  });
  return controller.signal;
}
