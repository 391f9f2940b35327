import type { Readable } from 'node:stream';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FairSemaphore } from '../concurrency/semaphore.ts';
import { BodyReader, MemoryBudget, type MinThroughput } from './body-reader.ts';
import { rejectEncoded } from './body-stream.ts';
import { closedSignal } from './closed-signal.ts';
import { inviteBody } from './expectations.ts';

const KB = 1024;
const MB = 1024 * KB;

export const DEFAULT_BODY_LIMIT = 16 * MB;
/** Where anybody may send: names, passwords and tokens fit, and nobody fills the memory without an account. */
export const PUBLIC_BODY_LIMIT = 16 * KB;

/** What the bodies of all requests together may take. */
export interface BodyLimits extends MinThroughput {
  /** Bodies from this size on are read and parsed at most `bigAtOnce` at a time: each costs several times its size in memory. */
  readonly bigBytes: number;
  readonly bigAtOnce: number;
  /** Of one account at once: a slow line must not keep the bodies of others out. */
  readonly bigAtOnceOfOne: number;
  /** More requests than these do not wait for a place. */
  readonly bigWaiting: number;
  readonly bigWaitingOfOne: number;
  /** All bytes that have arrived and are not parsed yet, and those of one account. */
  readonly budgetBytes: number;
  readonly budgetBytesOfOne: number;
}

const LIMITS: BodyLimits = {
  bigBytes: 4 * MB,
  bigAtOnce: 3,
  bigAtOnceOfOne: 2,
  bigWaiting: 64,
  bigWaitingOfOne: 16,
  budgetBytes: 256 * MB,
  budgetBytesOfOne: 136 * MB,
  intervalMs: 10_000,
  bigBytesPerInterval: 160 * KB,
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/**
 * Reads the JSON bodies of all requests, within common bounds.
 *
 * @param ownerOf whose share of the bounds a request counts against.
 */
export function parseBodies(
  app: FastifyInstance,
  ownerOf: (request: FastifyRequest) => string,
  limits: BodyLimits = LIMITS,
): void {
  const semaphore = new FairSemaphore({
    units: limits.bigAtOnce,
    unitsPerOwner: limits.bigAtOnceOfOne,
    waiting: limits.bigWaiting,
    waitingPerOwner: limits.bigWaitingOfOne,
  });
  const budget = new MemoryBudget(limits.budgetBytes, limits.budgetBytesOfOne);
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    rejectEncoded(request);
    const max = request.routeOptions.bodyLimit ?? DEFAULT_BODY_LIMIT;
    const declared = Number(request.headers['content-length'] ?? Number.NaN);
    if (declared > max) throw new NotevaultError('body_too_large', { max });
    // A body of unknown length is taken for the largest it may be.
    const big = (Number.isNaN(declared) ? max : declared) > limits.bigBytes;
    const owner = ownerOf(request);
    using _ = big ? await semaphore.acquire(owner, 1, closedSignal(payload)) : null;
    inviteBody(request.raw);
    const reader = new BodyReader(payload, budget, owner);
    try {
      return parseJson(await reader.collect(max, big, limits));
    } finally {
      reader.release();
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
