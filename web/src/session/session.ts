import type { TokenSource } from '@notevault/client/tokens.ts';
import { ApiError, ConnectionError } from '@notevault/client/transport.ts';
import type { SignedInResponse, TokensResponse } from '@notevault/protocol/accounts.ts';
import { BASE } from '../platform/base.ts';
import { type Observable, ObservableValue } from '../platform/observable.ts';
import type { EndReason, SessionChannel } from './session-channel.ts';

/** State of the session. */
export type SessionState =
  /** The first refresh is under way. */
  | { readonly status: 'unknown' }
  /** The first refresh got no answer, or none yet. */
  | { readonly status: 'unreachable' }
  | { readonly status: 'out'; readonly reason: EndReason }
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
  readonly #state = new ObservableValue<SessionState>({ status: 'unknown' });
  readonly state: Observable<SessionState> = this.#state;
  #token: Token | null = null;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    deps.channel.listen((message) => {
      if (message.type === 'token') this.#accept({ text: message.token, expiresAt: message.expiresAt });
      else this.#become({ status: 'out', reason: message.reason });
    });
  }

  /** Finds out whether this browser is signed in. */
  async start(): Promise<void> {
    try {
      await this.#refresh(null);
    } catch (error) {
      // A server that is asked too often has not said who this is.
      const isRejection = error instanceof ApiError && error.status < 500 && error.status !== 429;
      if (['unknown', 'unreachable'].includes(this.#state.get().status)) {
        this.#become(isRejection ? { status: 'out', reason: null } : { status: 'unreachable' });
      }
    }
  }

  /** Goes on as if there were no server, until it answers. */
  stopWaiting(): void {
    if (this.#state.get().status === 'unknown') this.#become({ status: 'unreachable' });
  }

  /** Signs in or makes an account, by a path of the API. Throws ApiError, ConnectionError. */
  async enter(path: string, account: object): Promise<void> {
    this.#share(await this.#post<SignedInResponse>(path, account));
  }

  /**
   * Ends the session on the server and in all tabs. Throws ConnectionError; the session then goes on.
   *
   * @param query what else is asked of the server.
   */
  async signOut(query = ''): Promise<void> {
    await this.#post(`/auth/logout${query}`, undefined);
    this.end('signed-out');
  }

  /** Forgets the session in all tabs. */
  end(reason: EndReason): void {
    this.#deps.channel.send({ type: 'out', reason });
    this.#become({ status: 'out', reason });
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
        if (error instanceof ApiError && (error.status === 401 || error.code === 'suspended')) this.#lose(error.code);
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

  /** Browsers drop the cookie of a session that ran out; the server refuses that of one that was ended. */
  #lose(code: string): void {
    const reason = code === 'no_refresh_token' ? 'expired' : 'revoked';
    // A tab that never was signed in may look just while another one signs in.
    if (this.#state.get().status === 'in') this.end(reason);
    else this.#become({ status: 'out', reason: reason === 'expired' ? null : reason });
  }

  #become(state: SessionState): void {
    if (state.status === 'out') this.#token = null;
    if (state.status !== this.#state.get().status) this.#state.set(state);
  }

  async #post<Body>(path: string, json: unknown): Promise<Body> {
    const init =
      json === undefined ? {} : { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } };
    const answer = await this.#deps
      .fetch(`${BASE}api${path}`, { method: 'POST', credentials: 'same-origin', ...init })
      .catch((cause: unknown) => {
        throw new ConnectionError('the server cannot be reached', { cause });
      });
    const body = (await answer.json().catch(() => ({}))) as Record<string, unknown>;
    if (!answer.ok) throw new ApiError(answer.status, body, answer.headers.get('x-request-id'));
    return body as Body;
  }
}
