import type { IncomingMessage } from 'node:http';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { inviteBody } from './expectations.ts';

/** A request's body that is read as it comes, once, and never held as a whole. */
export interface BodyStream {
  /** Throws `request_timeout` when the client stops sending, `bad_request` when it hangs up. */
  readonly bytes: AsyncIterable<Buffer>;
  /** `Content-Length`; null for a body of unknown length. */
  readonly declaredBytes: number | null;
}

/** How slowly a body may come. */
export interface StreamThroughput {
  readonly intervalMs: number;
  /** While it is waited for, a body must bring so much between two looks; two poor looks in a row end it. */
  readonly bytesPerInterval: number;
}

export const STREAM_THROUGHPUT: StreamThroughput = { intervalMs: 10_000, bytesPerInterval: 10 * 1024 };

const SLOW_INTERVALS = 2;

/** In this scope bodies of every type stay streams. */
export function leaveBodiesUnread(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request: FastifyRequest, payload, done) => done(null, payload));
}

/**
 * Throws `unsupported_media_type` for a body with a content coding (RFC 9110, section 8.4.1): it is not what its type says,
 * and kept as it came it would be something else than what was sent.
 */
export function rejectEncoded(request: FastifyRequest): void {
  const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (coding !== '' && coding !== 'identity') throw new NotevaultError('unsupported_media_type');
}

/** The body of a streamed route, to be let go of at its end. Throws `unsupported_media_type` where it should be JSON and does not say so, or is encoded. */
export function bodyStreamOf(
  request: FastifyRequest,
  takes: string,
  throughput: StreamThroughput,
): BodyStream & Disposable {
  const { 'content-length': length, 'content-type': type } = request.headers;
  const mediaType = type?.split(';', 1)[0]?.trim().toLowerCase();
  // Any bytes are octets, whatever they are called.
  if (takes === JSON_TYPE && mediaType !== JSON_TYPE) throw new NotevaultError('unsupported_media_type');
  rejectEncoded(request);
  const body = new Body(request.raw, throughput);
  return {
    bytes: body.chunks(),
    declaredBytes: length === undefined ? null : Number(length),
    [Symbol.dispose]: () => body.release(),
  };
}

const JSON_TYPE = 'application/json';

/** Waits for a body's chunks, not longer than its pace allows. */
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

  /** Left early, it leaves the connection as it is: an answer can still be sent. */
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
      // Only while the client is waited for: storing what it sent is not its fault.
      slow = this.#waiting && this.#consumed - before < bytesPerInterval ? slow + 1 : 0;
      before = this.#consumed;
      if (slow >= SLOW_INTERVALS) this.#fail(new NotevaultError('request_timeout'));
    }, intervalMs);
    this.#payload.on('readable', this.#onEvent).on('end', this.#onEvent).on('close', this.#onClose);
    // The listener for errors stays: without one, a stream that breaks later would end the process.
    this.#payload.on('error', this.#onClose);
    // A client that hung up before now will not be heard of again.
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

/** So long an answered request may go on sending a body that nobody reads. */
const LINGER_MS = 10_000;

/** Ends connections whose request was answered before all of it came: what is left may be endless. */
export function destroyUnread(request: FastifyRequest['raw']): void {
  if (request.complete) return;
  const timer = setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, LINGER_MS);
  timer.unref();
  request.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
}
