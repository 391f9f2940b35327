import type { ErrorCode } from '@notevault/protocol/errors.ts';
import type { Static, TSchema } from 'typebox';
import type { OpenVault, Principal } from '../domains/access/access.ts';
import type { InTransaction } from '../domains/idempotency/idempotency.ts';
import type { BodyStream } from './body-stream.ts';

/**
 * Who may call: anybody, a session, any credential, or any credential that may read or write the vault chosen by the
 * request. Checked before the body is read.
 */
export type Access = 'public' | 'session' | 'credential' | 'read' | 'write';

/** What every handler gets. */
export interface RequestContext {
  readonly requestId: string;
  /** The client's address, behind the proxies that are trusted. */
  readonly ip: string;
  readonly userAgent: string | null;
  /** `X-Device-Id`: names the installation; at most 64 bytes, else null. */
  readonly device: string | null;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  /** `Authorization`, for the public routes that end a credential; the others get a principal. */
  readonly authorization: string | null;
  /** `Origin`, as sent by browsers. */
  readonly origin: string | null;
  /** Any header of the request, by its name in lower case. */
  readonly header: (name: string) => string | null;
  /** For routes that end in `/*`: the rest of the URL path, normalised as paths of notes are, or decoded as `tail` says. */
  readonly tail: string;
}

interface CredentialRequest {
  readonly principal: Principal;
}
interface VaultRequest extends CredentialRequest {
  readonly vault: OpenVault;
}

type AccessRequest<A extends Access> = A extends 'public'
  ? unknown
  : A extends 'session' | 'credential'
    ? CredentialRequest
    : VaultRequest;

type BodyOf<B> = B extends TSchema ? Static<B> : undefined;
type FieldsOf<Q> = Q extends TSchema ? Static<Q> : Record<never, never>;

/** What a handler answers; one place writes it to the socket. */
export interface Reply {
  /** Default: the first status the route declares. */
  readonly status?: number;
  readonly body?: unknown;
  /** Instead of `body`: JSON text in UTF-8, made faster than the route's schema would, and of its shape. */
  readonly json?: Buffer | readonly Buffer[];
  /** Instead of `body`: bytes that are made as they are sent. */
  readonly bytes?: ReplyBytes;
  readonly headers?: Readonly<Record<string, string>>;
  /** A cookie to set, or to clear when `value` is null. */
  readonly cookie?: CookieChange;
}

/** An answer's body of any size. */
export interface ReplyBytes {
  readonly length: number;
  /** Not called for HEAD. What it throws is still answered as an error; what the bytes throw cuts the connection. */
  open(): Promise<AsyncIterable<Uint8Array>>;
}

export interface CookieChange {
  readonly name: string;
  readonly value: string | null;
  readonly path: string;
  readonly maxAgeSeconds: number;
}

interface RouteBase<A extends Access, B, Q, P> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api`; `:id` for a parameter, a final `/*` for the rest of the path. */
  readonly path: string;
  /** What the rest of the path is: a path of the vault (the default), or any text, percent-decoded and no more. */
  readonly tail?: 'text';
  /** That the rest of the path may be any name, also another route's: none of them refuses this method. */
  readonly anyName?: true;
  /** The operation's name in the OpenAPI document. */
  readonly operation: string;
  readonly summary: string;
  readonly access: A;
  /** The largest body in bytes. Default 16 MB. */
  readonly bodyLimit?: number;
  /** `auth`: limited by IP and path. */
  readonly limit?: 'auth';
  /** Has some requests to itself once those of the plan are used up, so that nobody is kept from beginning. */
  readonly onboarding?: true;
  readonly body?: B;
  readonly query?: Q;
  readonly params?: P;
  /** Success status → body; null for none. */
  readonly responses: Readonly<Record<number, TSchema | null>>;
  /**
   * That it may answer with megabytes, and how many it is likely to hold while it makes its answer: such answers are made
   * a few at a time, and written a slice at a time.
   */
  readonly answerBytes?: number;
  /** Whether it can answer with the bytes of a file, too. */
  readonly sendsBytes?: boolean;
  /** The catalogue errors it can answer with, besides those of its access and of requests as such. */
  readonly errors?: readonly ErrorCode[];
  /** Every 409 carries `conflict: true`, by which clients recognise that their write was not taken. */
  readonly flagsConflicts?: true;
}

type RequestOf<A extends Access, B, Q, P> = RequestContext &
  AccessRequest<A> & { readonly body: BodyOf<B>; readonly query: FieldsOf<Q>; readonly params: FieldsOf<P> };

export interface RouteSpec<A extends Access, B, Q, P> extends RouteBase<A, B, Q, P> {
  readonly handle: (request: RequestOf<A, B, Q, P>) => Promise<Reply>;
}

/** A route that reads its body as it comes; `body` says what that looks like, and the operation whether it is so. */
export interface StreamedSpec<A extends Access, Q, P> extends RouteBase<A, undefined, Q, P> {
  readonly takes: StreamedBody;
  readonly handle: (request: RequestOf<A, undefined, Q, P> & { readonly stream: BodyStream }) => Promise<Reply>;
}

/** For the document: the media type of a body that is not read as a whole, and its fields where it is JSON. */
export interface StreamedBody {
  readonly mediaType: 'application/json' | 'application/octet-stream';
  readonly schema: TSchema;
}

/** What a keyed route made of a body that it read as it came. */
export interface ReceivedBody extends AsyncDisposable {
  /** All that tells this body from another one, as JSON. */
  readonly identity: unknown;
}

/** A streamed route whose answer is kept as a keyed route's: it takes the whole body in before it looks at its key. */
export interface IdempotentStreamedSpec<A extends Access, Q, P, Got extends ReceivedBody, Result>
  extends Omit<RouteBase<A, undefined, Q, P>, 'method'> {
  readonly takes: StreamedBody;
  readonly receive: (request: RequestOf<A, undefined, Q, P> & { readonly stream: BodyStream }) => Promise<Got>;
  readonly perform: (
    request: RequestOf<A, undefined, Q, P> & { readonly received: Got },
    inTransaction: InTransaction<unknown>,
  ) => Promise<Result>;
  readonly reply: (result: Result, request: RequestOf<A, undefined, Q, P>) => Pick<Reply, 'status' | 'body'>;
}

/** A route whose answer is kept under the request's `X-Idempotency-Key` and given again to the same request. */
export interface IdempotentSpec<A extends Access, B, Q, P, Result> extends Omit<RouteBase<A, B, Q, P>, 'method'> {
  /** Whether a key must be sent. Default: it may. */
  readonly key?: 'required';
  /** The operation; it awaits `finish` with the very result it resolves to, as the last thing in its transaction. */
  readonly perform: (request: RequestOf<A, B, Q, P>, inTransaction: InTransaction<unknown>) => Promise<Result>;
  /** The answer to a result; nothing but a mapping, for it is made inside the transaction too. */
  readonly reply: (result: Result, request: RequestOf<A, B, Q, P>) => Pick<Reply, 'status' | 'body'>;
  /** What the caller must still be allowed to, beside `access`, before the stored `body` is given again. Throws as the operation does. */
  readonly recheck?: (request: RequestOf<A, B, Q, P>, body: unknown) => void;
}

type AnyBase = RouteBase<Access, TSchema | undefined, TSchema | undefined, TSchema | undefined>;
type AnyRequest = RequestOf<Access, TSchema | undefined, TSchema | undefined, TSchema | undefined>;
export interface PlainRoute extends AnyBase {
  readonly takes?: StreamedBody;
  readonly handle: (request: AnyRequest) => Promise<Reply>;
}
export interface IdempotentRoute extends AnyBase {
  readonly key: 'required' | 'optional';
  readonly takes?: StreamedBody;
  readonly receive?: (request: AnyRequest & { readonly stream: BodyStream }) => Promise<ReceivedBody>;
  readonly perform: (request: AnyRequest, inTransaction: InTransaction<unknown>) => Promise<unknown>;
  readonly reply: (result: unknown, request: AnyRequest) => Pick<Reply, 'status' | 'body'>;
  readonly recheck?: (request: AnyRequest, body: unknown) => void;
}

/** A route with its types checked and forgotten. */
export type Route = PlainRoute | IdempotentRoute;

/** Declares a route: data plus one call. */
export function route<
  A extends Access,
  B extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  P extends TSchema | undefined = undefined,
>(spec: RouteSpec<A, B, Q, P>): Route {
  return spec as unknown as PlainRoute;
}

/** Declares a POST that does its work once for each idempotency key. */
export function idempotentRoute<
  A extends Exclude<Access, 'public'>,
  Result,
  B extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  P extends TSchema | undefined = undefined,
>(spec: IdempotentSpec<A, B, Q, P, Result>): Route {
  return { key: 'optional', ...spec, method: 'POST' } as unknown as IdempotentRoute;
}

/** Declares a route that reads its body as it comes. */
export function streamedRoute<
  A extends Access,
  Q extends TSchema | undefined = undefined,
  P extends TSchema | undefined = undefined,
>(spec: StreamedSpec<A, Q, P>): Route {
  return spec as unknown as PlainRoute;
}

/** Declares a POST that reads its body as it comes and does its work once for each idempotency key. */
export function idempotentStreamedRoute<
  A extends Exclude<Access, 'public'>,
  Got extends ReceivedBody,
  Result,
  Q extends TSchema | undefined = undefined,
  P extends TSchema | undefined = undefined,
>(spec: IdempotentStreamedSpec<A, Q, P, Got, Result>): Route {
  return { key: 'optional', ...spec, method: 'POST' } as unknown as IdempotentRoute;
}

/** Decides who calls and which vault is meant; bound in app.ts to the domains that know. */
export interface Guard {
  /** The caller behind an `Authorization` header, and from where they call. Throws `unauthorized`. */
  authenticate(
    authorization: string | undefined,
    client: { readonly ip: string; readonly userAgent: string | null },
  ): Promise<Principal>;
  /** Counts a request against the caller's plan. Throws `rate_limited`. */
  consumeQuota(principal: Principal, use: { readonly onboarding: boolean }): void;
  /** The vault an `X-Vault-ID` header (or its absence) chooses for the caller, at the level needed. Throws the catalogue's 403s and 404s. */
  openVault(principal: Principal, header: string | undefined, need: 'read' | 'write'): Promise<OpenVault>;
}
