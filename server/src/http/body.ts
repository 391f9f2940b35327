import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const MB = 1024 * 1024;
/** Bodies from this size on are read and parsed at most BIG_AT_ONCE at a time: each costs several times its size in memory. */
const BIG_BYTES = 4 * MB;
const BIG_AT_ONCE = 2;
const BIG_WAITING_MAX = 32;

export const DEFAULT_BODY_LIMIT = 16 * MB;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** JSON in UTF-8, strictly; an empty body is no body, whatever content type came with it. */
export function parseJson(
  _request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, value?: unknown) => void,
) {
  if (body.length === 0) return done(null, undefined);
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(body), withoutPrototype);
  } catch {
    return done(new NotevaultError('invalid_json'));
  }
  done(null, value);
}

/** Drops `__proto__` keys: copied by assignment they would change the prototype of the copy. */
function withoutPrototype(this: unknown, key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}

/** Lets few big bodies in at once; the others wait, and beyond a bound are told to come back. */
export function limitBigBodies(app: FastifyInstance): void {
  let inside = 0;
  const waiting: (() => void)[] = [];
  const leave = () => {
    inside -= 1;
    waiting.shift()?.();
  };
  app.addHook('preParsing', async (request, reply, payload) => {
    const length = Number(request.headers['content-length'] ?? Number.NaN);
    const chunked = Number.isNaN(length) && request.headers['transfer-encoding'] !== undefined;
    const limit = request.routeOptions.bodyLimit ?? DEFAULT_BODY_LIMIT;
    if (!(length > BIG_BYTES || (chunked && limit > BIG_BYTES))) return payload;
    // A body over the limit is refused by its declared length without being read; no place needed.
    if (length > limit) return payload;
    if (inside >= BIG_AT_ONCE) {
      if (waiting.length >= BIG_WAITING_MAX) throw new NotevaultError('unavailable');
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    inside += 1;
    reply.raw.once('close', leave);
    return payload;
  });
}
