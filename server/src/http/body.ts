import type { Readable } from 'node:stream';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Arrival, Budget, type Pace } from './arrival.ts';
import { inviteBody } from './expectations.ts';
import { refuseCoded } from './incoming.ts';
import { Places } from './places.ts';

const KB = 1024;
const MB = 1024 * KB;

export const DEFAULT_BODY_LIMIT = 16 * MB;
/** Where anybody may send: names, passwords and tokens fit, and nobody fills the memory without an account. */
export const PUBLIC_BODY_LIMIT = 16 * KB;

/** What the bodies of all requests together may take. */
export interface BodyLimits extends Pace {
  /** Bodies from this size on are read and parsed at most `bigAtOnce` at a time: each costs several times its size in memory. */
  readonly bigBytes: number;
  readonly bigAtOnce: number;
  /** More requests than these do not wait for a place. */
  readonly bigWaiting: number;
  /** All bytes that have arrived and are not parsed yet. */
  readonly budgetBytes: number;
}

const LIMITS: BodyLimits = {
  bigBytes: 4 * MB,
  bigAtOnce: 2,
  bigWaiting: 32,
  budgetBytes: 256 * MB,
  lookMs: 10_000,
  bigBytesPerLook: 160 * KB,
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Reads the JSON bodies of all requests, within common bounds. */
export function takeBodies(app: FastifyInstance, limits: BodyLimits = LIMITS): void {
  const places = new Places(limits.bigAtOnce, limits.bigWaiting);
  const budget = new Budget(limits.budgetBytes);
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    refuseCoded(request);
    const max = request.routeOptions.bodyLimit ?? DEFAULT_BODY_LIMIT;
    const declared = Number(request.headers['content-length'] ?? Number.NaN);
    if (declared > max) throw new NotevaultError('body_too_large', { max });
    // A body of unknown length is taken for the largest it may be.
    const big = (Number.isNaN(declared) ? max : declared) > limits.bigBytes;
    if (big) await places.enter(payload);
    inviteBody(request.raw);
    const arrival = new Arrival(payload, budget);
    try {
      return parseJson(await arrival.collect(max, big, limits));
    } finally {
      arrival.release();
      if (big) places.leave();
    }
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
