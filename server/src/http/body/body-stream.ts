import type { IncomingMessage, ServerResponse } from 'node:http';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** A request's body as a stream, which can be read once. */
export interface BodyStream {
  /** Throws `request_timeout` when the client stops sending, `bad_request` when it hangs up. */
  readonly bytes: AsyncIterable<Buffer>;
  /** `Content-Length`; null for a body of unknown length. */
  readonly declaredBytes: number | null;
}

export interface StreamThroughput {
  readonly intervalMs: number;
  /** While it is awaited, a body must bring this many bytes per interval; two intervals in a row with fewer end it. */
  readonly bytesPerInterval: number;
}

export const STREAM_THROUGHPUT: StreamThroughput = { intervalMs: 10_000, bytesPerInterval: 10 * 1024 };

const SLOW_INTERVALS = 2;

/** Keeps bodies of every type as streams in this scope. */
export function leaveBodiesUnread(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request: FastifyRequest, payload, done) => done(null, payload));
}

/**
 * Throws `unsupported_media_type` for a body with a content coding (RFC 9110, section 8.4.1): its bytes are not of the
 * type it declares, so storing them would store something else than was sent.
 */
export function rejectEncoded(request: FastifyRequest): void {
  const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (coding !== '' && coding !== 'identity') throw new NotevaultError('unsupported_media_type');
}

/**
 * Returns the body of a streamed route, which must be disposed of at its end. Throws `unsupported_media_type` for an
 * encoded body, and for one that does not declare the type it should have.
 */
export function bodyStreamOf(
  request: FastifyRequest,
  takes: string,
  throughput: StreamThroughput,
): BodyStream & Disposable {
  const { 'content-length': length, 'content-type': type } = request.headers;
  const mediaType = type?.split(';', 1)[0]?.trim().toLowerCase();
  // For an octet-stream any declared media type is accepted.
  if (takes !== ANY_BYTES && mediaType !== takes) throw new NotevaultError('unsupported_media_type');
  rejectEncoded(request);
  const body = new Body(request.raw, throughput);
  return {
    bytes: body.chunks(),
    declaredBytes: length === undefined ? null : Number(length),
    [Symbol.dispose]: () => body.release(),
  };
}

const ANY_BYTES = 'application/octet-stream';

class Body {
  readonly #payload: IncomingMessage;
  readonly #throughput: StreamThroughput;
  #wake = () => {};
  #failure: NotevaultError | null = null;
  #waiting = false;
  #consumed = 0;
  #watch: NodeJS.Timeout | null = null;

  constructor(payload: IncomingMessage, throughput: StreamThroughput) {
    this.#payload = payload;
    this.#throughput = throughput;
  }

  /** Yields the chunks of the body. When iteration stops early, an answer can still be sent. */
  async *chunks(): AsyncGenerator<Buffer> {
    this.#begin();
    while (this.#failure === null) {
      const chunk: Buffer | null = this.#payload.read();
      if (chunk !== null) {
        this.#consumed += chunk.length;
        yield chunk;
      } else if (this.#payload.readableEnded) return this.release();
      else await this.#progress();
    }
    throw this.#failure;
  }

  release(): void {
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#payload.off('readable', this.#onEvent).off('end', this.#onEvent).off('close', this.#onClose);
  }

  #begin(): void {
    const { intervalMs, bytesPerInterval } = this.#throughput;
    let [before, slow] = [0, 0];
    this.#watch = setInterval(() => {
      // Counts only while the client is awaited; the time for storing its bytes is not its fault.
      slow = this.#waiting && this.#consumed - before < bytesPerInterval ? slow + 1 : 0;
      before = this.#consumed;
      if (slow >= SLOW_INTERVALS) this.#fail(new NotevaultError('request_timeout'));
    }, intervalMs);
    this.#payload.on('readable', this.#onEvent).on('end', this.#onEvent).on('close', this.#onClose);
    // The error listener stays: without one, a later error of the stream would end the process.
    this.#payload.on('error', this.#onClose);
    // If the client has already hung up, no event will follow.
    if (this.#payload.destroyed) this.#onClose();
    else inviteBody(this.#payload);
  }

  readonly #onEvent = () => this.#wake();
  readonly #onClose = () => {
    if (!this.#payload.readableEnded) this.#fail(new NotevaultError('bad_request'));
  };

  async #progress(): Promise<void> {
    this.#waiting = true;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#waiting = false;
  }

  #fail(error: NotevaultError): void {
    this.#failure ??= error;
    this.#wake();
  }
}

/** How long an answered request may continue to send a body that is not read. */
const LINGER_MS = 10_000;

/** Closes connections whose request was answered before its whole body arrived, because the rest may be endless. */
export function destroyUnread(request: FastifyRequest['raw']): void {
  if (request.complete) return;
  const timer = setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, LINGER_MS);
  timer.unref();
  request.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
}

/** Requests whose client waits for `100 Continue` before it sends the body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();
/** Requests with an unsupported expectation. */
const unmet = new WeakSet<IncomingMessage>();

/**
 * Routes requests with `Expect` (RFC 9110, section 10.1.1) like all others. Node itself would invite the body before
 * credentials are checked, and refuse other expectations without a body.
 */
export function routeExpectations(app: FastifyInstance): void {
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response);
    app.routing(request, response);
  });
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    unmet.add(request);
    app.routing(request, response);
  });
}

/** Throws `expectation_failed`. */
export function refuseExpectation(request: IncomingMessage): void {
  if (unmet.has(request)) throw new NotevaultError('expectation_failed');
}

/** Sends `100 Continue` to a client that waits for it, once nothing but the body can lead to a refusal. */
export function inviteBody(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
}
