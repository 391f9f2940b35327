import type { TokenSource } from '@notevault/client/tokens.ts';
import { ApiError, ConnectionError } from '@notevault/client/transport.ts';
import type { SignedInResponse, TokensResponse } from '@notevault/protocol/accounts.ts';
import type { SessionChannel } from './session-channel.ts';

/** What is known about who uses the app. */
export type SessionState =
  /** The first refresh is under way. */
  | { readonly status: 'unknown' }
  /** The first refresh got no answer. */
  | { readonly status: 'unreachable' }
  | { readonly status: 'out' }
  | { readonly status: 'in' };

export interface SessionDeps {
  readonly fetch: typeof globalThis.fetch;
  readonly channel: SessionChannel;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Runs one function at a time over all tabs. */
  readonly exclusively: <T>(run: () => Promise<T>) => Promise<T>;
}

interface Token {
  readonly text: string;
  readonly expiresAt: number;
}

/** A token that ends sooner is replaced before it is used. */
const MARGIN_MS = 30_000;

/**
 * The session of this browser. The access token is kept in memory only; the refresh cookie, which scripts cannot read,
 * makes the next one. Tabs refresh one at a time and give each other the result, because each refresh replaces the
 * cookie.
 */
export class Session implements TokenSource {
  readonly #deps: SessionDeps;
  readonly #listeners = new Set<() => void>();
  #state: SessionState = { status: 'unknown' };
  #token: Token | null = null;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    deps.channel.listen((message) => {
      if (message.type === 'token') this.#accept({ text: message.token, expiresAt: message.expiresAt });
      else this.#end();
    });
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Calls the listener after each change of the state; returns a function that removes it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Finds out whether this browser is signed in. */
  async start(): Promise<void> {
    try {
      await this.#refresh(null);
    } catch (error) {
      // A server that is asked too often has not said who this is.
      const isRejection = error instanceof ApiError && error.status < 500 && error.status !== 429;
      if (this.#state.status !== 'in') this.#become({ status: isRejection ? 'out' : 'unreachable' });
    }
  }

  /** Throws ApiError, ConnectionError. */
  async signIn(email: string, password: string): Promise<void> {
    this.#share(await this.#post<SignedInResponse>('/auth/login', { email, password }));
  }

  /** Makes an account and signs in. Throws ApiError, ConnectionError. */
  async register(account: Readonly<Record<string, string>>): Promise<void> {
    this.#share(await this.#post<SignedInResponse>('/auth/register', account));
  }

  /** Ends the session on the server and in all tabs. Throws ConnectionError; the session then goes on. */
  async signOut(): Promise<void> {
    await this.#post('/auth/logout', undefined);
    this.#deps.channel.send({ type: 'out' });
    this.#end();
  }

  /** Forgets the session in all tabs, because the server ended it. */
  end(): void {
    this.#deps.channel.send({ type: 'out' });
    this.#end();
  }

  async token(): Promise<string | null> {
    if (this.#token !== null && this.#token.expiresAt - MARGIN_MS > this.#deps.now()) return this.#token.text;
    return this.#refresh(this.#token?.text ?? null);
  }

  async refresh(refused: string | null): Promise<string | null> {
    return this.#refresh(refused);
  }

  /** Returns a token other than `refused`: one that another tab has made meanwhile, or a new one. */
  #refresh(refused: string | null): Promise<string> {
    return this.#deps.exclusively(async () => {
      if (this.#token !== null && this.#token.text !== refused) return this.#token.text;
      try {
        return this.#share(await this.#post<TokensResponse>('/auth/refresh', undefined));
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) this.#end();
        throw error;
      }
    });
  }

  #share({ access_token: text, expires_in }: TokensResponse): string {
    const expiresAt = this.#deps.now() + expires_in * 1000;
    this.#accept({ text, expiresAt });
    this.#deps.channel.send({ type: 'token', token: text, expiresAt });
    return text;
  }

  #accept(token: Token): void {
    this.#token = token;
    this.#become({ status: 'in' });
  }

  #end(): void {
    this.#token = null;
    this.#become({ status: 'out' });
  }

  #become(state: SessionState): void {
    if (state.status === this.#state.status) return;
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }

  async #post<Body>(path: string, json: unknown): Promise<Body> {
    const init =
      json === undefined ? {} : { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } };
    const answer = await this.#deps
      .fetch(`/api${path}`, { method: 'POST', credentials: 'same-origin', ...init })
      .catch((cause: unknown) => {
        throw new ConnectionError('the server cannot be reached', { cause });
      });
    const body = (await answer.json().catch(() => ({}))) as Record<string, unknown>;
    if (!answer.ok) throw new ApiError(answer.status, body, answer.headers.get('x-request-id'));
    return body as Body;
  }
}
