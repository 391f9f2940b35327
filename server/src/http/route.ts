import type { ErrorCode } from '@notevault/protocol/errors.ts';
import {
  type Need,
  type OperationName,
  operations,
  type ProofRule,
  type Rule,
  type RuleOf,
} from '@notevault/protocol/operations.ts';
import type { Static, TSchema } from 'typebox';
import type { OpenVault, Principal } from '../domains/foundation/access/access.ts';
import type { InTransaction } from '../domains/foundation/idempotency/idempotency.ts';
import type { Standing } from '../domains/foundation/rights/rights.ts';
import type { BodyStream } from './body/body-stream.ts';

/** The input of every handler. */
export interface RequestContext {
  readonly requestId: string;
  /** The client's address, as reported by trusted proxies. */
  readonly ip: string;
  readonly userAgent: string | null;
  /** The `X-Device-Id` header, which names the installation; null if it is longer than 64 bytes. */
  readonly device: string | null;
  /** The `X-Agent` header: the name of the program for which an assistant acts, unverified; null for other requests. */
  readonly agent: string | null;
  /** Empty unless the route declares that it reads them. */
  readonly cookies: Readonly<Record<string, string | undefined>>;
  /** The `Authorization` header, for the public routes that end a credential; the others get a principal. */
  readonly authorization: string | null;
  /** The `Origin` header, sent by browsers. */
  readonly origin: string | null;
  /** Returns any header of the request by its lower-case name. */
  readonly header: (name: string) => string | null;
  /** The rest of the path, for routes that end in `/*`: a path of the vault, or as the route's `tail` says. */
  readonly tail: string;
}

interface CredentialRequest {
  readonly principal: Principal;
}
interface VaultRequest extends CredentialRequest {
  readonly vault: OpenVault;
}

type AuthorizedRequest<O extends OperationName> =
  RuleOf<O> extends { readonly who: 'anyone' }
    ? unknown
    : RuleOf<O> extends { readonly vault: Need }
      ? VaultRequest
      : CredentialRequest;

/** The operations whose answers are stored under idempotency keys; all others are plain. */
type KeyedOperation = { [O in OperationName]: RuleOf<O> extends { readonly key: string } ? O : never }[OperationName];
type PlainOperation = Exclude<OperationName, KeyedOperation>;

type BodyOf<B> = B extends TSchema ? Static<B> : undefined;
type FieldsOf<Q> = Q extends TSchema ? Static<Q> : Record<never, never>;

/** The result of a handler; one place writes it to the socket. */
export interface Reply<Body = unknown> {
  /** The first status that the route declares, by default. */
  readonly status?: number;
  readonly body?: Body;
  /**
   * Instead of `body`: JSON text in UTF-8 in the shape of the route's schema, made faster than by the schema.
   */
  readonly json?: Buffer | readonly Buffer[];
  /** Instead of `body`: bytes that are produced while they are sent. */
  readonly bytes?: ReplyBytes;
  readonly headers?: Readonly<Record<string, string>>;
  /** The tag of an answer that can be revalidated, without quotes. */
  readonly etag?: string;
  /** Cookies to set, or to clear if their `value` is null. */
  readonly cookies?: readonly CookieChange[];
}

/** Schemas of bodies by success status; null for no body. */
type Responses = Readonly<Record<number, TSchema | null>>;

/** A body that one of the schemas describes. */
type AnswerOf<S extends Responses> = ReadonlyDeep<
  { [Status in keyof S]: S[Status] extends TSchema ? Static<S[Status]> : undefined }[keyof S]
>;
type ReadonlyDeep<Value> = Value extends object ? { readonly [Key in keyof Value]: ReadonlyDeep<Value[Key]> } : Value;

/** The return type of a handler whose answers may lack a body. */
type WithoutBody<S extends Responses> = null extends S[keyof S] ? Promise<void> : never;

/** The body of an answer, of any size. */
export interface ReplyBytes {
  /** Null when it is not known before the bytes are made. */
  readonly length: number | null;
  /** Opens the bytes; not called for HEAD. Its error is answered; one while reading closes the connection. */
  open(): Promise<AsyncIterable<Uint8Array>>;
}

export interface CookieChange {
  readonly name: string;
  readonly value: string | null;
  readonly path: string;
  readonly maxAgeSeconds: number | null;
}

interface RouteBase<O extends OperationName, B, Q, P, S extends Responses, T = StreamedBody | undefined> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api`; `:id` for a parameter, a final `/*` for the rest of the path. */
  readonly path: string;
  /** How the rest of the path is read: as a path of the vault (the default), or as text, only percent-decoded. */
  readonly tail?: 'text';
  /** The rest of the path may be any name, also that of another route, so no route refuses this method there. */
  readonly anyName?: true;
  /** Its rule says who may call; that is checked before the body is read. */
  readonly operation: O;
  readonly summary: string;
  /**
   * For a route with a limit. Returns the key that a request with these cookies is limited by, instead of its address,
   * which many people may share; null if the cookies prove nothing.
   */
  readonly countedFor?: (cookies: RequestContext['cookies']) => Promise<string | null>;
  readonly body?: B;
  /** Set for a route that streams its body instead: this only documents it, and the operation validates it. */
  readonly takes?: T;
  readonly query?: Q;
  readonly params?: P;
  readonly responses: S;
  /**
   * Set for a route that may answer with megabytes: about how many bytes it holds while it makes its answer. Such
   * answers are made a few at a time and written in slices.
   */
  readonly answerBytes?: number;
  /**
   * Set for a read whose answer is compressed for clients that accept it. Never set for an answer with a secret: an
   * attacker who can add text to it and measure its length could guess the secret.
   */
  readonly compresses?: true;
  /** Whether it can also answer with the bytes of a file. */
  readonly sendsBytes?: boolean;
  /** The catalogue errors it can answer with, besides those of its access and of requests in general. */
  readonly errors?: readonly ErrorCode[];
  /** Documents `If-Match` and `If-None-Match`, which the handler reads. */
  readonly conditional?: true;
  /**
   * Set for a read whose answer can be revalidated with `If-None-Match`. `vault`: it depends on nothing but the URL and
   * the contents of the vault, so its tag is known before the answer is made. `answer`: the handler returns the tag.
   */
  readonly revalidates?: 'vault' | 'answer';
  /** Headers of every answer, refusals included. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers of the answer to OPTIONS, which describe the path. */
  readonly offers?: Readonly<Record<string, string>>;
  /** Adds `conflict: true` to every 409, by which clients recognise that their write was refused. */
  readonly flagsConflicts?: true;
}

type RequestOf<O extends OperationName, B, Q, P> = RequestContext &
  AuthorizedRequest<O> & { readonly body: BodyOf<B>; readonly query: FieldsOf<Q>; readonly params: FieldsOf<P> };
type StreamOf<T> = T extends StreamedBody ? { readonly stream: BodyStream } : unknown;

export interface RouteSpec<O extends OperationName, B, Q, P, S extends Responses, F, T>
  extends RouteBase<O, B, Q, P, S, T> {
  /**
   * Reads the requested entry while the caller is authenticated, so that both share a round trip to the database; for
   * routes that need the level `read`. The read must be small, because requests are admitted later.
   *
   * @param vault the vault that the caller opened last; without one it is not called.
   * @returns a value for the handler, passed on if the caller may use that vault and it is unchanged; null or an error
   * passes nothing.
   */
  readonly prefetch?: (vault: OpenVault, request: NamedRequest<P>) => Promise<F | null>;
  readonly handle: (
    request: RequestOf<O, B, Q, P> & StreamOf<T> & { readonly prefetched?: Promise<F | null> },
  ) => Promise<Reply<AnswerOf<S>>> | WithoutBody<S>;
}

/** The route that a request's URL names; its parameters are not validated yet. */
interface NamedRequest<P> {
  readonly tail: string;
  readonly params: FieldsOf<P>;
}

/** The media type of a streamed body, and its fields if it is JSON, for the document. */
export interface StreamedBody {
  readonly mediaType: 'application/json' | 'application/octet-stream' | 'application/offset+octet-stream';
  readonly schema: TSchema;
}

/** The stored form of a body that a keyed route has streamed. */
export interface ReceivedBody extends AsyncDisposable {
  /** Everything that distinguishes this body from another, as JSON. */
  readonly identity: unknown;
}

/** Requires `receive` for a streamed body: otherwise any two under one key would count as the same. */
type ReceiveOf<T> = T extends StreamedBody ? { readonly receive: unknown; readonly body?: never } : unknown;

/** A route whose answer is stored under the request's `X-Idempotency-Key` and returned again for the same request. */
export interface IdempotentSpec<O extends OperationName, B, Q, P, S extends Responses, Result, T, Got>
  extends Omit<RouteBase<O, B, Q, P, S, T>, 'method'> {
  /** POST, by default. */
  readonly method?: 'PUT' | 'DELETE';
  /** Receives the whole body of a streamed route, before the key is looked up. */
  readonly receive?: (request: RequestOf<O, B, Q, P> & StreamOf<T>) => Promise<Got>;
  /** Carries out the operation. As the last step of its transaction it awaits `inTransaction` with its result. */
  readonly perform: (
    request: RequestOf<O, B, Q, P> & (Got extends ReceivedBody ? { readonly received: Got } : unknown),
    inTransaction: InTransaction<unknown>,
  ) => Promise<Result>;
  /** Maps a result to the answer. It must be pure, because it also runs inside the transaction. */
  readonly reply: (result: Result, request: RequestOf<O, B, Q, P>) => Pick<Reply<AnswerOf<S>>, 'status' | 'body'>;
  /** Repeats access checks beyond the vault before a stored answer is returned. Throws like the operation. */
  readonly recheck?: (request: RequestOf<O, B, Q, P>, body: unknown) => void | Promise<void>;
  /** Headers that the body determines, so that they need not be stored with it. */
  readonly headersOf?: (body: AnswerOf<S>) => Readonly<Record<string, string>>;
}

interface AnyBase
  extends RouteBase<OperationName, TSchema | undefined, TSchema | undefined, TSchema | undefined, Responses> {
  readonly rule: Rule;
}
type AnyRequest = RequestOf<OperationName, TSchema | undefined, TSchema | undefined, TSchema | undefined>;
export interface PlainRoute extends AnyBase {
  readonly prefetch?: (vault: OpenVault, request: NamedRequest<TSchema | undefined>) => Promise<unknown>;
  readonly handle: (request: AnyRequest) => Promise<Reply | undefined>;
}
export interface IdempotentRoute extends AnyBase {
  readonly receive?: (request: AnyRequest & { readonly stream: BodyStream }) => Promise<ReceivedBody>;
  readonly perform: (request: AnyRequest, inTransaction: InTransaction<unknown>) => Promise<unknown>;
  readonly reply: (result: unknown, request: AnyRequest) => Pick<Reply, 'status' | 'body'>;
  readonly recheck?: (request: AnyRequest, body: unknown) => void | Promise<void>;
  readonly headersOf?: (body: unknown) => Readonly<Record<string, string>>;
}

/** A route whose type parameters were checked and erased. */
export type Route = PlainRoute | IdempotentRoute;

/** Declares a route: data plus one call. */
export function route<
  O extends PlainOperation,
  B extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  P extends TSchema | undefined = undefined,
  const S extends Responses = Responses,
  F = undefined,
  T extends StreamedBody | undefined = undefined,
>(spec: RouteSpec<O, B, Q, P, S, F, T>): Route {
  return { ...spec, rule: operations[spec.operation] } as unknown as PlainRoute;
}

/** Declares a route that runs once for each idempotency key. */
export function idempotentRoute<
  O extends KeyedOperation,
  Result,
  B extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  P extends TSchema | undefined = undefined,
  const S extends Responses = Responses,
  T extends StreamedBody | undefined = undefined,
  Got extends ReceivedBody | undefined = undefined,
>(spec: IdempotentSpec<O, B, Q, P, S, Result, T, Got> & ReceiveOf<T>): Route {
  return { method: 'POST', ...spec, rule: operations[spec.operation] } as unknown as IdempotentRoute;
}

/** Decides who calls and which vault is used; implemented in app/guard.ts by the domains. */
export interface Guard {
  /** Returns the caller of an `Authorization` header, with the address they call from. Throws `unauthorized`. */
  authenticate(
    authorization: string | undefined,
    client: { readonly ip: string; readonly userAgent: string | null },
  ): Promise<Principal>;
  /** Returns a caller as they are now, also if their token has expired since. Throws `unauthorized`, `suspended`. */
  recall(principal: Principal): Promise<Principal>;
  /** Throws `step_up_required` unless the caller's session proved lately who uses it, if the rule asks them. */
  requireProof(principal: Principal, rule: ProofRule): Promise<void>;
  /** Counts a request against the caller's plan. Throws `rate_limited`. */
  consumeQuota(principal: Principal, use: { readonly onboarding: boolean }): void;
  /**
   * Begins to look up the vault that an `X-Vault-ID` header, or its absence, selects, while the caller of an
   * `Authorization` header is authenticated.
   */
  selectVault(header: string | undefined, authorization: string | undefined): SelectedVault;
  /** Checks again that the caller may read a vault that they have opened. Throws the catalogue's 401s, 403s and 404s. */
  recheck(principal: Principal, vault: OpenVault): Promise<void>;
  /** Returns the decision that the caller may do what a rule describes, in the opened vault if there is one. */
  standingOf(principal: Principal, vault: OpenVault | undefined, rule: Pick<Rule, 'who' | 'vault' | 'role'>): Standing;
  /** Makes the decision anew if rights were taken away since. Throws the catalogue's 401s, 403s and 404s. */
  confirm(standing: Standing): Promise<void>;
  /** Returns a text that is different after every change in the vault, and for every vault. */
  stateOf(vault: OpenVault): Promise<string>;
}

/** A vault that a request selects, while its caller is not known yet. */
export interface SelectedVault {
  /**
   * The vault that the same credential opened lately with the same header. Nothing made of it may reach the caller unless
   * `open` returns this very object.
   */
  readonly expected: OpenVault | undefined;
  /**
   * Opens the vault for the caller, if they have the needed level. Throws the catalogue's 403s and 404s. Returns
   * `expected` if that is as it was, and no edit had to be flushed into it.
   */
  open(principal: Principal, need: Need): Promise<OpenVault>;
  /** Expects no vault of this credential until it has opened one again. */
  refused(): void;
}
