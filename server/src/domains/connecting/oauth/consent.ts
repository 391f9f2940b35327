import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { cleanText } from '@notevault/protocol/values/clean-text.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { Client, Interaction, InteractionResults, Provider } from 'oidc-provider';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import type { Identified } from '../../content/accounts/accounts.ts';
import {
  PERMISSIONS,
  type PermissionLevel,
  type Principal,
  readAccessScope,
  scopePermission,
} from '../../foundation/access/access.ts';
import { runUnder, type Standing, standingOfSignIn } from '../../foundation/rights/rights.ts';
import { hashOf } from '../../foundation/tokens/tokens.ts';
import type { NewConnection } from '../credentials/credentials.ts';
import { interactionHash } from './adapter.ts';
import { cleanLink, isVerified, slugOf } from './clients.ts';
import { type ClientDetails, familyOf, type GrantKey, nameOfGrant, sealDetails } from './grants.ts';
import * as store from './oauth.store.ts';
import type { OAuthDeps } from './oauth.ts';

/** A code is exchanged within a minute, and its tokens then extend the grant, so an unused grant ends soon. */
const INTERACTION_MS = 10 * 60 * 1000;

/** An authorization request as shown to the person who decides. */
export type ConsentRequest = Awaited<ReturnType<Consent['read']>>;

/** The decision of a person: levels by vault, and for all others. */
export interface ConsentDecision {
  readonly permissions: Readonly<Record<string, string>>;
  readonly elsewhere: string;
}

export interface BrowserRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface ConsentForm {
  /** Proves that the form was sent from the page that contains it. */
  readonly token: string;
}

export interface SignInForm extends ConsentForm {
  readonly email: string;
  readonly password: string;
  readonly address: string;
}

export interface SecondFactorForm extends ConsentForm {
  readonly ticket: string;
  readonly code: string;
  readonly address: string;
}

/** A pending authorization request, with its client. */
interface OpenRequest {
  readonly interaction: Interaction;
  readonly client: Client;
}

/** The decisions of people about applications that request access. */
export class Consent {
  readonly #deps: OAuthDeps;
  readonly #server: SealingKey;
  readonly #provider: Provider;

  constructor(deps: OAuthDeps, server: SealingKey, provider: Provider) {
    this.#deps = deps;
    this.#server = server;
    this.#provider = provider;
  }

  /** Throws `authorization_over` for a browser that did not start the request, and once it is decided or too old. */
  async read(browser: BrowserRequest) {
    const { accounts, vaults } = this.#deps;
    const { interaction, client } = await this.#open(browser);
    const standing = standingIn(interaction);
    const isOver = standing !== null && (await this.#isOver(standing));
    const user = standing === null || isOver ? null : await accounts.me(standing.userId);
    const own = user === null ? [] : await vaults.list(sessionOf(user), { deleted: false });
    return {
      client: this.#describe(interaction, client),
      /** The highest level that the scope allows. */
      top: scopePermission(String(interaction.params.scope)),
      /** The account that has signed in for this one request; null before that. */
      account: user === null ? null : { email: user.email, locale: user.locale },
      /** Why the person must sign in once more; null if they need not. */
      fault: isOver ? ('sign_in_again' as const) : null,
      vaults: own.map(({ id, name, isDefault }) => ({ id, name: cleanText(name) ?? '', isDefault })),
      /** The page that shows this request, below the public URL. */
      page: consentPath(interaction.uid),
      /** Proves that a form was sent from the page that shows this request. */
      formToken: this.#formTokenOf(interaction).toString('base64url'),
    };
  }

  /**
   * Signs in the person who comes back from the provider or the web app with a token for the page of this request.
   * Ignores any other token. Throws `authorization_over`.
   */
  async resume(browser: BrowserRequest, token: string): Promise<void> {
    const { interaction } = await this.#open(browser);
    if (token === '' || standingIn(interaction) !== null) return;
    const identifying = this.#deps.accounts.identifyByToken(token, consentPath(interaction.uid));
    const person = await identifying.catch((error: unknown) => {
      if (error instanceof NotevaultError) return null;
      throw error;
    });
    if (person !== null) await this.#signedIn(browser, person);
  }

  /** Throws the errors of a sign-in, `authorization_over`, `foreign_form`. */
  async signIn(browser: BrowserRequest, { token, email, password, address }: SignInForm): Promise<{ email: string }> {
    await this.#openForm(browser, token);
    return this.#signedIn(browser, await this.#deps.accounts.identify({ email, password }, address));
  }

  /** Throws the errors of a second factor, `authorization_over`, `foreign_form`. */
  async proveSecondFactor(browser: BrowserRequest, { token, address, ...step }: SecondFactorForm) {
    await this.#openForm(browser, token);
    return this.#signedIn(browser, await this.#deps.accounts.identifyBySecondFactor(step, address));
  }

  async #signedIn(browser: BrowserRequest, { id, email, rightsVersion }: Identified): Promise<{ email: string }> {
    await this.#finish(browser, { login: { accountId: id, remember: false, rightsVersion } });
    return { email };
  }

  /** Lets another person sign in. */
  async signOut(browser: BrowserRequest, { token }: ConsentForm): Promise<void> {
    await this.#openForm(browser, token);
    await this.#finish(browser, {});
  }

  /**
   * Resolves to the next URL of the browser. Throws `validation`, `authorization_over`, `foreign_form`, and
   * `sign_in_again` once a right was taken away from the person since they signed in.
   */
  async allow(browser: BrowserRequest, { token, ...decision }: ConsentForm & ConsentDecision): Promise<string> {
    const request = await this.#openForm(browser, token);
    const standing = standingIn(request.interaction);
    if (standing === null) throw new NotevaultError('authorization_over');
    await this.#deps.vaults.confirmRights(standing);
    const { userId: accountId } = standing;
    const grant = await runUnder(standing, () => this.#insertGrant(accountId, request, decision));
    const grantId = await this.#saveGrant(accountId, request, grant);
    const login = { accountId, remember: false };
    return this.#finish(browser, { login, select_account: {}, consent: { grantId } });
  }

  /** Resolves to the next URL of the browser. Throws `authorization_over`, `foreign_form`. */
  async deny(browser: BrowserRequest, { token }: ConsentForm): Promise<string> {
    const { db, clock } = this.#deps;
    const { interaction } = await this.#openForm(browser, token);
    const decided = { hash: interactionHash(interaction.uid), now: clock.now() };
    if ((await db.transact((handle) => handle.run(store.decideTransient, decided))) === 0) {
      throw new NotevaultError('authorization_over');
    }
    return this.#finish(browser, { error: 'access_denied', error_description: 'the user refused' });
  }

  async #isOver(standing: Standing): Promise<boolean> {
    return this.#deps.vaults.confirmRights(standing).then(
      () => false,
      (error: unknown) => {
        if (error instanceof NotevaultError && error.code === 'sign_in_again') return true;
        throw error;
      },
    );
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

  #describe({ params }: Interaction, client: Client) {
    const redirectUri = String(params.redirect_uri);
    const verified = isVerified(client.clientId, redirectUri, this.#deps.verifiedRedirects);
    // The name that it gives itself proves nothing.
    return { name: cleanText(client.clientName), redirectUri, verified };
  }

  /** Details stored beside the connection, which its owner can see. */
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
      redirectUris: [...(client.redirectUris ?? [])],
      cimdUrl: client.clientId.startsWith('https:') ? client.clientId : null,
    };
  }

  /**
   * Inserts the grant in the transaction that decides the request, so that only one of two concurrent decisions counts.
   */
  async #insertGrant(userId: UserId, request: OpenRequest, decision: ConsentDecision): Promise<GrantKey> {
    const { db, clock, accounts, credentials } = this.#deps;
    const { interaction, client } = request;
    const grant: GrantKey = { userId, id: clock.uuid() };
    const connection = this.#connectionOf(grant, request, decision);
    const row = {
      user_id: userId,
      id: grant.id,
      client_hash: hashOf(client.clientId),
      family_hash: hashOf(familyOf(this.#server, grant)),
      details: sealDetails(this.#server, grant, this.#detailsOf(request)),
      expires_at: clock.now() + INTERACTION_MS,
    };
    const decided = { hash: interactionHash(interaction.uid), now: clock.now() };
    await db.transact(async (handle) => {
      const first = await handle.run(store.decideTransient, decided);
      if (first === 0) throw new NotevaultError('authorization_over');
      // A vault that is taken away from the account meanwhile must not stay in its levels.
      await accounts.lockUser(handle, userId);
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

  /** Stores the provider's part of a grant; resolves to the id by which the provider finds it. */
  async #saveGrant(accountId: string, { interaction, client }: OpenRequest, grant: GrantKey): Promise<string> {
    const grantId = nameOfGrant(grant);
    const kept = new this.#provider.Grant({ accountId, clientId: client.clientId, jti: grantId } as never);
    const scope = String(interaction.params.scope);
    kept.addOIDCScope(scope);
    for (const resource of [interaction.params.resource ?? []].flat()) kept.addResourceScope(String(resource), scope);
    await kept.save();
    return grantId;
  }

  /** Resolves to the next URL of the browser. */
  #finish({ request, response }: BrowserRequest, result: InteractionResults): Promise<string> {
    return this.#provider.interactionResult(request, response, result, { mergeWithLastSubmission: false });
  }
}

/** The page of a request, below the public URL. */
function consentPath(uid: string): string {
  return `/oauth/interaction/${uid}`;
}

/** The standing of the person who signed in for a request; null before that. */
function standingIn({ result }: Interaction): Standing | null {
  if (result?.login === undefined) return null;
  const { accountId, rightsVersion } = result.login;
  return standingOfSignIn(accountId as UserId, typeof rightsVersion === 'number' ? rightsVersion : null);
}

/** The principal of a person who signed in for this request only, for operations that need a caller. */
function sessionOf({ id, tier }: { readonly id: UserId; readonly tier: string }): Principal {
  return { kind: 'session', userId: id, tier, credentialId: id, name: 'Consent' };
}

function over(error: unknown): never {
  const known = error instanceof Error && error.name === 'SessionNotFound';
  throw known ? new NotevaultError('authorization_over', {}, error) : error;
}
