import * as oauth from 'oauth4webapi';
import type { Caller, Person } from '../person.ts';
import type { TestServer } from '../server.ts';
import { Browser, outside, signedIn } from './oauth.ts';

/** Creates a vault; returns its id. */
export const vaultOf = async (person: Caller, name = 'Home'): Promise<string> =>
  (await person.post('/vaults', { name })).body.vault.id;

/** The status that an access token is answered with. */
export const statusOf = async (server: TestServer, { access_token }: Pair): Promise<number> =>
  (await server.bearer(access_token).get('/me')).status;

/** Options of an authorization request. */
export interface Asking {
  readonly scope?: string | null;
  readonly resource?: string | readonly string[];
  /** The first registered one by default. */
  readonly redirectUri?: string;
  /** Parameters to add; null removes one. */
  readonly more?: Readonly<Record<string, string | null>>;
}

/** An authorization request under way, with the secrets of the application. */
export interface Request {
  readonly url: string;
  readonly redirectUri: string;
  readonly verifier: string;
}

/** The choices of a person: levels by vault, and for other vaults. Without any, the proposals of the page. */
export interface Choosing {
  readonly levels?: Readonly<Record<string, string>>;
  readonly elsewhere?: string;
}

export interface Pair {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly scope?: string;
}

/** An application that speaks OAuth through a general-purpose library. */
export class OAuthApp {
  readonly server: TestServer;
  readonly as: oauth.AuthorizationServer;
  readonly client: oauth.Client & { readonly redirect_uris?: unknown };
  readonly auth: oauth.ClientAuth;
  readonly #options: Options;

  constructor(server: TestServer, as: oauth.AuthorizationServer, client: OAuthApp['client'], auth: oauth.ClientAuth) {
    this.server = server;
    this.as = as;
    this.client = client;
    this.auth = auth;
    this.#options = optionsFor(server);
  }

  static async discover(server: TestServer): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(server.publicUrl);
    const options = { algorithm: 'oauth2', ...optionsFor(server) } as const;
    return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  }

  /** Registers the application; without a client secret unless the metadata asks for one. */
  static async register(server: TestServer, metadata: Partial<oauth.OmitSymbolProperties<oauth.Client>> = {}) {
    const as = await OAuthApp.discover(server);
    const sent = {
      client_name: 'Reader',
      redirect_uris: ['https://app.example/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      ...metadata,
    };
    const answer = await oauth.dynamicClientRegistrationRequest(as, sent, optionsFor(server));
    const client = await oauth.processDynamicClientRegistrationResponse(answer);
    const secret = typeof client.client_secret === 'string' ? client.client_secret : null;
    const post = client.token_endpoint_auth_method === 'client_secret_post';
    const auth =
      secret === null ? oauth.None() : post ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret);
    return new OAuthApp(server, as, client, auth);
  }

  async ask({ scope = 'mcp', resource, redirectUri, more = {} }: Asking = {}): Promise<Request> {
    const verifier = oauth.generateRandomCodeVerifier();
    const [first] = (this.client.redirect_uris as string[] | undefined) ?? [];
    const to = redirectUri ?? first ?? '';
    const url = new URL(this.as.authorization_endpoint ?? '');
    const params: Record<string, string | null> = {
      client_id: this.client.client_id,
      redirect_uri: to,
      response_type: 'code',
      scope,
      state: 'the state',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...more,
    };
    for (const [name, value] of Object.entries(params)) if (value !== null) url.searchParams.set(name, value);
    for (const each of [resource ?? []].flat()) url.searchParams.append('resource', each);
    return { url: url.href, redirectUri: to, verifier };
  }

  /** The URL to which the browser is redirected when this person consents. */
  async allowed({ url }: Request, who: Person = this.server.alice, choosing: Choosing = {}): Promise<URL> {
    const browser = new Browser(this.server);
    const page = await signedIn(browser, url, who);
    const levels = Object.entries(choosing.levels ?? {}).map(([id, level]) => [`vault:${id}`, level] as const);
    const elsewhere = choosing.elsewhere === undefined ? {} : { elsewhere: choosing.elsewhere };
    const met = await browser.submit(page, 'allow', { ...Object.fromEntries(levels), ...elsewhere });
    return new URL(met.url);
  }

  /** Exchanges the returned code for tokens. */
  async exchange({ redirectUri, verifier }: Request, back: URL, more: Record<string, string> = {}): Promise<Pair> {
    const params = oauth.validateAuthResponse(this.as, this.client, back, 'the state');
    const options = { ...this.#options, additionalParameters: more };
    const asked = [this.as, this.client, this.auth, params, redirectUri, verifier, options] as const;
    const answer = await oauth.authorizationCodeGrantRequest(...asked);
    return oauth.processAuthorizationCodeResponse(this.as, this.client, answer);
  }

  async refresh(token: string | undefined, more: Record<string, string> = {}): Promise<Pair> {
    const options = { ...this.#options, additionalParameters: more };
    const answer = await oauth.refreshTokenGrantRequest(this.as, this.client, this.auth, token ?? '', options);
    return oauth.processRefreshTokenResponse(this.as, this.client, answer);
  }

  async revoke(token: string): Promise<void> {
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(this.as, this.client, this.auth, token, this.#options),
    );
  }

  /** Runs the whole flow, from the request to tokens. */
  async connect(asking: Asking = {}, who: Person = this.server.alice, choosing: Choosing = {}): Promise<Pair> {
    const request = await this.ask(asking);
    return this.exchange(request, await this.allowed(request, who, choosing));
  }
}

interface Options {
  readonly [oauth.customFetch]: never;
  readonly [oauth.allowInsecureRequests]?: true;
}

/** The library refuses http unless told otherwise. */
function optionsFor(server: TestServer): Options {
  const insecure = server.publicUrl.startsWith('http:') ? { [oauth.allowInsecureRequests]: true as const } : {};
  return { ...insecure, [oauth.customFetch]: outside(server) as never };
}

/** The error code that the server answered to the application; null when the call succeeded. */
export async function oauthErrorOf(work: Promise<unknown>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError)
      return error.error;
    throw error;
  }
}
