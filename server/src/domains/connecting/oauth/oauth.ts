import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import { type Clock, latestPlausible } from '../../../ports/clock/clock.ts';
import { type Database, deleteUntil, type WriteHandle } from '../../../ports/database/database.ts';
import type { SafeFetch } from '../../../ports/safe-fetch/safe-fetch.ts';
import type { Accounts } from '../../content/accounts/accounts.ts';
import type { Vaults } from '../../content/vaults/vaults.ts';
import { ACCESS_SCOPES } from '../../foundation/access/access.ts';
import type { Keys } from '../../foundation/keys/keys.ts';
import { hashOf } from '../../foundation/tokens/tokens.ts';
import type { ConnectionDetails, CredentialRow, Credentials } from '../credentials/credentials.ts';
import { SCOPES } from './clients.ts';
import { type BrowserRequest, Consent } from './consent.ts';
import { endGrant, openDetails } from './grants.ts';
import * as store from './oauth.store.ts';
import { AUTH_METHODS, openProvider, paths } from './provider.ts';

/** An error of the provider, whose description is English. */
export interface ProviderFault {
  readonly error: string;
  readonly description: string | null;
  readonly acceptLanguage: string | undefined;
}

export interface OAuthDeps {
  readonly db: Database;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly accounts: Pick<Accounts, 'me' | 'identify' | 'identifyBySecondFactor' | 'identifyByToken' | 'lockUser'>;
  readonly vaults: Pick<Vaults, 'list' | 'confirmRights'>;
  readonly credentials: Pick<Credentials, 'insert' | 'end'>;
  /** Fetches the metadata documents and keys of clients. */
  readonly web: SafeFetch;
  readonly publicUrl: string;
  /** Redirects of applications, in full, that the operator has verified. */
  readonly verifiedRedirects: readonly string[];
  /** Makes the page for errors without an application to return to. */
  errorPage(fault: ProviderFault): { body: string; headers: Record<string, string> };
  /** Reports failures that are not the fault of a client. Must not throw. */
  failed(error: unknown): void;
}

export type { BrowserRequest, Consent, ConsentRequest } from './consent.ts';

const SWEEP_BATCH = 500;
const DAY_MS = 24 * 60 * 60 * 1000;
/** How long a client without an authorization is kept. */
const UNUSED_MS = DAY_MS;
/** How long an authorized client is kept: twice the maximum lifetime of its grants. */
const STALE_MS = 180 * DAY_MS;

type ProviderCallback = (browser: BrowserRequest) => Promise<void>;

interface OpenProvider {
  readonly answer: ProviderCallback;
  readonly consent: Consent;
}

/** OAuth 2.1: authorizing applications, and their tokens. */
export class OAuth {
  readonly #deps: OAuthDeps;
  #opening: Promise<OpenProvider> | undefined;
  /** The machine's clock against elapsed time, when the provider was last needed. */
  #wallOffset = Number.NEGATIVE_INFINITY;

  constructor(deps: OAuthDeps) {
    this.#deps = deps;
  }

  /** Returns the handler of the provider's own endpoints; the provider is opened when first needed. */
  async provider(): Promise<ProviderCallback> {
    return (await this.#opened()).answer;
  }

  /** Returns the operations of the consent pages; opened when first needed. */
  async consent(): Promise<Consent> {
    return (await this.#opened()).consent;
  }

  /** The server's metadata (RFC 8414, section 2). */
  metadata(): object {
    return metadataOf(this.#deps.publicUrl);
  }

  /** The metadata of a protected resource (RFC 9728, section 2). */
  resourceMetadata(resource: string): object {
    return {
      resource,
      resource_name: 'Notevault',
      authorization_servers: [this.#deps.publicUrl],
      scopes_supported: ACCESS_SCOPES,
      bearer_methods_supported: ['header'],
    };
  }

  /** Revokes all access of a client to the user's account; idempotent. Throws `connection_not_found`. */
  async revoke(userId: UserId, clientId: string): Promise<void> {
    const { db } = this.#deps;
    const grants = await db.all(store.findGrantsToClient, { userId, clientHash: hashOf(clientId) });
    if (grants.length === 0) throw new NotevaultError('connection_not_found');
    await db.transact(async (handle) => {
      for (const grant of grants) await endGrant(handle, this.#deps, grant);
    });
  }

  /** Ends a grant that reaches no vault any more. */
  async end(handle: WriteHandle, userId: UserId, id: string): Promise<void> {
    await endGrant(handle, this.#deps, { userId, id });
  }

  async sweep(): Promise<void> {
    const { db, clock } = this.#deps;
    const now = clock.now();
    await db.transact(async (handle) => {
      await handle.run(store.correctRegistrations, { now, latest: latestPlausible(now) });
      await handle.run(store.correctUses, { now, latest: latestPlausible(now) });
    });
    await deleteUntil(db, store.deleteExpiredTokens, now);
    await deleteUntil(db, store.deleteExpiredTransients, now);
    await deleteUntil(db, store.deleteUnusedSince, now - UNUSED_MS);
    await deleteUntil(db, store.deleteStaleClients, now - STALE_MS);
    while (await this.#endExpired(now));
  }

  find(token: string): Promise<readonly CredentialRow[]> {
    const { db, clock } = this.#deps;
    return db.all(store.findAccess, { hash: hashOf(token), now: clock.now() });
  }

  async describe(userId: UserId): Promise<ReadonlyMap<string, ConnectionDetails>> {
    const { db, keys } = this.#deps;
    const server = await keys.openServer();
    const rows = await db.all(store.listGrants, { userId });
    return new Map(
      rows.flatMap(({ id, details }) =>
        details === null ? [] : [[id, openDetails(server, { userId, id }, details)] as const],
      ),
    );
  }

  /** Ends a slice of expired grants; resolves to whether more may be left. */
  async #endExpired(until: number): Promise<boolean> {
    const { db } = this.#deps;
    const expired = await db.all(store.findExpiredGrants, { until, limit: SWEEP_BATCH });
    await db.transact(async (handle) => {
      for (const grant of expired) await endGrant(handle, this.#deps, grant);
    });
    return expired.length === SWEEP_BATCH;
  }

  #opened(): Promise<OpenProvider> {
    const offset = Date.now() - this.#deps.clock.elapsed();
    // The provider keeps documents of clients until times of the machine's clock: it forgets them once that was set back.
    if (this.#wallOffset > latestPlausible(offset)) this.#opening = undefined;
    this.#wallOffset = offset;
    // A failure (such as an unavailable database) is not remembered, so the next request tries again.
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
    // Required by OpenID Connect Discovery, for clients that only know its URL; no id tokens are issued.
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  };
}
