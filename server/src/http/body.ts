import type { Readable } from 'node:stream';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Places } from './places.ts';

const KB = 1024;
const MB = 1024 * KB;

export const DEFAULT_BODY_LIMIT = 16 * MB;

/** What the bodies of all requests together may take. */
export interface BodyLimits {
  /** Bodies from this size on are read and parsed at most `bigAtOnce` at a time: each costs several times its size in memory. */
  readonly bigBytes: number;
  readonly bigAtOnce: number;
  /** More requests than these do not wait for a place. */
  readonly bigWaiting: number;
}

const LIMITS: BodyLimits = { bigBytes: 4 * MB, bigAtOnce: 2, bigWaiting: 32 };

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Reads the JSON bodies of all requests, within common bounds. */
export function takeBodies(app: FastifyInstance, limits: BodyLimits = LIMITS): void {
  const places = new Places(limits.bigAtOnce, limits.bigWaiting);
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    const max = request.routeOptions.bodyLimit ?? DEFAULT_BODY_LIMIT;
    const declared = Number(request.headers['content-length'] ?? Number.NaN);
    if (declared > max) throw tooLarge(max);
    // A body of unknown length is taken for the largest it may be.
    const big = (Number.isNaN(declared) ? max : declared) > limits.bigBytes;
    if (big) await places.enter(payload);
    try {
      return parseJson(await collect(payload, max));
    } finally {
      if (big) places.leave();
    }
  });
}

/** The whole body; fails when it is over `max` bytes, and when the client hangs up. */
function collect(payload: Readable, max: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > max) return reject(tooLarge(max));
    chunks.push(chunk);
  };
  const onEnd = () => resolve(Buffer.concat(chunks, bytes));
  const onClose = () => reject(new NotevaultError('invalid_json'));
  // A client that hung up before now will not be heard of again.
  if (payload.destroyed) onClose();
  payload.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose);
  return promise.finally(() => {
    payload.off('data', onData).off('end', onEnd).off('close', onClose);
  });
}

/** JSON in UTF-8, strictly; an empty body is no body, whatever content type came with it. */
function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(utf8.decode(body), withoutPrototype);
  } catch {
    throw new NotevaultError('invalid_json');
  }
}

/** Drops `__proto__` keys: copied by assignment they would change the prototype of the copy. */
function withoutPrototype(this: unknown, key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}

function tooLarge(max: number): NotevaultError {
  return new NotevaultError('body_too_large', { max });
}
