import { pause, type Sleep } from './pause.ts';
import { serverAddress } from './server-address.ts';
import type { TokenSource } from './tokens.ts';

/** Thrown when the server answers with an error; `body` is the JSON of the answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The code of the error catalogue, or the status when the answer has none. */
  readonly code: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly requestId: string | null;
  constructor(status: number, body: Readonly<Record<string, unknown>>, requestId: string | null) {
    const code = typeof body.error === 'string' ? body.error : `status ${status}`;
    super(code);
    this.status = status;
    this.code = code;
    this.body = body;
    this.requestId = requestId;
  }
}

/**
 * Thrown when no answer arrives: the server cannot be reached, the connection broke, or what came is no answer of a
 * Notevault server. The request may have been carried out.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** A request as it is sent. Redirects are not followed, because one could send the token to another host. */
export interface HttpRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly redirect: 'manual';
  readonly body?: NonNullable<RequestInit['body']>;
  readonly signal?: AbortSignal;
}

/** Sends a request, and resolves to the status, the headers and the bytes of its answer; the global `fetch` is one. */
export type Http = (url: URL, request: HttpRequest) => Promise<Response>;

export interface TransportOptions {
  /** A replacement for the global `fetch`. */
  readonly fetch?: Http;
  /** Maximum attempts per request. */
  readonly tries?: number;
  /** Waits between two tries. */
  readonly sleep?: Sleep;
  /** Makes the random ids of idempotency keys. */
  readonly uuid?: () => string;
  /**
   * Makes a request’s body of bytes that are read while they are sent. By default they are collected first: only some
   * systems can send a stream.
   */
  readonly upload?: (bytes: AsyncIterable<Uint8Array>) => Required<Pick<HttpRequest, 'body'>>;
  /** Identifies this installation: the server keeps tombstones until it has read them. */
  readonly deviceId?: string;
  /** The name of the program for which an assistant acts: its writes are kept as versions of their own. */
  readonly agent?: string;
  /**
   * The idempotency key of a request that changes something. The server does what has one key once within a day. By
   * default, each POST has another, and other requests have none.
   */
  readonly keyOf?: (call: Call) => string;
  /** Aborts all requests. */
  readonly signal?: AbortSignal;
}

/** Body of a request: bytes in memory, or a stream. */
export type Body = Exclude<NonNullable<RequestInit['body']>, ReadableStream> | AsyncIterable<Uint8Array>;

/** A request. One that is repeatable is sent again after a temporary failure. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api`, with its segments encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly vault?: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent unchanged. A function returns the bytes again for each attempt. */
  readonly bytes?: () => Body;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the server is not told which installation sends it. */
  readonly isWithoutDevice?: boolean;
  /**
   * Whether the request can be sent again after a lost answer. True by default, because a POST gets an idempotency key.
   */
  readonly repeatable?: boolean;
  readonly signal?: AbortSignal;
}

const TRIES = 5;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 60_000;
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * Sends requests to one server with one credential. It fetches a new token when the old one has expired, repeats
 * requests after temporary failures with growing delays, and gives every POST an idempotency key, so that repeating it
 * has no further effect.
 */
export class Transport {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly #tokens: TokenSource;
  readonly #fetch: Http;
  readonly #tries: number;
  readonly #deviceId: string | undefined;
  readonly #agent: string | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #keyOf: (call: Call) => string | undefined;
  readonly #upload: NonNullable<TransportOptions['upload']> | undefined;
  readonly #sleep: Sleep;

  /** @param url the server's address, with or without `/api`. */
  constructor(url: string, tokens: TokenSource, options: TransportOptions = {}) {
    this.origin = serverAddress(url);
    this.#tokens = tokens;
    this.#fetch = options.fetch ?? ((url, request) => globalThis.fetch(url, request));
    this.#tries = options.tries ?? TRIES;
    this.#deviceId = options.deviceId;
    this.#agent = options.agent;
    this.#signal = options.signal;
    const { uuid = () => crypto.randomUUID() } = options;
    const { keyOf = ({ method }: Call) => (method === 'POST' ? uuid() : undefined) } = options;
    this.#keyOf = keyOf;
    this.#upload = options.upload;
    this.#sleep = options.sleep ?? pause;
  }

  /** Resolves to the JSON of the answer; undefined for an answer without a body. Throws ApiError, ConnectionError. */
  async json<Answer>(call: Call): Promise<Answer> {
    return this.read(await this.send(call));
  }

  /** Resolves to the JSON of an answer; undefined for an answer without a body. Throws ConnectionError. */
  async read<Answer>(answer: Response): Promise<Answer> {
    const { answerJson } = await reader();
    return answerJson(answer).catch((cause: Error) => {
      throw new ConnectionError(`${this.origin} ${cause.message}`, { cause });
    }) as Promise<Answer>;
  }

  /** Resolves to a successful answer, or one of a status that is `expected`. Throws ApiError, ConnectionError. */
  async send(call: Call, expected: readonly number[] = []): Promise<Response> {
    const key = call.method === 'GET' ? undefined : this.#keyOf(call);
    let token = await this.#tokens.token();
    let isRefreshed = false;
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#once(call, token, key).catch((error: unknown) => {
        call.signal?.throwIfAborted();
        return new ConnectionError(`${this.origin} cannot be reached`, { cause: error });
      });
      if (answer instanceof ConnectionError) {
        if (attempt >= this.#tries || call.repeatable === false) throw answer;
        await this.#sleep(delayOf(attempt), call.signal);
        continue;
      }
      if (isRedirect(answer))
        throw new ConnectionError(`${this.origin} redirects ${(await reader()).elsewhere(answer)}`);
      if (answer.ok || expected.includes(answer.status)) return answer;
      // What stands before a server answers without JSON.
      const body = await this.read<Record<string, unknown> | undefined>(answer).catch(() => {});
      const error = new ApiError(answer.status, body ?? {}, answer.headers.get('x-request-id'));
      if (answer.status === 401 && !isRefreshed) {
        isRefreshed = true;
        token = await this.#tokens.refresh(token, error);
        continue;
      }
      if (attempt >= this.#tries || !PASSING.has(answer.status)) throw error;
      await this.#sleep(Math.max(delayOf(attempt), retryAfterMs(answer)), call.signal);
    }
  }

  #once({ path, query = {}, ...call }: Call, token: string | null, key: string | undefined): Promise<Response> {
    const url = new URL(`${this.origin}/api${path}`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, `${value}`);
    const headers = new Headers(call.headers);
    if (token !== null) headers.set('authorization', `Bearer ${token}`);
    if (call.vault !== undefined) headers.set('x-vault-id', call.vault);
    if (this.#deviceId !== undefined && call.isWithoutDevice !== true) headers.set('x-device-id', this.#deviceId);
    // Encoded, because a header holds only ASCII.
    if (this.#agent !== undefined) headers.set('x-agent', encodeURIComponent(this.#agent.toWellFormed()));
    if (key !== undefined && !path.startsWith('/auth/')) headers.set('x-idempotency-key', key);
    const signal = call.signal ?? this.#signal;
    const init = { method: call.method, headers, redirect: 'manual', ...(signal && { signal }) } as const;
    if (call.json !== undefined) headers.set('content-type', 'application/json');
    const bytes = call.bytes?.();
    if (call.json !== undefined) return this.#fetch(url, { ...init, body: JSON.stringify(call.json) });
    if (bytes === undefined) return this.#fetch(url, init);
    if (!isRead(bytes)) return this.#fetch(url, { ...init, body: bytes });
    if (this.#upload !== undefined) return this.#fetch(url, { ...init, ...this.#upload(bytes) });
    return collected(bytes).then((body) => this.#fetch(url, { ...init, body }));
  }
}

function isRead(body: Body): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && Symbol.asyncIterator in body;
}

async function collected(bytes: AsyncIterable<Uint8Array>): Promise<Blob> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of bytes) pieces.push(new Uint8Array(piece));
  return new Blob(pieces);
}

/** Browsers hide the status of a redirect that is not followed. */
function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || (status > 300 && status < 400);
}

/** Loaded while the first answer is under way: a page that shows nothing yet need not wait for it. */
const reader = () => import('./answer-json.ts');

function delayOf(attempt: number): number {
  // Randomised, so that many clients that lost a server do not all return at once.
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}

function retryAfterMs(answer: Response): number {
  const seconds = Number(answer.headers.get('retry-after'));
  return Number.isFinite(seconds) ? Math.min(LONGEST_DELAY_MS, Math.max(0, seconds) * 1000) : 0;
}

/** Encodes each segment of a path for a URL. */
export function encodedPath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
