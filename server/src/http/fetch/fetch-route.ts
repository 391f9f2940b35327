import { Readable } from 'node:stream';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { pathOf } from '@notevault/protocol/public-url.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { loopSlices } from '../../concurrency/yield.ts';
import type { Principal } from '../../domains/foundation/access/access.ts';
import type { Admission } from '../admission.ts';
import { closedSignal } from '../connections/closed-signal.ts';
import { refuseOtherMethods } from '../other-methods.ts';
import type { Guard } from '../route.ts';
import { localFetch } from './local-fetch.ts';

export interface FetchCall {
  readonly principal: Principal;
  readonly request: Request;
  readonly body: unknown;
  /** Sends requests to this server with the credential of this request. */
  readonly fetch: typeof globalThis.fetch;
}

/**
 * A POST endpoint below `/api` of a protocol that a library speaks: it gets a web Request and returns a Response. The
 * source of the request and its credential are checked before the body is read.
 */
export interface FetchRoute {
  /** Below `/api`. */
  readonly path: string;
  /** Addresses that people take for its own: they point on to it. */
  readonly mistaken: readonly string[];
  readonly scope: string;
  /** The answer to a body that is not JSON, in the format of the protocol. */
  readonly invalidJson: object;
  readonly handle: (call: FetchCall) => Promise<Response>;
}

export interface FetchDeps extends AllowedSources {
  readonly guard: Guard;
  readonly admission: Admission;
}

export function mountFetchRoute(api: FastifyInstance, app: FastifyInstance, route: FetchRoute, deps: FetchDeps): void {
  const principals = new WeakMap<FastifyRequest, Principal>();
  api.route({
    method: 'POST',
    url: route.path,
    schema: { hide: true },
    config: { rateLimit: false },
    onRequest: async (request, reply) => {
      checkSource(request, deps);
      const { authorization, 'user-agent': userAgent = null } = request.headers;
      // As for other routes, a thousand requests that arrive at once begin in slices.
      await loopSlices.enterFrom(deps.admission.tenantOf(request), authorization ?? '');
      const principal = await deps.guard.authenticate(authorization, { ip: request.ip, userAgent });
      deps.guard.consumeQuota(principal, { onboarding: false });
      await deps.admission.admit(request, reply.raw, principal.userId);
      principals.set(request, principal);
    },
    errorHandler: (error, request, reply) => {
      if (error instanceof NotevaultError && error.code === 'invalid_json') reply.code(400).send(route.invalidJson);
      else api.errorHandler(challenged(error, route), request, reply);
    },
    handler: async (request, reply) => {
      const principal = principals.get(request);
      if (principal === undefined) throw new TypeError('a request without its principal');
      await deps.guard.confirm(deps.guard.standingOf(principal, undefined, { who: 'credential' }));
      const call = { principal, request: webRequestOf(request, reply, deps), body: request.body };
      const { headers, socket } = request.raw;
      const fetch = localFetch(app.server, { principal, headers, remoteAddress: socket.remoteAddress });
      return sendResponse(reply, await route.handle({ ...call, fetch }));
    },
  });
  refuseOtherMethods(api, route.path, new Set(['POST']));
  for (const url of route.mistaken) {
    app.route({
      method: ['GET', 'POST'],
      url,
      schema: { hide: true },
      // Keeps method and body; before the body is read.
      onRequest: async (_request, reply) => reply.redirect(`${pathOf(deps.publicUrl)}/api${route.path}`, 308),
      handler: async () => undefined,
    });
  }
}

/** Adds the scopes to an error that asks for a credential, or for one that may do more. */
function challenged(error: unknown, { scope }: FetchRoute): unknown {
  const isChallenge = error instanceof NotevaultError && /^(unauthorized|insufficient_access)$/.test(error.code);
  if (!isChallenge) return error;
  return new NotevaultError(error.code, { ...error.details, challenge_scope: scope }, error.cause);
}

function webRequestOf(request: FastifyRequest, reply: FastifyReply, { publicUrl }: FetchDeps): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    // The credential has been checked, and no library needs it.
    if (value !== undefined && name !== 'authorization') headers.set(name, String(value));
  }
  return new Request(publicUrl + request.url, { method: 'POST', headers, signal: closedSignal(reply.raw) });
}

function sendResponse(reply: FastifyReply, response: Response): FastifyReply | Promise<FastifyReply> {
  reply.code(response.status);
  for (const [name, value] of response.headers) if (name !== 'connection') reply.header(name, value);
  if (response.body === null) return reply.send();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (isStream) return reply.send(Readable.fromWeb(response.body as never));
  return response.arrayBuffer().then((bytes) => reply.send(Buffer.from(bytes)));
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** Pages and names that may reach an endpoint that programs on the user's machine use. */
interface AllowedSources {
  readonly publicUrl: string;
  /** Web origins that the operator has listed; `*` lists none. */
  readonly origins: readonly string[];
}

/**
 * Throws `foreign_host` or `foreign_origin` unless a request names this server, and comes from no page, or from one
 * that is ours, local or listed. Otherwise a page could reach a server on its visitor's machine or network by letting
 * its own name resolve to that address (DNS rebinding).
 */
function checkSource(request: FastifyRequest, { publicUrl, origins }: AllowedSources): void {
  const own = new URL(publicUrl);
  const { host = '', origin } = request.headers;
  const name = /^(\[[^\]]*\]|[^:]*)/.exec(host)?.[0].toLowerCase() ?? '';
  if (name !== own.hostname && !LOOPBACK.test(name) && name !== listeningName(request)) {
    throw new NotevaultError('foreign_host');
  }
  if (origin === undefined || origin === own.origin) return;
  const page = URL.parse(origin);
  const isLocal = page !== null && /^https?:$/.test(page.protocol) && LOOPBACK.test(page.hostname);
  if (!isLocal && !origins.includes(origin)) throw new NotevaultError('foreign_origin');
}

/** The address that the connection was made to, as a Host header would have it. */
function listeningName({ raw }: FastifyRequest): string | null {
  const address = raw.socket.localAddress?.replace(/^::ffff:/i, '');
  return address === undefined ? null : address.includes(':') ? `[${address}]` : address;
}
