import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { cleanText } from '@notevault/protocol/clean-text.ts';
import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId, VaultId } from '@notevault/protocol/ids.ts';
import type { Client, Interaction, InteractionResults, Provider } from 'oidc-provider';
import type { SealingKey } from '../../ports/keyring/keyring.ts';
import {
  PERMISSIONS,
  type PermissionLevel,
  type Principal,
  readAccessScope,
  scopePermission,
} from '../access/access.ts';
import type { NewConnection } from '../credentials/credentials.ts';
import { hashOf } from '../tokens/tokens.ts';
import { interactionHash } from './adapter.ts';
import { cleanLink, isVerified, slugOf } from './clients.ts';
import { type ClientDetails, familyOf, type GrantKey, nameOfGrant, sealDetails } from './grants.ts';
import type { OAuthDeps } from './oauth.deps.ts';
import * as store from './oauth.store.ts';

/** A code is fetched within a minute, and then tokens prolong the grant: one that nobody took up ends soon. */
const INTERACTION_MS = 10 * 60 * 1000;

/** An authorization request as the person who must decide sees it. */
export interface ConsentRequest {
  readonly client: RequestingClient;
  /** The most that the scope allows. */
  readonly top: PermissionLevel;
  /** Who has signed in for this one request; null until somebody has. */
  readonly account: Account | null;
  readonly vaults: readonly { readonly id: VaultId; readonly name: string; readonly isDefault: boolean }[];
  /** Shows that a form was sent from the page that this was shown on. */
  readonly formToken: string;
}

export interface Account {
  readonly email: string;
}

export interface RequestingClient {
  /** What it calls itself, which proves nothing; null when it says nothing. */
  readonly name: string | null;
  /** Where the code is sent. */
  readonly redirectUri: string;
  /** Whether it is known who that is. */
  readonly verified: boolean;
}

/** What a person decided: levels by vault, and on all others. */
export interface ConsentDecision {
  readonly permissions: Readonly<Record<string, string>>;
  readonly elsewhere: string;
}

/** One request of a browser, which holds the cookie of the authorization request that it is about. */
export interface BrowserRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A form of the consent page. */
export interface ConsentForm {
  /** Shows that it was sent from the page that it was shown on. */
  readonly token: string;
}

export interface SignInForm extends ConsentForm {
  readonly email: string;
  readonly password: string;
  /** Where it was sent from. */
  readonly address: string;
}

/** An authorization request under way, with the client that makes it. */
interface OpenRequest {
  readonly interaction: Interaction;
  readonly client: Client;
}

/** What a person decides about an application that asks to be let in. */
export class Consent {
  readonly #deps: OAuthDeps;
  readonly #server: SealingKey;
  readonly #provider: Provider;

  constructor(deps: OAuthDeps, server: SealingKey, provider: Provider) {
    this.#deps = deps;
    this.#server = server;
    this.#provider = provider;
  }

  /** Throws `authorization_over` for a browser that did not begin the request, and once it is decided or too old. */
  async read(browser: BrowserRequest): Promise<ConsentRequest> {
    const { accounts, vaults } = this.#deps;
    const { interaction, client } = await this.#open(browser);
    const accountId = interaction.result?.login?.accountId;
    const user = accountId === undefined ? null : await accounts.me(accountId as UserId);
    const own = user === null ? [] : await vaults.list(sessionOf(user), { deleted: false });
    return {
      client: this.#describe(interaction, client),
      top: scopePermission(String(interaction.params.scope)),
      account: user === null ? null : { email: user.email },
      vaults: own.map(({ id, name, isDefault }) => ({ id, name: cleanText(name) ?? '', isDefault })),
      formToken: this.#formTokenOf(interaction).toString('base64url'),
    };
  }

  /** Throws what a sign-in does, `authorization_over`, `foreign_form`. */
  async signIn(browser: BrowserRequest, { token, email, password, address }: SignInForm): Promise<Account> {
    await this.#openForm(browser, token);
    const user = await this.#deps.accounts.identify({ email, password }, address);
    await this.#finish(browser, { login: { accountId: user.id, remember: false } });
    return { email: user.email };
  }

  /** Lets somebody else sign in. */
  async signOut(browser: BrowserRequest, { token }: ConsentForm): Promise<void> {
    await this.#openForm(browser, token);
    await this.#finish(browser, {});
  }

  /** Resolves to where the browser goes on. Throws `validation`, `authorization_over`, `foreign_form`. */
  async allow(browser: BrowserRequest, { token, ...decision }: ConsentForm & ConsentDecision): Promise<string> {
    const request = await this.#openForm(browser, token);
    const accountId = request.interaction.result?.login?.accountId;
    if (accountId === undefined) throw new NotevaultError('authorization_over');
    const grant = await this.#insertGrant(accountId as UserId, request, decision);
    const grantId = await this.#saveGrant(accountId, request, grant);
    const login = { accountId, remember: false };
    return this.#finish(browser, { login, select_account: {}, consent: { grantId } });
  }

  /** Resolves to where the browser goes on. Throws `authorization_over`, `foreign_form`. */
  async deny(browser: BrowserRequest, { token }: ConsentForm): Promise<string> {
    const { db, clock } = this.#deps;
    const { interaction } = await this.#openForm(browser, token);
    const decided = { hash: interactionHash(interaction.uid), now: clock.now() };
    if ((await db.transact((handle) => handle.run(store.decideTransient, decided))) === 0) {
      throw new NotevaultError('authorization_over');
    }
    return this.#finish(browser, { error: 'access_denied', error_description: 'the user refused' });
  }

  async #open({ request, response }: BrowserRequest): Promise<OpenRequest> {
    const interaction = await this.#provider.interactionDetails(request, response).catch(over);
    const client = await this.#provider.Client.find(String(interaction.params.client_id));
    if (client === undefined) throw new NotevaultError('authorization_over');
    return { interaction, client };
  }

  async #openForm(browser: BrowserRequest, sent: string): Promise<OpenRequest> {
    const request = await this.#open(browser);
    const [is, must] = [Buffer.from(sent, 'base64url'), this.#formTokenOf(request.interaction)];
    if (is.length !== must.length || !timingSafeEqual(is, must)) throw new NotevaultError('foreign_form');
    return request;
  }

  #formTokenOf({ uid }: Interaction): Buffer {
    return this.#server.mac('oauth.form', uid);
  }

  #describe({ params }: Interaction, client: Client): RequestingClient {
    const redirectUri = String(params.redirect_uri);
    const verified = isVerified(client.clientId, redirectUri, this.#deps.verifiedRedirects);
    return { name: cleanText(client.clientName), redirectUri, verified };
  }

  /** What is kept beside the connection, for its owner to see. */
  #detailsOf({ interaction, client }: OpenRequest): ClientDetails {
    const { redirectUri, verified, name } = this.#describe(interaction, client);
    const told = client.metadata();
    return {
      clientId: client.clientId,
      slug: slugOf(name ?? ''),
      logo: cleanLink(told.logo_uri),
      verified,
      softwareId: cleanText(told.software_id),
      softwareVersion: cleanText(told.software_version),
      redirectUri,
      redirectUris: client.redirectUris ?? [],
      cimdUrl: client.clientId.startsWith('https:') ? client.clientId : null,
    };
  }

  /** The connection with its levels, in the transaction that decides the request: of two decisions at once one counts. */
  async #insertGrant(userId: UserId, request: OpenRequest, decision: ConsentDecision): Promise<GrantKey> {
    const { db, clock, credentials } = this.#deps;
    const { interaction, client } = request;
    const grant: GrantKey = { userId, id: clock.uuid() };
    const connection = this.#connectionOf(grant, request, decision);
    const row = {
      ...grant,
      clientHash: hashOf(client.clientId),
      familyHash: hashOf(familyOf(this.#server, grant)),
      details: sealDetails(this.#server, grant, this.#detailsOf(request)),
      expiresAt: clock.now() + INTERACTION_MS,
    };
    const decided = { hash: interactionHash(interaction.uid), now: clock.now() };
    await db.transact(async (handle) => {
      const first = await handle.run(store.decideTransient, decided);
      if (first === 0) throw new NotevaultError('authorization_over');
      await credentials.insert(handle, this.#server, connection);
      await handle.run(store.insertGrant, row);
    });
    return grant;
  }

  #connectionOf(grant: GrantKey, { interaction, client }: OpenRequest, decision: ConsentDecision): NewConnection {
    const elsewhere = decision.elsewhere as PermissionLevel;
    if (!PERMISSIONS.includes(elsewhere)) throw invalid({ elsewhere: ['must be none, read or write'] });
    const levels = readAccessScope({ default_access: elsewhere, vault_access: decision.permissions, scope: null });
    const { name, redirectUri } = this.#describe(interaction, client);
    const shown = name ?? URL.parse(redirectUri)?.host ?? 'Application';
    const scope = String(interaction.params.scope);
    return { ...levels, ...grant, kind: 'oauth', name: shown, secretHash: null, scope };
  }

  /** Saves what the provider keeps of a grant, by whose id it finds it again. */
  async #saveGrant(accountId: string, { interaction, client }: OpenRequest, grant: GrantKey): Promise<string> {
    const grantId = nameOfGrant(grant);
    const kept = new this.#provider.Grant({ accountId, clientId: client.clientId, jti: grantId } as never);
    const scope = String(interaction.params.scope);
    kept.addOIDCScope(scope);
    for (const resource of [interaction.params.resource ?? []].flat()) kept.addResourceScope(String(resource), scope);
    await kept.save();
    return grantId;
  }

  /** Resolves to where the browser goes on. */
  #finish({ request, response }: BrowserRequest, result: InteractionResults): Promise<string> {
    return this.#provider.interactionResult(request, response, result, { mergeWithLastSubmission: false });
  }
}

/** Whoever signed in for this request alone, for operations that ask who calls. */
function sessionOf({ id, tier }: { readonly id: UserId; readonly tier: string }): Principal {
  return { kind: 'session', userId: id, tier, credentialId: id, name: 'Consent' };
}

function over(error: unknown): never {
  const known = error instanceof Error && error.name === 'SessionNotFound';
  throw known ? new NotevaultError('authorization_over', {}, error) : error;
}
