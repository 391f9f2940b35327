import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId } from '@notevault/protocol/ids.ts';
import type { ConnectionDetails, CredentialRow } from '../credentials/credentials.ts';
import { hashOf } from '../tokens/tokens.ts';
import { SCOPES } from './clients.ts';
import { type BrowserRequest, Consent } from './consent.ts';
import { endGrant, openDetails } from './grants.ts';
import type { OAuthDeps } from './oauth.deps.ts';
import * as store from './oauth.store.ts';
import { AUTH_METHODS, openProvider, paths } from './provider.ts';

export type { BrowserRequest, Consent, ConsentRequest } from './consent.ts';

const SWEEP_BATCH = 500;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A client that nobody let in is not missed after a day. */
const UNUSED_MS = DAY_MS;
/** One that was let in keeps its id for as long as any of its grants can last, twice over. */
const STALE_MS = 180 * DAY_MS;

/** Answers a request to one of the provider's own addresses. */
type ProviderCallback = (browser: BrowserRequest) => Promise<void>;

interface OpenProvider {
  readonly answer: ProviderCallback;
  readonly consent: Consent;
}

/** OAuth 2.1: how an application is let in, and what it can do then. */
export class OAuth {
  readonly #deps: OAuthDeps;
  #opening: Promise<OpenProvider> | undefined;

  constructor(deps: OAuthDeps) {
    this.#deps = deps;
  }

  /** What answers a request to one of the provider's own addresses; opened when first needed. */
  async provider(): Promise<ProviderCallback> {
    return (await this.#opened()).answer;
  }

  /** What a person decides, and on which pages; opened when first needed. */
  async consent(): Promise<Consent> {
    return (await this.#opened()).consent;
  }

  /** RFC 8414, section 2. */
  metadata(): object {
    return metadataOf(this.#deps.publicUrl);
  }

  /** RFC 9728, section 2. */
  resourceMetadata(resource: string): object {
    return {
      resource,
      resource_name: 'Notevault',
      authorization_servers: [this.#deps.publicUrl],
      scopes_supported: ['mcp', 'mcp:read'],
      bearer_methods_supported: ['header'],
    };
  }

  /** Ends everything a client was given by the user; again is no error. Throws `connection_not_found`. */
  async revoke(userId: UserId, clientId: string): Promise<void> {
    const { db } = this.#deps;
    const grants = await db.all(store.findGrantsToClient, { userId, clientHash: hashOf(clientId) });
    if (grants.length === 0) throw new NotevaultError('connection_not_found');
    await db.transact(async (handle) => {
      for (const grant of grants) await endGrant(handle, this.#deps, grant);
    });
  }

  /** Forgets what expired. */
  async sweep(): Promise<void> {
    const { db, clock } = this.#deps;
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
    while (await this.#endExpired(now));
  }

  /** The grant that an access token stands for. */
  find(token: string): Promise<readonly CredentialRow[]> {
    const { db, clock } = this.#deps;
    return db.all(store.findAccess, { hash: hashOf(token), now: clock.now() });
  }

  /** What people see of the clients that the user let in, by connection. */
  async describe(userId: UserId): Promise<ReadonlyMap<string, Partial<ConnectionDetails>>> {
    const { db, keys } = this.#deps;
    const server = await keys.openServer();
    const rows = await db.all(store.listGrants, { userId });
    return new Map(
      rows.flatMap(({ id, details }) =>
        details === null ? [] : [[id, openDetails(server, { userId, id }, details)] as const],
      ),
    );
  }

  /** Whether more may be left. */
  async #endExpired(until: number): Promise<boolean> {
    const { db } = this.#deps;
    const expired = await db.all(store.findExpiredGrants, { until, limit: SWEEP_BATCH });
    await db.transact(async (handle) => {
      for (const grant of expired) await endGrant(handle, this.#deps, grant);
    });
    return expired.length === SWEEP_BATCH;
  }

  #opened(): Promise<OpenProvider> {
    // A failure (the database is away) is not kept: the next request tries again.
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #open(): Promise<OpenProvider> {
    const server = await this.#deps.keys.openServer();
    const provider = await openProvider(this.#deps, server);
    const callback = provider.callback();
    return {
      answer: ({ request, response }) => callback(request, response),
      consent: new Consent(this.#deps, server, provider),
    };
  }
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
