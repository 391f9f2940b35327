import { errors, NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyRequest } from 'fastify';
import { type Answer, finishNothing, type Idempotency } from '../domains/idempotency/idempotency.ts';
import type { Admitted } from './call.ts';
import type { Incoming } from './incoming.ts';
import type { KeyedRoute, Reply } from './route.ts';

export type KeyedCall = Parameters<KeyedRoute['perform']>[0];

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The request's idempotency key, or null. Throws `missing_idempotency_key`, `invalid_idempotency_key`. */
export function keyOf(request: FastifyRequest, route: KeyedRoute): string | null {
  const key = request.headers['x-idempotency-key'];
  if (key === undefined) {
    if (route.key === 'required') throw new NotevaultError('missing_idempotency_key');
    return null;
  }
  if (typeof key !== 'string' || !KEY.test(key)) throw new NotevaultError('invalid_idempotency_key');
  return key;
}

/** Performs a route, once for its key, or gives its stored answer again (contract section 8). */
export async function answerKeyed(
  idempotency: Pick<Idempotency, 'once'>,
  route: KeyedRoute,
  call: KeyedCall,
  key: string | null,
  successStatus: number,
): Promise<Reply> {
  try {
    return await performKeyed(idempotency, route, call, key, successStatus);
  } catch (error) {
    throw route.flagsConflicts === true && error instanceof NotevaultError ? flagConflict(error) : error;
  }
}

/** The error with `conflict: true` where it is answered with 409; any other error as it is. */
function flagConflict(error: NotevaultError): NotevaultError {
  if (errors[error.code].status !== 409) return error;
  return new NotevaultError(error.code, { conflict: true, ...error.details }, error.cause);
}

async function performKeyed(
  idempotency: Pick<Idempotency, 'once'>,
  route: KeyedRoute,
  call: KeyedCall,
  key: string | null,
  successStatus: number,
): Promise<Reply> {
  if (route.receive !== undefined) {
    await using received = await route.receive(call as KeyedCall & { incoming: Incoming });
    return await answerOnce(
      idempotency,
      route,
      { ...call, received } as KeyedCall,
      key,
      successStatus,
      received.identity,
    );
  }
  return answerOnce(idempotency, route, call, key, successStatus, call.body ?? null);
}

async function answerOnce(
  idempotency: Pick<Idempotency, 'once'>,
  route: KeyedRoute,
  call: KeyedCall,
  key: string | null,
  successStatus: number,
  body: unknown,
): Promise<Reply> {
  if (key === null) return route.reply(await route.perform(call, finishNothing), call);
  const { principal, vault } = call as Admitted;
  if (principal === undefined) throw new TypeError('a keyed route is never public');
  const answerOf = (result: unknown): Answer => {
    const { status = successStatus, body } = route.reply(result, call);
    return { status, body };
  };
  const { params, query, tail } = call;
  const ask = { userId: principal.userId, vault: vault ?? null, route: `POST ${route.path}`, key };
  const given = await idempotency.once({ ...ask, request: { params, query, tail, body } }, async (keep) =>
    answerOf(await route.perform(call, (handle, result) => keep(handle, answerOf(result)))),
  );
  if (!given.replayed) return given;
  route.recheck?.(call, given.body);
  return { ...given, headers: { 'idempotency-replayed': 'true' } };
}
