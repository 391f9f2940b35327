import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';
import type { Clock } from '../clock/clock.ts';
import {
  type Assurance,
  type Claims,
  type Handshake,
  type IdentityProvider,
  ProviderError,
} from './identity-provider.ts';
import { providerFetch } from './provider-fetch.ts';

const TIMEOUT_SECONDS = 10;
/** Difference between the clocks of the provider and of this server. */
const CLOCK_SECONDS = 60;
/** Metadata is renewed in the background when it is older. */
const METADATA_MS = 60 * 60 * 1000;

type Library = typeof import('openid-client');

export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client, which PKCE alone protects. */
  readonly clientSecret: string | null;
  readonly redirectUri: string;
  readonly scopes: string;
  readonly clock: Pick<Clock, 'elapsed'>;
}

/** A provider by `openid-client`, which is loaded at first use. */
export function openIdProvider(settings: ProviderSettings): IdentityProvider {
  const { issuer, redirectUri, scopes, clock } = settings;
  let current: { readonly configuration: Configuration; readonly at: number } | null = null;
  let renewing: Promise<Configuration> | null = null;
  const renew = () => {
    renewing ??= discover(settings)
      .then((configuration) => {
        current = { configuration, at: clock.elapsed() };
        return configuration;
      })
      .finally(() => {
        renewing = null;
      });
    return renewing;
  };
  const configurationOf = async () => {
    if (current === null) return renew();
    // The metadata of before stays in use while the provider does not answer.
    if (clock.elapsed() - current.at > METADATA_MS) renew().catch(() => undefined);
    return current.configuration;
  };
  return {
    authorizationUrl: (handshake, assurance) =>
      explained(async (library) => {
        const parameters = await requestOf(library, handshake, assurance);
        const configuration = await configurationOf();
        const request = { redirect_uri: redirectUri, scope: scopes, ...parameters };
        const url = library.buildAuthorizationUrl(configuration, request);
        if (url.protocol !== 'https:' && url.protocol !== new URL(issuer).protocol) {
          throw new ProviderError('invalid', 'authorization_endpoint');
        }
        return url.href;
      }),
    claims: (answer, { state, nonce, verifier }) =>
      explained(async (library) => {
        const configuration = await configurationOf();
        const address = new URL(`${redirectUri}?${answer}`);
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
        const tokens = await library.authorizationCodeGrant(configuration, address, {
          ...checks,
          idTokenExpected: true,
        });
        const token = tokens.claims();
        if (token === undefined) throw new ProviderError('invalid', 'id_token');
        const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
        const more = hasMore ? await library.fetchUserInfo(configuration, tokens.access_token, token.sub) : {};
        return claimsOf(token, more);
      }),
    async check() {
      await explained(renew);
    },
  };
}

async function discover({ issuer, clientId, clientSecret }: ProviderSettings): Promise<Configuration> {
  const library = await load();
  const server = new URL(issuer);
  const execute = [library.enableNonRepudiationChecks];
  if (server.protocol === 'http:') execute.push(library.allowInsecureRequests);
  const metadata = { [library.clockTolerance]: CLOCK_SECONDS };
  return library.discovery(server, clientId, metadata, authenticationOf(library, clientSecret), {
    execute,
    timeout: TIMEOUT_SECONDS,
    [library.customFetch]: providerFetch as CustomFetch,
  });
}

/** Sends the secret in the way that the provider offers: in the body, as most do, else in a header. */
function authenticationOf(library: Library, secret: string | null): ClientAuth {
  if (secret === null) return library.None();
  const [post, basic] = [library.ClientSecretPost(secret), library.ClientSecretBasic(secret)];
  return (server, ...request) => {
    const { token_endpoint_auth_methods_supported: offered = ['client_secret_basic'] } = server;
    (offered.includes('client_secret_post') ? post : basic)(server, ...request);
  };
}

async function requestOf(library: Library, { state, nonce, verifier }: Handshake, assurance: Assurance) {
  return {
    ...{ state, nonce },
    code_challenge: await library.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(assurance === 'any' ? {} : { max_age: '0' }),
    ...(assurance === 'login' ? { prompt: 'login' } : {}),
  };
}

type Raw = Readonly<Record<string, unknown>>;

/** The token is signed, so its claims come before those of the second request. */
function claimsOf(token: Raw & { iss: string; sub: string; iat: number }, more: Raw): Claims {
  // An address and whether it is verified belong together.
  const named = typeof token.email === 'string' ? token : more;
  const { email, email_verified } = named;
  const all = { ...more, ...token };
  return {
    issuer: token.iss,
    subject: token.sub,
    email: typeof email === 'string' ? email : null,
    isEmailVerified: email_verified === true,
    name: textOf(all.name) ?? textOf(all.preferred_username),
    proofAge: typeof token.auth_time === 'number' ? Math.max(0, token.iat - token.auth_time) : null,
    all,
  };
}

function textOf(claim: unknown): string | null {
  return typeof claim === 'string' && claim !== '' ? claim : null;
}

/** Loaded at first use, because most servers have no provider. */
const load = () => import('openid-client');

async function explained<T>(work: (library: Library) => Promise<T>): Promise<T> {
  const library = await load();
  return work(library).catch((error: unknown) => {
    throw error instanceof ProviderError ? error : faultOf(library, error);
  });
}

/** Errors of the token endpoint that mean our id, secret or redirect address (RFC 6749, section 5.2). */
const CLIENT_FAULTS = ['invalid_client', 'unauthorized_client', 'unsupported_grant_type'];

function faultOf(library: Library, error: unknown): ProviderError {
  if (error instanceof library.AuthorizationResponseError) return new ProviderError('refused', error.error, error);
  if (error instanceof library.ResponseBodyError) {
    const fault = CLIENT_FAULTS.includes(error.error) ? 'client' : 'code';
    return new ProviderError(fault, error.error, error);
  }
  // The provider has revoked the token that it just gave, as it does for a code that is used twice.
  if (error instanceof library.WWWAuthenticateChallengeError) return new ProviderError('code', 'userinfo', error);
  const code = error instanceof library.ClientError ? (error.code ?? null) : null;
  return new ProviderError(code === null || UNREACHABLE.includes(code) ? 'unreachable' : 'invalid', code, error);
}

/** Codes of the library; errors without one are of `fetch`. */
const UNREACHABLE = [
  'OAUTH_TIMEOUT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
];
