import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { errors, NotevaultError } from '@notevault/protocol/errors.ts';
import { pathOf as publicPathOf } from '@notevault/protocol/public-url.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { networkOf } from '@notevault/protocol/values/ip-network.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FairSemaphore } from '../../concurrency/semaphore.ts';
import { loopSlices } from '../../concurrency/yield.ts';
import { PUBLIC_PAGES } from '../../config/limits.ts';
import type { Admission } from '../admission.ts';
import { send as sendReply } from '../answers/send.ts';
import { rateLimitFor } from '../auth-limit.ts';
import { PUBLIC_BODY_LIMIT } from '../body/body.ts';
import { BodyReader, MemoryBudget } from '../body/body-reader.ts';
import { inviteBody } from '../body/body-stream.ts';
import { hangUpSignal } from '../connections/closed-signal.ts';
import { errorResponseOf, toCatalogueError } from '../errors.ts';
import { refuseOtherMethods } from '../other-methods.ts';
import { headerOf } from '../request-context.ts';
import type { Reply } from '../route.ts';
import { type Form, formOf } from './forms.ts';
import { acceptedLanguage, type PageLanguage } from './page-language.ts';
import { faultText } from './page-texts.ts';
import { errorPage, type Page, pageOf } from './pages.ts';

/** A route outside `/api` with its own formats: a page for people, or an endpoint of an RFC. */
export interface RawRoute {
  readonly method: 'GET' | 'POST';
  /** The whole path; `:id` for a parameter. */
  readonly path: string;
  /** Largest body in bytes; the limit of public routes by default. */
  readonly bodyLimit?: number;
  /** Requests a minute by IP and path: the common limit of `auth`, or that but at least a number. */
  readonly limit?: 'auth' | { readonly atLeast: number };
  /** Set when HEAD is answered too. */
  readonly head?: true;
  /** Set when pages of any origin may use it, because no cookie counts there. */
  readonly anyOrigin?: true;
  /** Set when a form may come from a page without an origin: from a sandbox, whose forms are signed. */
  readonly nullOrigin?: true;
  /** Set for pages that people see: errors are shown as a page. */
  readonly forPeople?: true;
  /** Set for routes of public links, whose requests share the server with accounts as one more account would. */
  readonly ownShare?: true;
  readonly handle: (request: RawRequest) => Promise<RawReply>;
}

export interface RawRequest {
  readonly query: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, string>>;
  /** Returns any header of the request by its lower-case name. */
  readonly header: (name: string) => string | null;
  /** Returns the value of a cookie; an empty text without it. */
  readonly cookie: (name: string) => string;
  /** The client's address, as reported by trusted proxies. */
  readonly ip: string;
  readonly language: PageLanguage;
  /** Parses the form of the request. Throws `foreign_form` for a form of another site, `unsupported_media_type`. */
  form(): Form;
  /** The exchange with the browser, for a library that reads the request itself; see `requestFor`. */
  readonly browser: RawExchange;
}

export interface RawExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The result of a handler; one place writes it to the socket. */
export type RawReply =
  | { readonly page: Page; readonly status?: number }
  /** A page that brings its own headers. */
  | { readonly text: string; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  /** The next URL of the browser, sent with 303. */
  | { readonly redirect: string }
  | { readonly document: object; readonly maxAgeSeconds: number }
  | { readonly reply: Reply }
  /** A function that writes the answer instead. */
  | { readonly answeredBy: (exchange: RawExchange) => Promise<void> };

export interface RawDeps {
  readonly publicUrl: string;
  /** Requests per minute per IP and path on limited routes; 0 = no limit. */
  readonly authRateLimit: number;
  readonly admission: Admission;
}

const BODIES_BYTES_MAX = 16 * MB;
const THROUGHPUT = { intervalMs: 10_000, bigBytesPerInterval: 1 };
/** The tenant of all public links: as many tenants as networks open a link would delay accounts as often. */
const PUBLIC = 'public pages';

/** Mounts routes with their own formats, in a scope of its own, because bodies are parsed differently. */
export async function mountRawRoutes(app: FastifyInstance, routes: readonly RawRoute[], deps: RawDeps): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    const budget = new MemoryBudget(BODIES_BYTES_MAX, BODIES_BYTES_MAX / 2);
    scope.addContentTypeParser('*', (request: FastifyRequest, payload: Readable) =>
      readBytes(request, payload, budget),
    );
    const turns = new FairSemaphore(PUBLIC_PAGES);
    for (const route of routes) mount(scope, route, deps, turns);
    for (const [path, methods] of methodsByPath(routes)) refuseOtherMethods(scope, path, methods);
  });
}

function mount(scope: FastifyInstance, route: RawRoute, deps: RawDeps, turns: FairSemaphore): void {
  scope.route({
    // HEAD is no route of its own, which would have a limit of its own.
    method: route.head === true ? [route.method, 'HEAD'] : route.method,
    url: route.path,
    exposeHeadRoute: false,
    schema: { hide: true },
    bodyLimit: route.bodyLimit ?? PUBLIC_BODY_LIMIT,
    config: { rateLimit: rateLimitFor(route.limit, deps.authRateLimit) },
    ...(route.forPeople === true ? { errorHandler: (error, _request, reply) => sendFault(reply, error) } : {}),
    handler: async (request, reply) => {
      const raw = rawRequestOf(request, reply, deps, route.nullOrigin === true);
      const answer = async () => await send(reply, await route.handle(raw), raw, deps);
      return await (route.ownShare === true ? inOwnShare(request, reply, { ...deps, turns }, answer) : answer());
    },
  });
}

async function inOwnShare<Result>(
  request: FastifyRequest,
  { raw }: FastifyReply,
  { admission, turns }: RawDeps & { readonly turns: FairSemaphore },
  answer: () => Promise<Result>,
): Promise<Result> {
  const network = networkOf(request.ip);
  // Before anything else, so that refusals take turns too.
  await loopSlices.enterFrom(PUBLIC, network);
  return await turns.run(network, () => admission.workFor(PUBLIC, raw, answer), 1, hangUpSignal(raw));
}

function methodsByPath(routes: readonly RawRoute[]): ReadonlyMap<string, ReadonlySet<string>> {
  const methods = new Map<string, Set<string>>();
  for (const { path, method, head } of routes) {
    const present = methods.get(path) ?? new Set();
    methods.set(path, present.add(method));
    if (head) present.add('HEAD');
  }
  return methods;
}

async function readBytes(request: FastifyRequest, payload: Readable, budget: MemoryBudget): Promise<Buffer> {
  const max = request.routeOptions.bodyLimit ?? PUBLIC_BODY_LIMIT;
  if (Number(request.headers['content-length'] ?? 0) > max) throw new NotevaultError('body_too_large', { max });
  inviteBody(request.raw);
  using reader = new BodyReader(payload, budget, networkOf(request.ip));
  return await reader.collect(max, false, THROUGHPUT);
}

function rawRequestOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { publicUrl }: RawDeps,
  nullOrigin: boolean,
): RawRequest {
  return {
    query: request.query as Record<string, unknown>,
    params: request.params as Record<string, string>,
    header: (name) => headerOf(request, name),
    cookie: (name) => request.cookies[name] ?? '',
    ip: request.ip,
    language: acceptedLanguage(request.headers['accept-language']),
    form: () => formOf(request, publicUrl, nullOrigin),
    browser: { request: requestFor(request, publicUrl), response: reply.raw },
  };
}

/**
 * Makes the request for a library: with the body that was read within the server's limits, the path of the route, and
 * the server's public origin instead of the address that the client used.
 */
function requestFor(request: FastifyRequest, publicUrl: string): IncomingMessage {
  const { raw } = request;
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const { host, protocol } = new URL(publicUrl);
  const { 'x-forwarded-host': _, 'transfer-encoding': __, ...headers } = raw.headers;
  const search = /\?.*$/s.exec(raw.url ?? '')?.[0] ?? '';
  const url = pathOf(request) + search;
  return Object.assign(Readable.from(body.length === 0 ? [] : [body], { objectMode: false }), {
    method: raw.method,
    url,
    // The library takes what comes before the URL for the path below which it is mounted.
    originalUrl: publicPathOf(publicUrl) + url,
    httpVersion: raw.httpVersion,
    socket: raw.socket,
    headers: {
      ...headers,
      host,
      'x-forwarded-proto': protocol.slice(0, -1),
      ...(body.length === 0 ? {} : { 'content-length': String(body.length) }),
    },
  }) as unknown as IncomingMessage;
}

/** The path of the request, spelled like its route. */
function pathOf(request: FastifyRequest): string {
  const params = request.params as Record<string, string>;
  const pattern = request.routeOptions.url ?? '';
  return pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

async function send(
  reply: FastifyReply,
  answer: RawReply,
  { browser }: RawRequest,
  { publicUrl }: RawDeps,
): Promise<unknown> {
  if ('page' in answer) return sendPage(reply, answer.status ?? 200, answer.page);
  if ('text' in answer) return reply.code(answer.status).headers(answer.headers).send(answer.text);
  if ('redirect' in answer) return reply.redirect(answer.redirect, 303);
  if ('document' in answer) {
    reply.header('cache-control', `public, max-age=${answer.maxAgeSeconds}`);
    return answer.document;
  }
  if ('reply' in answer) {
    await sendReply(reply, answer.reply, { successStatus: 200, publicUrl, permit: null, coding: undefined });
    return reply;
  }
  reply.hijack();
  // Headers set so far (request id, CORS, rate limit) are copied to the answer.
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  await answer.answeredBy(browser);
  return reply;
}

function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  const { body, headers } = pageOf(page);
  return reply.code(status).headers(headers).send(body);
}

function sendFault(reply: FastifyReply, error: unknown): FastifyReply {
  const known = toCatalogueError(error, reply.request);
  // The common error handler reveals nothing of unexpected errors, and keeps the connection of a body that still arrives.
  if (known === null || known.code === 'body_too_large') throw error;
  const { status, help, error: code } = errors[known.code];
  const language = acceptedLanguage(reply.request.headers['accept-language']);
  const explained = faultText(language, known.code) ?? { english: help };
  return sendPage(reply.headers(errorResponseOf(known).headers), status, errorPage(language, code, explained));
}
