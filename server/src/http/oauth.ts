import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { errors, NotevaultError } from '@notevault/protocol/errors.ts';
import { networkOf } from '@notevault/protocol/ip-network.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Devices } from '../domains/devices/devices.ts';
import type { BrowserRequest, OAuth } from '../domains/oauth/oauth.ts';
import { PUBLIC_BODY_LIMIT } from './body.ts';
import { BodyReader, MemoryBudget } from './body-reader.ts';
import { errorResponseOf, isDatabaseAway, toCatalogueError } from './errors.ts';
import { inviteBody } from './expectations.ts';
import { linkChoicePage, linkedPage, linkPage } from './link-pages.ts';
import { consentPage, errorPage, signInPage } from './oauth-pages.ts';
import { refuseOtherMethods } from './other-methods.ts';
import { type Page, pageOf } from './pages.ts';

export interface OAuthHttpDeps {
  readonly oauth: OAuth;
  readonly devices: Devices;
  /** Origin under which clients reach the server. */
  readonly publicUrl: string;
  /** Whether requests are limited by address. */
  readonly rateLimited: boolean;
}

/** Addresses that pages of any origin may use: no cookie counts there. */
export const OPEN_TO_ALL = new Set([
  ...['/oauth/token', '/oauth/register', '/oauth/revoke', '/oauth/jwks'],
  ...['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'],
  ...['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/api/mcp'],
]);

const PROVIDER_ROUTES = [
  ['GET', '/oauth/authorize'],
  ['GET', '/oauth/authorize/:uid'],
  ['POST', '/oauth/token'],
  ['POST', '/oauth/register'],
  ['POST', '/oauth/revoke'],
  ['GET', '/oauth/jwks'],
] as const;

const PAGES: readonly string[] = ['/oauth/interaction/:uid', '/link'];
/** A form names every vault of its sender. */
const FORM_LIMIT = 1024 * 1024;
const BODIES_BYTES_MAX = 16 * 1024 * 1024;
const THROUGHPUT = { intervalMs: 10_000, bigBytesPerInterval: 1 };
const METADATA_SECONDS = 300;

/**
 * OAuth's own addresses, where the formats of its RFCs hold, and the pages that people see. A scope of its own, for its
 * bodies are read otherwise.
 */
export async function mountOAuth(app: FastifyInstance, deps: OAuthHttpDeps): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    const budget = new MemoryBudget(BODIES_BYTES_MAX, BODIES_BYTES_MAX / 2);
    scope.addContentTypeParser('*', (request: FastifyRequest, payload: Readable) =>
      readBytes(request, payload, budget),
    );
    for (const [method, url] of PROVIDER_ROUTES) {
      add(scope, deps, method, url, (request, reply) => passToProvider(request, reply, deps));
    }
    add(scope, deps, 'GET', '/oauth/interaction/:uid', (request, reply) =>
      show(browserRequestOf(request, reply, deps), reply, deps),
    );
    add(scope, deps, 'POST', '/oauth/interaction/:uid', (request, reply) => decide(request, reply, deps));
    add(scope, deps, 'GET', '/link', async (request, reply) => {
      const { code } = request.query as { code?: unknown };
      return send(reply, 200, linkPage({ code: typeof code === 'string' ? code : '', email: '' }, null));
    });
    add(scope, deps, 'POST', '/link', (request, reply) => link(request, reply, deps));
    mountMetadata(scope, deps);
    mountRefusals(scope);
  });
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

function add(scope: FastifyInstance, deps: OAuthHttpDeps, method: 'GET' | 'POST', url: string, handler: Handler): void {
  const bodyLimit = PAGES.includes(url) ? FORM_LIMIT : PUBLIC_BODY_LIMIT;
  scope.route({
    ...{ method, url, exposeHeadRoute: false, schema: { hide: true } as object, bodyLimit },
    config: deps.rateLimited ? { rateLimit: {} } : { rateLimit: false },
    handler,
  });
}

function mountMetadata(scope: FastifyInstance, { oauth, publicUrl }: OAuthHttpDeps): void {
  const documents = {
    '/.well-known/oauth-authorization-server': oauth.metadata(),
    '/.well-known/openid-configuration': oauth.metadata(),
    '/.well-known/oauth-protected-resource': oauth.resourceMetadata(publicUrl),
    '/.well-known/oauth-protected-resource/api/mcp': oauth.resourceMetadata(`${publicUrl}/api/mcp`),
  };
  for (const [url, document] of Object.entries(documents)) {
    scope.get(url, { schema: { hide: true } as object }, async (_request, reply) => {
      reply.header('cache-control', `public, max-age=${METADATA_SECONDS}`);
      return document;
    });
  }
}

function mountRefusals(scope: FastifyInstance): void {
  for (const [method, url] of PROVIDER_ROUTES) refuseOtherMethods(scope, url, new Set([method]));
  for (const url of PAGES) refuseOtherMethods(scope, url, new Set(['GET', 'POST']));
  for (const url of OPEN_TO_ALL) {
    if (url.startsWith('/.well-known/')) refuseOtherMethods(scope, url, new Set(['GET', 'HEAD']));
  }
}

async function readBytes(request: FastifyRequest, payload: Readable, budget: MemoryBudget): Promise<Buffer> {
  const max = request.routeOptions.bodyLimit ?? PUBLIC_BODY_LIMIT;
  if (Number(request.headers['content-length'] ?? 0) > max) throw new NotevaultError('body_too_large', { max });
  inviteBody(request.raw);
  const reader = new BodyReader(payload, budget, networkOf(request.ip));
  try {
    return await reader.collect(max, false, THROUGHPUT);
  } finally {
    reader.release();
  }
}

/**
 * The request as the provider may see it: the body that was read within our bounds, at the address of the route, under
 * the public name of this server whatever the client called it.
 */
function requestFor(request: FastifyRequest, path: string, publicUrl: string): IncomingMessage {
  const { raw } = request;
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const { host, protocol } = new URL(publicUrl);
  const { 'x-forwarded-host': _, 'transfer-encoding': __, ...headers } = raw.headers;
  const search = /\?.*$/s.exec(raw.url ?? '')?.[0] ?? '';
  return Object.assign(Readable.from(body.length === 0 ? [] : [body], { objectMode: false }), {
    ...{ method: raw.method, url: path + search, httpVersion: raw.httpVersion, socket: raw.socket },
    headers: {
      ...{ ...headers, host, 'x-forwarded-proto': protocol.slice(0, -1) },
      ...(body.length === 0 ? {} : { 'content-length': String(body.length) }),
    },
  }) as unknown as IncomingMessage;
}

function browserRequestOf(request: FastifyRequest, reply: FastifyReply, { publicUrl }: OAuthHttpDeps): BrowserRequest {
  const { uid } = request.params as { uid?: string };
  const path = (request.routeOptions.url ?? '').replace(':uid', encodeURIComponent(uid ?? ''));
  return { request: requestFor(request, path, publicUrl), response: reply.raw };
}

async function passToProvider(request: FastifyRequest, reply: FastifyReply, deps: OAuthHttpDeps): Promise<void> {
  const browserRequest = browserRequestOf(request, reply, deps);
  // While it cannot be opened, the answer is still ours to give.
  const answer = await deps.oauth.provider().catch((error) => {
    throw isDatabaseAway(error) ? new NotevaultError('oauth_unavailable', {}, error) : error;
  });
  reply.hijack();
  // What was said so far (request id, CORS, what is left of the limit) goes with the provider's answer.
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  await answer(browserRequest);
}

function send(reply: FastifyReply, status: number, page: Page): FastifyReply {
  const { body, headers } = pageOf(page);
  return reply.code(status).headers(headers).send(body);
}

/** The page of an authorization request, as far as it has come. */
async function show(
  browserRequest: BrowserRequest,
  reply: FastifyReply,
  { oauth }: OAuthHttpDeps,
): Promise<FastifyReply> {
  try {
    const options = await (await oauth.consent()).read(browserRequest);
    return send(reply, 200, options.account === null ? signInPage(options, null, '') : consentPage(options, null));
  } catch (error) {
    return sendFault(reply, error);
  }
}

interface Form {
  readonly token: string;
  readonly fields: URLSearchParams;
  /** Where it was sent from. */
  readonly address: string;
}

async function decide(request: FastifyRequest, reply: FastifyReply, deps: OAuthHttpDeps): Promise<FastifyReply> {
  const browserRequest = browserRequestOf(request, reply, deps);
  try {
    const form = formOf(request, deps.publicUrl);
    return await readForm(browserRequest, reply, form, deps);
  } catch (error) {
    return sendFault(reply, error);
  }
}

async function readForm(
  browserRequest: BrowserRequest,
  reply: FastifyReply,
  { token, fields, address }: Form,
  { oauth }: OAuthHttpDeps,
) {
  const consent = await oauth.consent();
  // The button that was pressed comes last.
  switch (fields.getAll('step').at(-1)) {
    case 'sign-in': {
      const [email, password] = [fields.get('email') ?? '', fields.get('password') ?? ''];
      const { fault } = await runForm(
        consent.signIn(browserRequest, { token, email, password, address }),
        SIGN_IN_FAULTS,
      );
      const options = await consent.read(browserRequest);
      if (fault === null) return send(reply, 200, consentPage(options, null));
      return send(reply, fault.status, signInPage(options, fault.text, email));
    }
    case 'sign-out':
      await consent.signOut(browserRequest, { token });
      return send(reply, 200, signInPage(await consent.read(browserRequest), null, ''));
    case 'deny':
      return reply.redirect(await consent.deny(browserRequest, { token }), 303);
    case 'allow': {
      const decision = { permissions: permissionsOf(fields), elsewhere: fields.get('elsewhere') ?? 'none' };
      const { value, fault } = await runForm(consent.allow(browserRequest, { token, ...decision }), ['validation']);
      if (fault === null) return reply.redirect(value, 303);
      return send(reply, fault.status, consentPage(await consent.read(browserRequest), CHOOSE));
    }
    default:
      throw new NotevaultError('foreign_form');
  }
}

const SIGN_IN_FAULTS = ['email_and_password_required', 'invalid_credentials', 'account_suspended', 'rate_limited'];
const CHOOSE = 'Choose at least one vault that it may use.';

const LINK_FAULTS = [...SIGN_IN_FAULTS, 'device_code_not_found'];

type FormResult<T> =
  | { readonly value: T; readonly fault: null }
  | { readonly value: null; readonly fault: { readonly status: number; readonly text: string } };

/** What came of it, or what people are told of a refusal that they can do something about; any other is thrown on. */
async function runForm<T extends object | string>(work: Promise<T>, known: readonly string[]): Promise<FormResult<T>> {
  try {
    return { value: await work, fault: null };
  } catch (error) {
    if (!(error instanceof NotevaultError) || !known.includes(error.code)) throw error;
    const { status, help } = errors[error.code];
    return { value: null, fault: { status, text: help } };
  }
}

/** Throws `foreign_form` for what another site sent, `unsupported_media_type`. */
function formOf(request: FastifyRequest, publicUrl: string): Form {
  const { origin, 'content-type': type } = request.headers;
  if (origin !== undefined && origin !== publicUrl) throw new NotevaultError('foreign_form');
  if (type?.split(';', 1)[0]?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    throw new NotevaultError('unsupported_media_type');
  }
  const fields = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString() : '');
  return { token: fields.get('token') ?? '', fields, address: request.ip };
}

/** A device link, decided without a web app: who signs in beside the code may decide on it, once. */
async function link(request: FastifyRequest, reply: FastifyReply, { devices, publicUrl }: OAuthHttpDeps) {
  try {
    const { token, fields, address } = formOf(request, publicUrl);
    const step = fields.getAll('step').at(-1);
    if (step === 'sign-in') {
      const [code, email] = [fields.get('code') ?? '', fields.get('email') ?? ''];
      const sent = { code, email, password: fields.get('password') ?? '', address };
      const { value, fault } = await runForm(devices.linkPage.open(sent), LINK_FAULTS);
      if (value !== null) return send(reply, 200, linkChoicePage(value, null));
      return send(reply, fault.status, linkPage({ code, email }, fault.text));
    }
    const vault = step === 'allow' ? (fields.get('vault') ?? '') : null;
    await devices.linkPage.decide(token, vault);
    return send(reply, 200, linkedPage(vault !== null));
  } catch (error) {
    return sendFault(reply, error);
  }
}

function permissionsOf(fields: URLSearchParams): Record<string, string> {
  const chosen = [...fields].filter(([name]) => name.startsWith('vault:'));
  return Object.fromEntries(chosen.map(([name, level]) => [name.slice('vault:'.length), level]));
}

function sendFault(reply: FastifyReply, error: unknown): FastifyReply {
  const known = toCatalogueError(error, reply.request);
  // What nobody foresaw is for the one handler that knows how to keep it to itself.
  if (known === null) throw error;
  const { status, help, error: code } = errors[known.code];
  return send(reply.headers(errorResponseOf(known).headers), status, errorPage({ error: code, description: help }));
}
