import type { IncomingMessage } from 'node:http';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { inviteBody } from './expectations.ts';

/** A request's body that is read as it comes, once, and never held as a whole. */
export interface Incoming {
  /** Throws `request_timeout` when the client stops sending, `bad_request` when it hangs up. */
  readonly bytes: AsyncIterable<Buffer>;
  /** `Content-Length`; null for a body of unknown length. */
  readonly declaredBytes: number | null;
}

/** How slowly a body may come. */
export interface IncomingPace {
  readonly lookMs: number;
  /** While it is waited for, a body must bring so much between two looks; two poor looks in a row end it. */
  readonly bytesPerLook: number;
}

export const INCOMING_PACE: IncomingPace = { lookMs: 10_000, bytesPerLook: 10 * 1024 };

const POOR_LOOKS = 2;

/** In this scope bodies of every type stay streams. */
export function leaveBodiesUnread(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request: FastifyRequest, payload, done) => done(null, payload));
}

/**
 * Throws `unsupported_media_type` for a body with a content coding (RFC 9110, section 8.4.1): it is not what its type says,
 * and kept as it came it would be something else than what was sent.
 */
export function refuseCoded(request: FastifyRequest): void {
  const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (coding !== '' && coding !== 'identity') throw new NotevaultError('unsupported_media_type');
}

/** The body of a streamed route, to be let go of at its end. Throws `unsupported_media_type` where it should be JSON and does not say so, or is encoded. */
export function incomingOf(request: FastifyRequest, takes: string, pace: IncomingPace): Incoming & Disposable {
  const { 'content-length': length, 'content-type': type } = request.headers;
  const mediaType = type?.split(';', 1)[0]?.trim().toLowerCase();
  // Any bytes are octets, whatever they are called.
  if (takes === JSON_TYPE && mediaType !== JSON_TYPE) throw new NotevaultError('unsupported_media_type');
  refuseCoded(request);
  const body = new Body(request.raw, pace);
  return {
    bytes: body.chunks(),
    declaredBytes: length === undefined ? null : Number(length),
    [Symbol.dispose]: () => body.letGo(),
  };
}

const JSON_TYPE = 'application/json';

/** Waits for a body's chunks, not longer than its pace allows. */
class Body {
  readonly #payload: IncomingMessage;
  readonly #pace: IncomingPace;
  #wake = () => {};
  #failure: NotevaultError | null = null;
  #waiting = false;
  #taken = 0;
  #watch: NodeJS.Timeout | null = null;

  constructor(payload: IncomingMessage, pace: IncomingPace) {
    this.#payload = payload;
    this.#pace = pace;
  }

  /** Left early, it leaves the connection as it is: an answer can still be sent. */
  async *chunks(): AsyncGenerator<Buffer> {
    this.#begin();
    while (this.#failure === null) {
      const chunk: Buffer | null = this.#payload.read();
      if (chunk !== null) {
        this.#taken += chunk.length;
        yield chunk;
      } else if (this.#payload.readableEnded) return this.letGo();
      else await this.#something();
    }
    throw this.#failure;
  }

  letGo(): void {
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#payload.off('readable', this.#onEvent).off('end', this.#onEvent).off('close', this.#onClose);
  }

  #begin(): void {
    const { lookMs, bytesPerLook } = this.#pace;
    let [before, poor] = [0, 0];
    this.#watch = setInterval(() => {
      // Only while the client is waited for: storing what it sent is not its fault.
      poor = this.#waiting && this.#taken - before < bytesPerLook ? poor + 1 : 0;
      before = this.#taken;
      if (poor >= POOR_LOOKS) this.#fail(new NotevaultError('request_timeout'));
    }, lookMs);
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

  async #something(): Promise<void> {
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
export function cutOffUnread(request: FastifyRequest['raw']): void {
  if (request.complete) return;
  const timer = setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, LINGER_MS);
  timer.unref();
  request.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
}
