import type { EventEmitter } from 'node:events';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { pathOf } from '@notevault/protocol/public-url.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { ClientMetadata, Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import { FetchError, type SafeFetch } from '../../../ports/safe-fetch/safe-fetch.ts';
import { ACCESS_SCOPES } from '../../foundation/access/access.ts';
import { newToken, prefixes } from '../../foundation/tokens/tokens.ts';
import { createAdapters, registrationToken } from './adapter.ts';
import { normalizeClient, SCOPES } from './clients.ts';
import { familyOf, grantOfName } from './grants.ts';
import type { OAuthDeps } from './oauth.ts';
import { type OAuthSecrets, openSecrets } from './secrets.ts';
import { adaptersOrUnavailable, orUnavailable } from './unavailable.ts';

export const ACCESS_SECONDS = 15 * 60;
export const CODE_SECONDS = 60;
export const REFRESH_SECONDS = 90 * 24 * 60 * 60;
export const INTERACTION_SECONDS = 30 * 60;
/** Practically unlimited, because grants end by our own rule. */
const GRANT_SECONDS = 100 * 365 * 24 * 60 * 60;
const DOCUMENT_BYTES_MAX = 64 * 1024;
const RETRY_AFTER_SECONDS = '1';

export const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;

export const paths = {
  authorize: '/oauth/authorize',
  resume: '/oauth/authorize/:uid',
  token: '/oauth/token',
  register: '/oauth/register',
  registration: '/oauth/register/:clientId',
  revoke: '/oauth/revoke',
  jwks: '/oauth/jwks',
  interaction: '/oauth/interaction/:uid',
} as const;

/** Resource identifiers that tokens may be for; all of them mean this server. */
function resourcesOf(publicUrl: string): readonly string[] {
  return [publicUrl, `${publicUrl}/`, `${publicUrl}/api/mcp`, `${publicUrl}/api/mcp/`];
}

/** The library is imported when first needed, because most commands of the command line never need it. */
export async function openProvider(deps: OAuthDeps, server: SealingKey): Promise<Provider> {
  const library = await import('oidc-provider');
  const secrets = await openSecrets(deps);
  const adapter = createAdapters({
    ...deps,
    server,
    refuseUsedCode() {
      throw new library.errors.InvalidGrant('authorization code already consumed');
    },
  });
  const provider = new library.Provider(deps.publicUrl, {
    ...configuration(deps, secrets, library),
    adapter: adaptersOrUnavailable(library, adapter),
  });
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.status === 503) ctx.set('retry-after', RETRY_AFTER_SECONDS);
  });
  // It takes its public address from the forwarded headers, which we set ourselves: a client's are never passed on.
  provider.proxy = true;
  // An event of Koa, which its types leave out; without a listener it writes to the console.
  (provider as EventEmitter).on('error', deps.failed);
  provider.on('server_error', (_ctx, error) => deps.failed(error));
  nameTokens(provider, deps, server);
  return provider;
}

/** Makes tokens with a prefix for their kind, and refresh tokens that contain the name of their family. */
function nameTokens(provider: Provider, { clock }: OAuthDeps, server: SealingKey): void {
  Object.assign(provider.AccessToken.prototype, {
    generateTokenId(this: { format?: string }) {
      this.format = 'opaque';
      return newToken(clock.random, prefixes.oauth).raw;
    },
  });
  Object.assign(provider.RegistrationAccessToken.prototype, {
    generateTokenId(this: { clientId?: string }) {
      return registrationToken(server, this.clientId ?? '');
    },
  });
  Object.assign(provider.RefreshToken.prototype, {
    generateTokenId(this: { grantId?: string }) {
      return newToken(clock.random, `${familyOf(server, grantOfName(this.grantId))}.`).raw;
    },
  });
}

type Library = typeof import('oidc-provider');

function configuration(deps: OAuthDeps, secrets: OAuthSecrets, library: Library): Configuration {
  return {
    ...keysOf(secrets, pathOf(deps.publicUrl)),
    ...GRAMMAR,
    features: featuresOf(deps, library),
    ttl: LIFETIMES,
    ...fetchingOf(deps),
    ...decisionsOf(deps, library),
    extraClientMetadata: {
      properties: ['software_id', 'software_version'],
      validator(_ctx, name, _value, metadata) {
        if (name !== 'software_id') return;
        const wrong = normalizeClient(metadata as ClientMetadata & Record<string, unknown>);
        if (wrong !== null) throw new library.errors.InvalidClientMetadata(wrong);
      },
    },
    async renderError(ctx, out) {
      const { body, headers } = deps.errorPage({
        error: out.error,
        description: out.error_description ?? null,
        acceptLanguage: ctx.req.headers['accept-language'],
      });
      ctx.type = 'html';
      ctx.set(headers);
      ctx.body = body;
    },
  };
}

function keysOf(secrets: OAuthSecrets, publicPath: string): Configuration {
  return {
    cookies: {
      keys: [...secrets.cookieKeys],
      names: { session: 'nv_oauth', interaction: 'nv_oauth_interaction', resume: 'nv_oauth_resume' },
      long: { httpOnly: true, sameSite: 'lax', signed: true, path: `${publicPath}/oauth` },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    jwks: secrets.jwks as Configuration['jwks'] & object,
  };
}

/** Settings of the provider: which requests clients may make, how, and at which paths. */
const GRAMMAR: Configuration = {
  clientAuthMethods: [...AUTH_METHODS],
  clientDefaults: { id_token_signed_response_alg: 'ES256' },
  enabledJWA: {
    idTokenSigningAlgValues: ['ES256'],
    clientAuthSigningAlgValues: ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'],
  },
  responseTypes: ['code'],
  scopes: [...SCOPES],
  pkce: { required: () => true },
  routes: {
    authorization: paths.authorize,
    token: paths.token,
    registration: paths.register,
    revocation: paths.revoke,
    jwks: paths.jwks,
  },
  // Every origin may, because no cookie counts there; http/ answers CORS already.
  clientBasedCORS: () => true,
};

const LIFETIMES: Configuration['ttl'] & object = {
  AccessToken: ACCESS_SECONDS,
  AuthorizationCode: CODE_SECONDS,
  RefreshToken: REFRESH_SECONDS,
  Interaction: INTERACTION_SECONDS,
  Session: INTERACTION_SECONDS,
  Grant: GRANT_SECONDS,
};

const OFF = { enabled: false } as const;

function featuresOf({ clock, publicUrl }: OAuthDeps, library: Library): Configuration['features'] & object {
  const resources = resourcesOf(publicUrl);
  return {
    devInteractions: OFF,
    dPoP: OFF,
    userinfo: OFF,
    rpInitiatedLogout: OFF,
    pushedAuthorizationRequests: OFF,
    // Some clients connect only if the answer names an address of their registration.
    registration: { enabled: true, issueRegistrationAccessToken: true, idFactory: () => clock.uuid() },
    revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
    resourceIndicators: {
      enabled: true,
      // Of several resources, a token is for the first; all are this server. Clients that name none are assistants.
      defaultResource: async (_ctx, _client, granted) => granted?.[0] ?? `${publicUrl}/api/mcp`,
      useGrantedResource: async () => true,
      getResourceServerInfo: async (_ctx, resource) => {
        if (!resources.includes(resource)) throw new library.errors.InvalidTarget();
        return { scope: ACCESS_SCOPES.join(' '), accessTokenTTL: ACCESS_SECONDS, accessTokenFormat: 'opaque' };
      },
    },
    clientIdMetadataDocument: { enabled: true, ack: 'draft-02', cacheDuration: { min: 60, max: 24 * 60 * 60 } },
  };
}

/** Returns the settings for fetching metadata documents that clients publish. */
function fetchingOf({ web }: OAuthDeps): Configuration {
  return {
    fetch: (input) => fetchPublic(web, String(input)),
    fetchResponseBodyLimits: {
      'client_id metadata document': DOCUMENT_BYTES_MAX,
      jwks_uri: DOCUMENT_BYTES_MAX,
      sector_identifier_uri: DOCUMENT_BYTES_MAX,
    },
  };
}

/** Returns the settings that decide who may approve a request and which tokens are issued. */
function decisionsOf({ accounts, publicUrl }: OAuthDeps, library: Library): Configuration {
  return {
    // Runs for every authorization request, after the provider's own checks.
    extraParams: { nv: async (ctx) => normalizeRequest(ctx, library) },
    interactions: {
      policy: interactionPolicy(library),
      url: (_ctx, { uid }) => pathOf(publicUrl) + paths.interaction.replace(':uid', uid),
    },
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    async findAccount(_ctx, id) {
      // Only a deleted account is "not found": a client told so while the database is down would discard its tokens.
      const user = await orUnavailable(library, accounts.me(id as UserId)).catch((error: unknown) => {
        if (error instanceof NotevaultError) return undefined;
        throw error;
      });
      return user === undefined ? undefined : { accountId: id, claims: async () => ({ sub: id }) };
    },
    expiresWithSession: async () => false,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: () => true,
    revokeGrantPolicy: () => true,
    extraTokenClaims: async () => undefined,
  };
}

/** Returns the policy that a person signs in and decides for every request; a sign-in is valid for only one request. */
function interactionPolicy({ interactionPolicy: { Check, Prompt } }: Library) {
  const unknown = new Check('unknown', 'a person must sign in', 'login_required', (ctx) => {
    return ctx.oidc.result?.login === undefined;
  });
  const undecided = new Check('undecided', 'a person must decide', 'consent_required', (ctx) => {
    return ctx.oidc.result?.consent === undefined;
  });
  return [
    new Prompt({ name: 'login', requestable: true }, unknown),
    new Prompt({ name: 'select_account', requestable: true }),
    new Prompt({ name: 'consent', requestable: true }, undecided),
  ];
}

/** Adds a default scope, and refuses answers in forms and fragments. Throws the provider's errors. */
function normalizeRequest(ctx: KoaContextWithOIDC, { errors }: Library): void {
  const { params, client } = ctx.oidc;
  if (params === undefined) return;
  if (params.response_mode !== undefined && params.response_mode !== 'query') {
    params.response_mode = undefined;
    throw new errors.UnsupportedResponseMode();
  }
  const known = (text: unknown) =>
    String(text ?? '')
      .split(' ')
      .filter((word) => SCOPES.includes(word));
  const requested = known(params.scope);
  const usual = known(client?.scope).filter((word) => word !== 'offline_access');
  const reaches = requested.some((word) => word !== 'offline_access');
  params.scope = [...requested, ...(reaches ? [] : usual.length > 0 ? usual : ['mcp'])].join(' ');
}

/** Fetches documents for the provider: clients' metadata documents and keys. */
async function fetchPublic(web: SafeFetch, url: string): Promise<Response> {
  try {
    const { status, headers, body } = await web.get(url);
    const empty = status < 200 || [204, 205, 304].includes(status);
    return new Response(empty ? null : new Uint8Array(body), {
      status: status < 200 ? 502 : status,
      headers: [...headers],
    });
  } catch (error) {
    // The reason is not passed on, because it may reveal something about other machines.
    if (error instanceof FetchError) return new Response(null, { status: 502 });
    throw error;
  }
}
