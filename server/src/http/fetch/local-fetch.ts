import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http';
import { type Duplex, duplexPair, Readable } from 'node:stream';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { Principal } from '../../domains/foundation/access/access.ts';
import { http } from '../node-http.ts';

/** Headers of a request that are passed on when it causes others; none of them depends on the URL. */
const PASSED_ON = ['authorization', 'user-agent', 'x-forwarded-for', 'x-request-id'] as const;
/** Answers up to this size are collected, which is cheaper than a stream. */
const SMALL_BYTES = MB;
const WITHOUT_BODY = new Set([204, 205, 304]);

/** The request that causes others, if any. */
export interface Cause {
  /** Its caller, if that is known already. */
  readonly principal?: Principal;
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress?: string | undefined;
}

/** The callers of connections in memory. */
const callers = new WeakMap<object, Principal>();

/** Returns the caller on whose behalf a local connection sends requests; undefined for a network connection. */
export function localCallerOf(socket: object): Principal | undefined {
  return callers.get(socket);
}

/**
 * Returns a `fetch` that sends requests to this server itself, over connections in memory and with the credential and
 * address of another request. They pass everything that requests of the network pass: access, limits, logs, metrics.
 * Only the token of a caller who is known is not read again: it may have expired since that request began.
 */
export function localFetch(server: Server, cause: Cause): typeof globalThis.fetch {
  const passedOn = PASSED_ON.flatMap((name) => {
    const value = cause.headers[name];
    return value === undefined ? [] : [[name, String(value)] as const];
  });
  return async (input, init = {}) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const headers = Object.fromEntries([...new Headers(init.headers), ...passedOn]);
    const body = bodyOf(init.body);
    if (body !== null) headers['content-length'] = String(Buffer.byteLength(body));
    const request = http.request({
      method: init.method ?? 'GET',
      path: pathname + search,
      headers: { ...headers, host: 'localhost' },
      createConnection: () => connectTo(server, cause),
      ...(init.signal == null ? {} : { signal: init.signal }),
    });
    request.end(body ?? undefined);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve).once('error', reject);
    });
    return responseOf(answer);
  };
}

/** Opens a connection to the server without a network. */
function connectTo(server: Server, { principal, remoteAddress = '127.0.0.1' }: Cause): Duplex {
  const [ours, theirs] = duplexPair();
  // A Duplex lacks methods of sockets that the server uses. Each side has its own timeouts.
  for (const side of [ours, theirs]) {
    const same = () => side;
    Object.assign(side, { setTimeout: same, setKeepAlive: same, setNoDelay: same, ref: same, unref: same });
  }
  Object.assign(theirs, { remoteAddress });
  if (principal !== undefined) callers.set(theirs, principal);
  // On `connection`, a server of https would wait for a handshake.
  server.emit('setSecureContext' in server ? 'secureConnection' : 'connection', theirs);
  return ours;
}

function bodyOf(body: RequestInit['body']): string | Uint8Array | null {
  if (body == null || typeof body === 'string' || body instanceof Uint8Array) return body ?? null;
  throw new TypeError('a request in this process has a text or bytes as its body');
}

async function responseOf(answer: IncomingMessage): Promise<Response> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  const status = answer.statusCode ?? 502;
  const length = Number(answer.headers['content-length'] ?? 0);
  if (WITHOUT_BODY.has(status)) return new Response(null, { status, headers });
  const body = length <= SMALL_BYTES ? await collected(answer) : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
  return new Response(body, { status, headers });
}

async function collected(answer: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return Buffer.concat(chunks);
}
