import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId } from '@notevault/protocol/ids.ts';
import type { Provider } from 'oidc-provider';
import { hashOf } from '../../tokens/tokens.ts';
import type { TokenLookup } from '../authentication.ts';
import type { ConnectionDepsWithUsage } from '../connections.deps.ts';
import type { DescribeConnections } from '../queries.ts';
import * as store from './oauth.store.ts';
import { SCOPES } from './oauth-clients.ts';
import { type BrowserRequest, type Consent, createConsent } from './oauth-consent.ts';
import { endGrant, openDetails } from './oauth-grants.ts';
import { AUTH_METHODS, openProvider, paths } from './oauth-provider.ts';

const SWEEP_BATCH = 500;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A client that nobody let in is not missed after a day. */
const UNUSED_MS = DAY_MS;
/** One that was let in keeps its id for as long as any of its grants can last, twice over. */
const STALE_MS = 180 * DAY_MS;

/** OAuth 2.1: how an application is let in, and what it can do then. */
export interface OAuth {
  /** What answers a request to one of the provider's own addresses; opened when first needed. */
  provider(): Promise<(visit: BrowserRequest) => Promise<void>>;
  /** What a person decides, and on which pages; opened when first needed. */
  consent(): Promise<Consent>;
  /** RFC 8414, section 2. */
  metadata(): object;
  /** RFC 9728, section 2. */
  resourceMetadata(resource: string): object;
  /** Ends everything a client was given by the user; again is no error. Throws `connection_not_found`. */
  revoke(userId: UserId, clientId: string): Promise<void>;
  /** Forgets what expired. */
  sweep(): Promise<void>;
  readonly lookup: TokenLookup;
  readonly describe: DescribeConnections;
}

export function createOAuth(parts: ConnectionDepsWithUsage): OAuth {
  const { db, keys, clock, publicUrl } = parts;

  interface Opened {
    readonly provider: Provider;
    readonly consent: Consent;
    readonly callback: ReturnType<Provider['callback']>;
  }
  let opening: Promise<Opened> | undefined;

  async function open(): Promise<Opened> {
    const server = await keys.openServer();
    const provider = await openProvider(parts, server);
    return { provider, consent: createConsent(parts, server, provider), callback: provider.callback() };
  }

  function opened(): Promise<Opened> {
    // A failure (the database is away) is not kept: the next request tries again.
    opening ??= open().catch((error) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }

  return {
    async provider() {
      const { callback } = await opened();
      return ({ request, response }) => callback(request, response);
    },
    consent: async () => (await opened()).consent,
    metadata: () => metadataOf(publicUrl),
    resourceMetadata: (resource) => ({
      ...{ resource, resource_name: 'Notevault', authorization_servers: [publicUrl] },
      ...{ scopes_supported: ['mcp', 'mcp:read'], bearer_methods_supported: ['header'] },
    }),
    async revoke(userId, clientId) {
      const grants = await db.all(store.findGrantsToClient, { userId, clientHash: hashOf(clientId) });
      if (grants.length === 0) throw new NotevaultError('connection_not_found');
      await db.transact(async (handle) => {
        for (const grant of grants) await endGrant(handle, parts, grant);
      });
    },
    async sweep() {
      const now = clock.now();
      const limit = SWEEP_BATCH;
      const statements = [
        [store.deleteExpiredTokens, now],
        [store.deleteExpiredTransients, now],
        [store.deleteUnusedSince, now - UNUSED_MS],
        [store.deleteStaleClients, now - STALE_MS],
      ] as const;
      for (const [statement, until] of statements) {
        while ((await db.transact((handle) => handle.run(statement, { until, limit }))) === limit);
      }
      for (;;) {
        const expired = await db.all(store.findExpiredGrants, { until: now, limit });
        await db.transact(async (handle) => {
          for (const grant of expired) await endGrant(handle, parts, grant);
        });
        if (expired.length < limit) return;
      }
    },
    lookup: (token) => db.all(store.findAccess, { hash: hashOf(token), now: clock.now() }),
    async describe(userId) {
      const server = await keys.openServer();
      const rows = await db.all(store.listGrants, { userId });
      return new Map(
        rows.flatMap(({ id, details }) =>
          details === null ? [] : [[id, openDetails(server, { userId, id }, details)] as const],
        ),
      );
    },
  };
}

function metadataOf(publicUrl: string): object {
  const signing = ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'];
  return {
    issuer: publicUrl,
    authorization_endpoint: publicUrl + paths.authorize,
    token_endpoint: publicUrl + paths.token,
    registration_endpoint: publicUrl + paths.register,
    revocation_endpoint: publicUrl + paths.revoke,
    jwks_uri: publicUrl + paths.jwks,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    token_endpoint_auth_signing_alg_values_supported: signing,
    revocation_endpoint_auth_methods_supported: AUTH_METHODS,
    revocation_endpoint_auth_signing_alg_values_supported: signing,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    // What OpenID Connect Discovery demands, for clients that know only its address; no id tokens are given out.
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  };
}
