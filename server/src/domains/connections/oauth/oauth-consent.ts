import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId, VaultId } from '@notevault/protocol/ids.ts';
import type { Client, Interaction, Provider } from 'oidc-provider';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import { PERMISSIONS, type PermissionLevel, type Principal } from '../../access/access.ts';
import { hashOf } from '../../tokens/tokens.ts';
import { readAccessScope, scopePermission } from '../access-scope.ts';
import { insertConnection, type NewConnection } from '../api-keys/api-keys.ts';
import type { ConnectionDepsWithUsage } from '../connections.deps.ts';
import * as store from './oauth.store.ts';
import { interactionHash } from './oauth-adapter.ts';
import { cleanLink, cleanText, isVerified, slugOf } from './oauth-clients.ts';
import { type ClientDetails, familyOf, type GrantKey, nameOfGrant, sealDetails } from './oauth-grants.ts';

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

export interface Consent {
  /** Throws `authorization_over` for a browser that did not begin the request, and once it is decided or too old. */
  read(browser: BrowserRequest): Promise<ConsentRequest>;
  /** Throws what a sign-in does, `authorization_over`, `foreign_form`. */
  signIn(
    browser: BrowserRequest,
    form: { token: string; email: string; password: string; address: string },
  ): Promise<Account>;
  /** Lets somebody else sign in. */
  signOut(browser: BrowserRequest, form: { token: string }): Promise<void>;
  /** Resolves to where the browser goes on. Throws `validation`, `authorization_over`, `foreign_form`. */
  allow(browser: BrowserRequest, form: { token: string } & ConsentDecision): Promise<string>;
  deny(browser: BrowserRequest, form: { token: string }): Promise<string>;
}

export function createConsent(parts: ConnectionDepsWithUsage, server: SealingKey, provider: Provider): Consent {
  const { db, clock, accounts, vaults } = parts;

  async function open({ request, response }: BrowserRequest): Promise<{ interaction: Interaction; client: Client }> {
    const interaction = await provider.interactionDetails(request, response).catch(over);
    const client = await provider.Client.find(String(interaction.params.client_id));
    if (client === undefined) throw new NotevaultError('authorization_over');
    return { interaction, client };
  }

  const formTokenOf = (uid: string) => server.mac('oauth.form', uid);

  async function openForm(browser: BrowserRequest, sent: string) {
    const interactionState = await open(browser);
    const [is, must] = [Buffer.from(sent, 'base64url'), formTokenOf(interactionState.interaction.uid)];
    if (is.length !== must.length || !timingSafeEqual(is, must)) throw new NotevaultError('foreign_form');
    return interactionState;
  }

  function clientOf({ params }: Interaction, client: Client): RequestingClient {
    const redirectUri = String(params.redirect_uri);
    const verified = isVerified(client.clientId, redirectUri, parts.oauth.verifiedRedirects);
    return { name: cleanText(client.clientName), redirectUri, verified };
  }

  /** What is kept beside the connection, for its owner to see. */
  function detailsOf(interaction: Interaction, client: Client): ClientDetails {
    const { redirectUri, verified, name } = clientOf(interaction, client);
    const told = client.metadata();
    return {
      ...{ clientId: client.clientId, slug: slugOf(name ?? ''), logo: cleanLink(told.logo_uri), verified },
      ...{ softwareId: cleanText(told.software_id), softwareVersion: cleanText(told.software_version) },
      ...{ redirectUri, redirectUris: client.redirectUris ?? [] },
      cimdUrl: client.clientId.startsWith('https:') ? client.clientId : null,
    };
  }

  /** The connection with its reach, in the transaction that decides the request: of two decisions at once one counts. */
  async function writeGrant(
    userId: UserId,
    interactionState: Awaited<ReturnType<typeof open>>,
    decision: ConsentDecision,
  ) {
    const { interaction, client } = interactionState;
    const scope = String(interaction.params.scope);
    const sent = { default_access: decision.elsewhere as PermissionLevel, vault_access: decision.permissions };
    if (!PERMISSIONS.includes(sent.default_access)) throw invalid({ elsewhere: ['must be none, read or write'] });
    const reach = readAccessScope({ ...sent, scope: null });
    const grant: GrantKey = { userId, id: clock.uuid() };
    const { name, redirectUri } = clientOf(interaction, client);
    const connection: NewConnection = {
      ...{ id: grant.id, name: name ?? URL.parse(redirectUri)?.host ?? 'Application' },
      ...{ kind: 'oauth', secretHash: null, ...reach, scope },
    };
    const row = {
      ...{ ...grant, clientHash: hashOf(client.clientId), familyHash: hashOf(familyOf(server, grant)) },
      ...{
        details: sealDetails(server, grant, detailsOf(interaction, client)),
        expiresAt: clock.now() + INTERACTION_MS,
      },
    };
    await db.transact(async (handle) => {
      const first = await handle.run(store.decideTransient, {
        hash: interactionHash(interaction.uid),
        now: clock.now(),
      });
      if (first === 0) throw new NotevaultError('authorization_over');
      await insertConnection(handle, server, userId, connection, clock.now());
      await handle.run(store.insertGrant, row);
    });
    return grant;
  }

  return {
    async read(browser) {
      const { interaction, client } = await open(browser);
      const accountId = interaction.result?.login?.accountId;
      const user = accountId === undefined ? null : await accounts.me(accountId as UserId);
      const own = user === null ? [] : await vaults.list(sessionOf(user), { deleted: false });
      return {
        ...{ client: clientOf(interaction, client), top: scopePermission(String(interaction.params.scope)) },
        account: user === null ? null : { email: user.email },
        vaults: own.map(({ id, name, isDefault }) => ({ id, name: cleanText(name) ?? '', isDefault })),
        formToken: formTokenOf(interaction.uid).toString('base64url'),
      };
    },
    async signIn(browser, { token, email, password, address }) {
      await openForm(browser, token);
      const user = await accounts.identify({ email, password }, address);
      const result = { login: { accountId: user.id, remember: false } };
      await provider.interactionResult(browser.request, browser.response, result, { mergeWithLastSubmission: false });
      return { email: user.email };
    },
    async signOut(browser, { token }) {
      await openForm(browser, token);
      await provider.interactionResult(browser.request, browser.response, {}, { mergeWithLastSubmission: false });
    },
    async allow(browser, { token, ...decision }) {
      const interactionState = await openForm(browser, token);
      const { interaction, client } = interactionState;
      const accountId = interaction.result?.login?.accountId;
      if (accountId === undefined) throw new NotevaultError('authorization_over');
      const grant = await writeGrant(accountId as UserId, interactionState, decision);
      const grantId = nameOfGrant(grant);
      const kept = new provider.Grant({ accountId, clientId: client.clientId, jti: grantId } as never);
      const scope = String(interaction.params.scope);
      kept.addOIDCScope(scope);
      for (const resource of [interaction.params.resource ?? []].flat()) kept.addResourceScope(String(resource), scope);
      await kept.save();
      const result = { login: { accountId, remember: false }, select_account: {}, consent: { grantId } };
      return provider.interactionResult(browser.request, browser.response, result, { mergeWithLastSubmission: false });
    },
    async deny(browser, { token }) {
      const { interaction } = await openForm(browser, token);
      const decided = { hash: interactionHash(interaction.uid), now: clock.now() };
      if ((await db.transact((handle) => handle.run(store.decideTransient, decided))) === 0) {
        throw new NotevaultError('authorization_over');
      }
      const result = { error: 'access_denied', error_description: 'the user refused' };
      return provider.interactionResult(browser.request, browser.response, result, { mergeWithLastSubmission: false });
    },
  };
}

/** Whoever signed in for this request alone, for operations that ask who calls. */
function sessionOf({ id, tier }: { readonly id: UserId; readonly tier: string }): Principal {
  return { kind: 'session', userId: id, tier, credentialId: id, name: 'Consent' };
}

function over(error: unknown): never {
  const known = error instanceof Error && error.name === 'SessionNotFound';
  throw known ? new NotevaultError('authorization_over', {}, error) : error;
}
