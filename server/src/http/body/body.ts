import type { Readable } from 'node:stream';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { KB, MB } from '@notevault/protocol/values/byte-units.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FairSemaphore, type Permit, type SemaphoreLimits } from '../../concurrency/semaphore.ts';
import { HANDLED_BYTES, LARGE_BODIES, UNPARSED_BYTES } from '../../config/limits.ts';
import { closedSignal, onceClosed } from '../connections/closed-signal.ts';
import { BodyReader, MemoryBudget, type MinThroughput } from './body-reader.ts';
import { inviteBody, rejectEncoded } from './body-stream.ts';
import { JsonText, JsonValueCounter } from './json-text.ts';

export const DEFAULT_BODY_LIMIT = 16 * MB;
/** Enough for names, passwords and tokens, and too little to fill the memory without an account. */
export const PUBLIC_BODY_LIMIT = 16 * KB;

/** Limits of the bodies of all requests together. */
export interface BodyLimits extends MinThroughput {
  /**
   * Few bodies from this size on are read and parsed at once, because each takes several times its size in memory; of one
   * account fewer, so that its slow connections do not keep the bodies of others out.
   */
  readonly bigBytes: number;
  readonly big: SemaphoreLimits;
  /** Maximum bytes received and not parsed yet, in total and per account. */
  readonly budgetBytes: number;
  readonly budgetBytesOfOne: number;
  /** Bodies from this size on count against the limits of bytes in requests being handled, in total and per account. */
  readonly workedFrom: number;
  readonly worked: SemaphoreLimits;
}

const LIMITS: BodyLimits = {
  bigBytes: 4 * MB,
  big: LARGE_BODIES,
  budgetBytes: UNPARSED_BYTES.total,
  budgetBytesOfOne: UNPARSED_BYTES.perTenant,
  workedFrom: 256 * KB,
  worked: HANDLED_BYTES,
  intervalMs: 10_000,
  bigBytesPerInterval: 160 * KB,
};

/** Far more than any valid request has. */
const VALUES_MAX = 100_000;

/** Tracks what requests with large bodies hold. */
export interface ParsedBodies {
  /** Call this when a request's body is no longer needed; sending its answer may take longer. */
  done(request: FastifyRequest): void;
}

/** Parses all JSON bodies within common limits. @param tenantOf the tenant that a request is charged to. */
export function parseBodies(
  app: FastifyInstance,
  tenantOf: (request: FastifyRequest) => string,
  limits: BodyLimits = LIMITS,
): ParsedBodies {
  const semaphore = new FairSemaphore(limits.big);
  const budget = new MemoryBudget(limits.budgetBytes, limits.budgetBytesOfOne);
  const worked = new FairSemaphore(limits.worked);
  const permits = new WeakMap<FastifyRequest, Permit>();
  const done = (request: FastifyRequest) => permits.get(request)?.[Symbol.dispose]();
  // Also runs when the request is refused before its handler.
  app.addHook('preValidation', (request, reply, next) => {
    if (permits.has(request)) onceClosed(reply.raw, () => done(request));
    next();
  });
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    rejectEncoded(request);
    const max = request.routeOptions.bodyLimit ?? DEFAULT_BODY_LIMIT;
    const declared = Number(request.headers['content-length'] ?? Number.NaN);
    if (declared > max) throw new NotevaultError('body_too_large', { max });
    // A body of unknown length counts as one of the largest allowed size.
    const big = (Number.isNaN(declared) ? max : declared) > limits.bigBytes;
    const tenant = tenantOf(request);
    using reader = new BodyReader(payload, budget, tenant);
    try {
      const text = new JsonText();
      const collect = () => {
        inviteBody(request.raw);
        return reader.read(max, big, limits, jsonInto(text));
      };
      await (big ? semaphore.run(tenant, collect, 1, closedSignal(payload)) : collect());
      // The body has arrived, so a slow connection does not hold the permit.
      if (reader.bytes > limits.workedFrom) permits.set(request, await worked.acquire(tenant, reader.bytes));
      return text.parse();
    } catch (error) {
      done(request);
      throw error;
    }
  });
  return { done };
}

/** Returns a function that adds chunks to a text, and throws `body_too_large` when they have too many values. */
function jsonInto(text: JsonText): (chunk: Buffer) => void {
  const values = new JsonValueCounter();
  return (chunk) => {
    values.add(chunk);
    if (values.count > VALUES_MAX) throw new NotevaultError('body_too_large', { max_values: VALUES_MAX });
    text.add(chunk);
  };
}
