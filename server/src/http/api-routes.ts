import { errors, NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FairSemaphore } from '../concurrency/semaphore.ts';
import { runForTenant, runOnReserve } from '../concurrency/tenant.ts';
import { whilePermitted } from '../concurrency/while-permitted.ts';
import { loopSlices } from '../concurrency/yield.ts';
import { checkRole, checkWho, type OpenVault } from '../domains/foundation/access/access.ts';
import {
  type Idempotency,
  type StoredResponse,
  skipInTransaction,
} from '../domains/foundation/idempotency/idempotency.ts';
import { runUnder } from '../domains/foundation/rights/rights.ts';
import type { Admission } from './admission.ts';
import { preferredCoding } from './answers/compression.ts';
import { holdUntilOnDisk, withPendingReads } from './answers/durable-answers.ts';
import { knownTag, revalidated, stateTag } from './answers/revalidation.ts';
import { send } from './answers/send.ts';
import { rateLimitOf } from './auth-limit.ts';
import { DEFAULT_BODY_LIMIT, type ParsedBodies, PUBLIC_BODY_LIMIT } from './body/body.ts';
import { type BodyStream, bodyStreamOf, leaveBodiesUnread, STREAM_THROUGHPUT } from './body/body-stream.ts';
import { buildStreamedValidator } from './compilers.ts';
import { closedSignal } from './connections/closed-signal.ts';
import { localCallerOf } from './fetch/local-fetch.ts';
import { schemaOf } from './openapi.ts';
import { refuseForeignOrigin } from './origins/cors.ts';
import { refuseOtherMethods } from './other-methods.ts';
import { type Authorized, requestContextOf, tailOf } from './request-context.ts';
import type { Guard, IdempotentRoute, Reply, Route } from './route.ts';

export interface MountedDeps {
  readonly guard: Guard;
  readonly version: string;
  readonly idempotency: Pick<Idempotency, 'once'>;
  readonly publicUrl: string;
  readonly authRateLimit: number;
  readonly uploads: FairSemaphore;
  readonly admission: Admission;
  readonly bodies: ParsedBodies;
}

/** Mounts the routes of the domains; other methods of their paths answer 405. */
export async function mountRoutes(api: FastifyInstance, routes: readonly Route[], deps: MountedDeps): Promise<void> {
  holdUntilOnDisk(api);
  for (const route of routes) if (route.takes === undefined) mountRoute(api, route, deps);
  await api.register(async (streamed) => {
    leaveBodiesUnread(streamed);
    for (const route of routes) if (route.takes !== undefined) mountRoute(streamed, route, deps);
  });
  mountRefusals(api, routes);
}

function mountRoute(api: FastifyInstance, route: Route, deps: MountedDeps): void {
  const authorized = new WeakMap<FastifyRequest, Authorized>();
  const successStatus = Math.min(...Object.keys(route.responses).map(Number));
  const { rule } = route;
  const anybody = rule.who === 'anyone' || rule.limit !== undefined;
  api.route({
    method: route.method,
    url: route.path,
    schema: schemaOf(route),
    bodyLimit: rule.bodyLimit ?? (anybody ? PUBLIC_BODY_LIMIT : DEFAULT_BODY_LIMIT),
    ...(route.takes === undefined ? {} : { validatorCompiler: buildStreamedValidator }),
    config: { rateLimit: rateLimitOf(route, deps.authRateLimit) },
    // Decides who calls and which vault is used before the body is read.
    onRequest: async (request, reply) => {
      if (route.headers !== undefined) reply.headers(route.headers);
      if (rule.readsCookies) refuseForeignOrigin(request, deps.publicUrl);
      if (rule.who !== 'anyone') {
        authorized.set(request, await withPendingReads(request, () => authorize(route, request, reply, deps)));
      }
      if ('perform' in route) keyOf(request, route);
    },
    // Returns no promise, because Fastify would await it once more.
    handler: (request, reply) => {
      const { admission } = deps;
      const caller = authorized.get(request) ?? {};
      let hasWaited = caller.arrivedWhole !== true;
      const act = async () => {
        // A right may have been taken away while the body arrived, or in a queue.
        if (hasWaited) await confirm(caller, deps);
        await runUnder(caller.standing, () => answer(route, request, reply, caller, successStatus, deps));
      };
      const mayUseReserve = route.method === 'DELETE' || rule.onFullDisk === true;
      const perform = () => withPendingReads(request, mayUseReserve ? () => runOnReserve(act) : act);
      // Uploads have their own limiter; here they would block other requests of their sender on a slow connection.
      const performed =
        route.takes === undefined
          ? admission.work(request, reply.raw, perform)
          : runForTenant(admission.tenantOf(request), perform);
      // A request that found no queue has passed the comparison by now.
      hasWaited = true;
      performed.catch((error: unknown) => refuse(request, reply, error));
    },
  });
}

/** Decides anew if a right was taken away since the decision. Throws the refusal. */
async function confirm({ standing }: Authorized, { guard }: MountedDeps): Promise<void> {
  if (standing !== undefined) await guard.confirm(standing);
}

/** Answers with an error, unless the answer has begun. */
function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  if (reply.sent) request.log.error({ err: error }, 'a request failed after its answer');
  else reply.send(error);
}

async function answer(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  authorized: Authorized,
  successStatus: number,
  deps: MountedDeps,
): Promise<void> {
  const { idempotency, admission, bodies, publicUrl } = deps;
  // The request was assembled from the schemas from which the handler's types are derived.
  const context = requestContextOf(request, route, authorized) as IdempotentRequest;
  const handle = (call: IdempotentRequest) =>
    'perform' in route
      ? runIdempotent(idempotency, route, call, keyOf(request, route), successStatus)
      : route.handle(call);
  const known = route.revalidates === 'vault' ? await stateTagOf(request, authorized, deps) : null;
  const ifNoneMatch = context.header('if-none-match');
  const coding = route.compresses ? preferredCoding(request.headers['accept-encoding']) : undefined;
  if (known !== null && knownTag(ifNoneMatch, known, coding) !== undefined) {
    await send(reply, revalidated({}, known, ifNoneMatch, coding), { successStatus, publicUrl, permit: null, coding });
    return;
  }
  const reserved =
    route.answerBytes === undefined ? null : admission.reserveAnswer(request, reply.raw, route.answerBytes);
  const permit = reserved instanceof Promise ? await reserved : reserved;
  if (reserved instanceof Promise) await confirm(authorized, deps);
  const handled = route.takes === undefined ? handle(context) : withBody(request, route, context, deps, handle);
  const answered = (await handled) ?? {};
  bodies.done(request);
  const etag = known ?? answered.etag;
  const final = etag === undefined ? answered : revalidated(answered, etag, ifNoneMatch, coding);
  await send(reply, checkedBytes(final, authorized, deps), { successStatus, publicUrl, permit, coding });
}

/** Bytes that are sent for long end when the vault is taken away from the caller meanwhile. */
function checkedBytes(answer: Reply, { principal, vault }: Authorized, { guard }: MountedDeps): Reply {
  const { bytes } = answer;
  if (bytes === undefined || principal === undefined || vault === undefined) return answer;
  const check = () => guard.recheck(principal, vault);
  const open = async () => whilePermitted(await bytes.open(), check, () => performance.now());
  return { ...answer, bytes: { ...bytes, open } };
}

/**
 * The tag of an answer that depends only on the vault. The answer is made after its tag, so it may be
 * newer: then no later tag equals this one, and the client gets it once more.
 */
async function stateTagOf(request: FastifyRequest, { vault }: Authorized, { guard, version }: MountedDeps) {
  if (vault === undefined) return null;
  return stateTag(version, await guard.stateOf(vault), request.originalUrl);
}

/** Opens the body stream of a request, which is read while it is handled; few at a time. */
async function withBody(
  request: FastifyRequest,
  { takes }: Route,
  call: IdempotentRequest,
  deps: MountedDeps,
  answered: (call: IdempotentRequest) => Promise<Reply | undefined>,
): Promise<Reply | undefined> {
  using stream = bodyStreamOf(request, takes?.mediaType ?? '', STREAM_THROUGHPUT);
  const caller = call as Authorized;
  const account = caller.principal?.userId ?? '';
  const check = () => confirm(caller, deps);
  const checked = { ...stream, bytes: whilePermitted(stream.bytes, check, () => performance.now()) };
  const answer = () => answered({ ...call, stream: checked } as IdempotentRequest);
  // Nothing of the body is read before it has a permit. Its client may hang up meanwhile, which throws `bad_request`.
  return await deps.uploads.run(account, answer, 1, closedSignal(request.raw));
}

async function authorize(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  { guard, admission }: MountedDeps,
): Promise<Authorized> {
  const { vault: need, onboarding = false } = route.rule;
  const { authorization, 'user-agent': userAgent = null } = request.headers;
  const client = { ip: request.ip, userAgent };
  // Until the caller is known, the request counts against the share of the network they call from.
  const tenant = admission.tenantOf(request);
  // A thousand requests that arrive at once begin in slices, so that other callers interleave.
  const turn = loopSlices.enterFrom(tenant, authorization ?? '');
  if (turn !== undefined) await turn;
  const [authenticating, selected, prefetched] = runForTenant(tenant, () => {
    const cause = localCallerOf(request.raw.socket);
    const principal = cause === undefined ? guard.authenticate(authorization, client) : guard.recall(cause);
    const vault = need === undefined ? null : guard.selectVault(vaultHeaderOf(request), authorization);
    return [principal, vault, prefetch(route, request, vault?.expected)];
  });
  try {
    const principal = await authenticating;
    guard.consumeQuota(principal, { onboarding });
    const refused = admission.admit(request, reply.raw, principal.userId);
    if (refused !== undefined) await refused;
    checkWho(route.rule, principal);
    if (route.rule.proof !== undefined) await guard.requireProof(principal, route.rule.proof);
    const decided = (vault?: OpenVault) => {
      const standing = guard.standingOf(principal, vault, route.rule);
      return { principal, standing, arrivedWhole: request.raw.complete };
    };
    if (need === undefined || selected === null) return decided();
    const opened = await runForTenant(principal.userId, () => selected.open(principal, need));
    checkRole(opened.role, route.rule);
    const caller = decided(opened);
    const vault = { ...opened, standing: caller.standing };
    return prefetched !== null && opened === selected.expected
      ? { ...caller, vault, prefetched }
      : { ...caller, vault };
  } catch (error) {
    selected?.refused();
    throw error;
  }
}

/** Begins the route's prefetch. Resolves to null when it fails: the handler reports the same error. */
function prefetch(route: Route, request: FastifyRequest, vault: OpenVault | undefined): Promise<unknown> | null {
  if (!('prefetch' in route) || route.prefetch === undefined || vault === undefined) return null;
  const { prefetch: read } = route;
  const named = async () => read(vault, { tail: tailOf(request, route), params: request.params as object });
  return named().catch(() => null);
}

function vaultHeaderOf({ headers }: FastifyRequest): string | undefined {
  const header = headers['x-vault-id'];
  return Array.isArray(header) ? header[0] : header;
}

/** Answers 405 for all other methods of each path with routes. */
function mountRefusals(api: FastifyInstance, routes: readonly Pick<Route, 'path' | 'method' | 'anyName'>[]): void {
  const methodsOf = new Map<string, Set<string>>();
  for (const { path, method } of routes) methodsOf.set(path, (methodsOf.get(path) ?? new Set()).add(method));
  for (const { path, method } of routes.filter((route) => route.anyName)) {
    for (const [url, present] of methodsOf) if (url.startsWith(path.slice(0, -1))) present.add(method);
  }
  for (const [url, present] of methodsOf) {
    if (present.has('GET')) present.add('HEAD');
    refuseOtherMethods(api, url, present);
  }
}

type IdempotentRequest = Parameters<IdempotentRoute['perform']>[0];

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The request's idempotency key, or null without one. Throws `missing_idempotency_key`, `invalid_idempotency_key`. */
function keyOf(request: FastifyRequest, route: IdempotentRoute): string | null {
  const key = request.headers['x-idempotency-key'];
  if (key === undefined) {
    if (route.rule.key === 'required') throw new NotevaultError('missing_idempotency_key');
    return null;
  }
  if (typeof key !== 'string' || !KEY.test(key)) throw new NotevaultError('invalid_idempotency_key');
  return key;
}

async function runIdempotent(
  idempotency: Pick<Idempotency, 'once'>,
  route: IdempotentRoute,
  request: IdempotentRequest,
  key: string | null,
  successStatus: number,
): Promise<Reply> {
  try {
    if (route.receive === undefined) {
      return await runOnce(idempotency, route, request, key, successStatus, request.body ?? null);
    }
    await using received = await route.receive(request as IdempotentRequest & { stream: BodyStream });
    const { identity } = received;
    const call = { ...request, received } as IdempotentRequest;
    return await runOnce(idempotency, route, call, key, successStatus, identity);
  } catch (error) {
    throw route.flagsConflicts === true && error instanceof NotevaultError ? flagConflict(error) : error;
  }
}

/** Adds `conflict: true` to an error that is answered with 409. */
function flagConflict(error: NotevaultError): NotevaultError {
  if (errors[error.code].status !== 409) return error;
  return new NotevaultError(error.code, { conflict: true, ...error.details }, error.cause);
}

async function runOnce(
  idempotency: Pick<Idempotency, 'once'>,
  route: IdempotentRoute,
  request: IdempotentRequest,
  key: string | null,
  successStatus: number,
  body: unknown,
): Promise<Reply> {
  const withHeaders = (reply: Reply): Reply =>
    route.headersOf === undefined ? reply : { ...reply, headers: { ...route.headersOf(reply.body), ...reply.headers } };
  if (key === null) return withHeaders(route.reply(await route.perform(request, skipInTransaction), request));
  const { principal, vault } = request as Authorized;
  if (principal === undefined) throw new TypeError('a keyed route is never public');
  const answerOf = (result: unknown): StoredResponse => {
    const { status = successStatus, body } = route.reply(result, request);
    return { status, body };
  };
  const { params, query, tail } = request;
  const keyedRequest = { userId: principal.userId, vault: vault ?? null, route: `${route.method} ${route.path}`, key };
  const stored = await idempotency.once({ ...keyedRequest, request: { params, query, tail, body } }, async (keep) =>
    answerOf(await route.perform(request, (handle, result) => keep(handle, answerOf(result)))),
  );
  if (!stored.replayed) return withHeaders(stored);
  await route.recheck?.(request, stored.body);
  return withHeaders({ ...stored, headers: { 'idempotency-replayed': 'true' } });
}
