import { errors, NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyRequest } from 'fastify';
import { type Idempotency, type StoredResponse, skipInTransaction } from '../domains/idempotency/idempotency.ts';
import type { BodyStream } from './body/body-stream.ts';
import type { Authorized } from './request-context.ts';
import type { IdempotentRoute, Reply } from './route.ts';

export type IdempotentRequest = Parameters<IdempotentRoute['perform']>[0];

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The request's idempotency key, or null without one. Throws `missing_idempotency_key`, `invalid_idempotency_key`. */
export function keyOf(request: FastifyRequest, route: IdempotentRoute): string | null {
  const key = request.headers['x-idempotency-key'];
  if (key === undefined) {
    if (route.rule.key === 'required') throw new NotevaultError('missing_idempotency_key');
    return null;
  }
  if (typeof key !== 'string' || !KEY.test(key)) throw new NotevaultError('invalid_idempotency_key');
  return key;
}

/** Runs a route once for its key, or returns its stored answer. */
export async function runIdempotent(
  idempotency: Pick<Idempotency, 'once'>,
  route: IdempotentRoute,
  request: IdempotentRequest,
  key: string | null,
  successStatus: number,
): Promise<Reply> {
  try {
    return await performKeyed(idempotency, route, request, key, successStatus);
  } catch (error) {
    throw route.flagsConflicts === true && error instanceof NotevaultError ? flagConflict(error) : error;
  }
}

/** Adds `conflict: true` to an error that is answered with 409; returns any other error unchanged. */
function flagConflict(error: NotevaultError): NotevaultError {
  if (errors[error.code].status !== 409) return error;
  return new NotevaultError(error.code, { conflict: true, ...error.details }, error.cause);
}

async function performKeyed(
  idempotency: Pick<Idempotency, 'once'>,
  route: IdempotentRoute,
  request: IdempotentRequest,
  key: string | null,
  successStatus: number,
): Promise<Reply> {
  if (route.receive !== undefined) {
    await using received = await route.receive(request as IdempotentRequest & { stream: BodyStream });
    return await runOnce(
      idempotency,
      route,
      { ...request, received } as IdempotentRequest,
      key,
      successStatus,
      received.identity,
    );
  }
  return runOnce(idempotency, route, request, key, successStatus, request.body ?? null);
}

async function runOnce(
  idempotency: Pick<Idempotency, 'once'>,
  route: IdempotentRoute,
  request: IdempotentRequest,
  key: string | null,
  successStatus: number,
  body: unknown,
): Promise<Reply> {
  if (key === null) return route.reply(await route.perform(request, skipInTransaction), request);
  const { principal, vault } = request as Authorized;
  if (principal === undefined) throw new TypeError('a keyed route is never public');
  const answerOf = (result: unknown): StoredResponse => {
    const { status = successStatus, body } = route.reply(result, request);
    return { status, body };
  };
  const { params, query, tail } = request;
  const keyedRequest = { userId: principal.userId, vault: vault ?? null, route: `POST ${route.path}`, key };
  const stored = await idempotency.once({ ...keyedRequest, request: { params, query, tail, body } }, async (keep) =>
    answerOf(await route.perform(request, (handle, result) => keep(handle, answerOf(result)))),
  );
  if (!stored.replayed) return stored;
  route.recheck?.(request, stored.body);
  return { ...stored, headers: { 'idempotency-replayed': 'true' } };
}
