import { NotevaultError } from '@notevault/protocol/errors.ts';
import { cleanText } from '@notevault/protocol/values/clean-text.ts';
import { parseUuid, type UserId } from '@notevault/protocol/values/ids.ts';
import type { Clock } from '../../../../ports/clock/clock.ts';
import type { Database, WriteHandle } from '../../../../ports/database/database.ts';
import {
  type Assurance,
  type Claims,
  type IdentityProvider,
  ProviderError,
} from '../../../../ports/identity-provider/identity-provider.ts';
import type { SealingKey } from '../../../../ports/keyring/keyring.ts';
import type { Keys } from '../../../foundation/keys/keys.ts';
import { type RightsVersions, runUnder, Standing, versionsOf } from '../../../foundation/rights/rights.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import { IdentityError } from './faults.ts';
import { identityMacOf, type OidcIdentity, openIdentity, sealIdentity } from './identity.ts';
import * as store from './oidc.store.ts';
import { returnAddress, signInPageOf } from './return-path.ts';
import { openState, type State, sealState } from './state.ts';

/** Bytes of entropy of state, nonce and verifier. */
const RANDOM_BYTES = 32;
const NAME_MAX = 80;
/** Difference in rounding, and how long before our request a proof still counts as its answer. */
const FRESH_SLACK_MS = 60_000;

export interface OidcDeps {
  readonly db: Database;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly accounts: Pick<
    Accounts,
    | 'canonicalEmail'
    | 'confirmVerified'
    | 'enter'
    | 'findJoinable'
    | 'lockUser'
    | 'prove'
    | 'recall'
    | 'signInMethodsOf'
    | 'signInSettings'
    | 'takeRights'
  >;
  readonly publicUrl: string;
  /** Null if the operator has chosen none. */
  readonly provider: IdentityProvider | null;
  /** Its name on the sign-in page. */
  readonly providerName: string;
  /** Whether people without an account get one. */
  readonly registers: boolean;
  /** The claim that makes admins; null leaves roles as they are. */
  readonly adminClaim: { readonly name: string; readonly value: string } | null;
}

export interface Caller {
  readonly userId: UserId;
  readonly credentialId: string;
}

interface SignInClient {
  readonly address: string;
  readonly userAgent: string | null;
}

/** The address of the provider to which a browser goes, with the cookie that it keeps until it comes back. */
export interface Departure {
  readonly url: string;
  readonly cookie: string;
}

/** The end of a visit to the provider: an address of this server with what the browser gets, or another visit. */
export type Arrival =
  | { readonly url: string }
  | { readonly url: string; readonly refreshToken: string }
  | { readonly url: string; readonly loginToken: string; readonly page: string }
  | Departure;

/** Signing in by OpenID Connect. */
export type Oidc = ReturnType<typeof createOidc>;

export function createOidc(deps: OidcDeps) {
  return {
    /** The name of the provider; null without one. */
    name: deps.provider === null ? null : deps.providerName,
    /** Begins a sign-in. Throws ProviderError, `oidc_off`. */
    start: (returnTo: unknown, isBrief: boolean) => depart(deps, 'sign_in', 'any', returnTo, { isBrief }),
    /** Begins to join an identity to the account of a session. Throws `oidc_unreachable`, `oidc_off`. */
    startJoin: (caller: Caller, returnTo: unknown) =>
      forSession(depart(deps, 'join', 'any', returnTo, { session: caller })),
    /** Begins a proof of identity for a session. Throws `oidc_unreachable`, `oidc_off`. */
    startStepUp: (caller: Caller, returnTo: unknown) =>
      forSession(depart(deps, 'step_up', 'fresh', returnTo, { session: caller })),
    arrive: arrive.bind(null, deps),
    identitiesOf: identitiesOf.bind(null, deps),
    removeIdentity: removeIdentity.bind(null, deps),
    /** Returns whether an account can sign in by an identity. */
    isOf: async (handle: Pick<Database, 'get'>, userId: UserId) =>
      deps.provider !== null && (await handle.get(store.findIdentityOf, { userId })) !== undefined,
  };
}

function providerOf({ provider }: OidcDeps): IdentityProvider {
  if (provider === null) throw new NotevaultError('oidc_off');
  return provider;
}

async function depart(
  deps: OidcDeps,
  purpose: State['purpose'],
  assurance: Assurance,
  returnTo: unknown,
  { session, isBrief = false }: { readonly session?: Caller; readonly isBrief?: boolean },
): Promise<Departure> {
  const provider = providerOf(deps);
  const { keys, clock, publicUrl } = deps;
  const server = await keys.openServer();
  const random = () => clock.random(RANDOM_BYTES).toString('base64url');
  const handshake = { state: random(), nonce: random(), verifier: random() };
  const about = { purpose, assurance, startedAt: clock.now(), returnTo: returnAddress(publicUrl, returnTo) };
  const named = session && { session: { userId: session.userId, credentialId: session.credentialId } };
  const url = await provider.authorizationUrl(handshake, assurance);
  return { url, cookie: sealState(server, { ...handshake, ...about, ...named, isBrief }) };
}

/** Requests of the app are answered with the catalogue's error instead of a page. */
async function forSession(departure: Promise<Departure>): Promise<Departure> {
  return departure.catch((error: unknown) => {
    throw error instanceof ProviderError ? new NotevaultError('oidc_unreachable', {}, error) : error;
  });
}

/**
 * Ends a visit to the provider. Throws ProviderError, IdentityError, `sign_in_over`, `account_suspended`,
 * `first_account_missing`, `registration_failed`, `oidc_off`.
 *
 * @param answer the query with which the browser came back.
 */
async function arrive(deps: OidcDeps, answer: URLSearchParams, cookie: string, client: SignInClient): Promise<Arrival> {
  const provider = providerOf(deps);
  const server = await deps.keys.openServer();
  const state = openState(server, cookie, answer.get('state'), deps.clock.now());
  const claims = await provider.claims(answer, state);
  const { purpose, session } = state;
  if (session === undefined) return signIn(deps, server, state, claims, client);
  const versions = await rightsOf(deps, session);
  if (purpose === 'step_up') return stepUp(deps, server, state, claims, session);
  const standing = new Standing({ userId: session.userId, vaultId: null }, versions, () => rightsOf(deps, session));
  return runUnder(standing, () => join(deps, server, state, claims, session));
}

/** Throws `sign_in_over` once the session has ended. */
async function rightsOf({ accounts }: OidcDeps, session: Caller): Promise<RightsVersions> {
  const found = await accounts.recall(session);
  if (found === null) throw new NotevaultError('sign_in_over');
  return versionsOf(found);
}

async function signIn(
  deps: OidcDeps,
  server: SealingKey,
  { returnTo: url, isBrief = false }: State,
  claims: Claims,
  client: SignInClient,
): Promise<Arrival> {
  const { db, clock, accounts, adminClaim, publicUrl } = deps;
  const known = await db.get(store.findIdentity, { identityMac: identityMacOf(server, claims) });
  const email = accounts.canonicalEmail(claims.email ?? '');
  const page = signInPageOf(publicUrl, url);
  const entrance = await accounts.enter({
    account: known?.person ?? (await accountFor(deps, server, claims, email)),
    method: 'oidc',
    isBrief,
    client,
    // A provider may let a browser in that signed in days ago, which proves nothing about now.
    provedAt: claims.proofAge === null ? 0 : clock.now() - claims.proofAge * 1000,
    verifiedEmail: claims.isEmailVerified ? email : null,
    role: adminClaim === null ? null : hasClaim(claims.all, adminClaim) ? 'admin' : 'member',
    page,
    record: (handle, userId) => record(deps, server, handle, claims, { userId, id: known?.id ?? null }),
  });
  if ('refreshToken' in entrance) return { url, ...entrance };
  return { url, ...entrance, page: page ?? '' };
}

/**
 * Returns whether a claim has a value: as its text, or in its list. The name is that of a claim, or a path through
 * objects such as `realm_access.roles`.
 */
function hasClaim(
  claims: Readonly<Record<string, unknown>>,
  { name, value }: { readonly name: string; readonly value: string },
): boolean {
  const found = Object.hasOwn(claims, name) ? claims[name] : name.split('.').reduce<unknown>(fieldOf, claims);
  return [found].flat().includes(value);
}

function fieldOf(from: unknown, name: string): unknown {
  const isObject = typeof from === 'object' && from !== null && Object.hasOwn(from, name);
  return isObject ? (from as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** Writes the use of an identity, or joins it. Throws `sign_in_over` if it was joined or removed meanwhile. */
async function record(
  { clock }: OidcDeps,
  server: SealingKey,
  handle: WriteHandle,
  claims: Claims,
  { userId, id: known }: { readonly userId: UserId; readonly id: string | null },
): Promise<void> {
  const id = known ?? clock.uuid();
  const [details, now] = [sealIdentity(server, id, claims), clock.now()];
  const identityMac = identityMacOf(server, claims);
  const written =
    known === null
      ? await handle.run(store.insertIdentity, { id, userId, identityMac, details, now })
      : await handle.run(store.useIdentity, { id, userId, details, now });
  if (written === 0) throw new NotevaultError('sign_in_over');
}

/** The account that an unknown identity joins or creates. Throws IdentityError. */
async function accountFor(deps: OidcDeps, server: SealingKey, claims: Claims, email: string | null) {
  if (email === null) throw new IdentityError('no_email');
  const found = await deps.accounts.findJoinable(email);
  if (found === null) {
    if (!deps.registers) throw new IdentityError('no_account');
    const displayName = cleanText(claims.name)?.slice(0, NAME_MAX).toWellFormed().trim() || null;
    return { email, displayName };
  }
  if (!claims.isEmailVerified) throw new IdentityError('unverified');
  if (!found.isConfirmed) throw new IdentityError('unconfirmed');
  // An address that the provider has given to somebody else must not hand the account over with it.
  const others = await identitiesIn(deps, server, found.id);
  if (others.some(({ issuer }) => issuer === claims.issuer)) throw new IdentityError('joined_already');
  return found.id;
}

async function join(
  deps: OidcDeps,
  server: SealingKey,
  { returnTo: url }: State,
  claims: Claims,
  { userId }: Caller,
): Promise<Arrival> {
  const { db, clock, accounts } = deps;
  const id = clock.uuid();
  const identityMac = identityMacOf(server, claims);
  const details = sealIdentity(server, id, claims);
  const email = claims.isEmailVerified ? accounts.canonicalEmail(claims.email ?? '') : null;
  await db.transact(async (handle) => {
    const inserted = await handle.run(store.insertIdentity, { id, userId, identityMac, details, now: clock.now() });
    const owner = await handle.get(store.findIdentity, { identityMac });
    if (inserted === 0 && owner?.person !== userId) throw new IdentityError('taken');
    if (email !== null) await accounts.confirmVerified(handle, userId, email);
  });
  return { url };
}

async function stepUp(
  deps: OidcDeps,
  server: SealingKey,
  state: State,
  claims: Claims,
  session: Caller,
): Promise<Arrival> {
  const { db, clock, accounts } = deps;
  const { assurance, startedAt, returnTo: url } = state;
  const owner = await db.get(store.findIdentity, { identityMac: identityMacOf(server, claims) });
  if (owner?.person !== session.userId) throw new IdentityError('other_person');
  if (claims.proofAge === null) {
    // Without the time of the proof, only an account that has no other way is taken at the provider's word.
    const { methods } = await accounts.signInSettings(session.userId);
    if (methods.some((method) => method !== 'oidc')) throw new IdentityError('not_fresh');
    if (assurance !== 'login') return depart(deps, 'step_up', 'login', url, { session });
  } else if (claims.proofAge * 1000 > clock.now() - startedAt + FRESH_SLACK_MS) {
    throw new IdentityError('not_fresh');
  }
  await accounts.prove(session);
  return { url };
}

async function identitiesIn({ db }: OidcDeps, server: SealingKey, userId: UserId) {
  const rows = await db.all(store.listIdentities, { userId });
  return rows.map(({ id, details, created_at, last_used_at }) => {
    const { issuer, email }: OidcIdentity = openIdentity(server, id, details);
    return { id, issuer, email, createdAt: created_at, lastUsedAt: last_used_at };
  });
}

/** The identities that can sign in to an account. */
async function identitiesOf(deps: OidcDeps, userId: UserId) {
  return identitiesIn(deps, await deps.keys.openServer(), userId);
}

/** Throws `identity_not_found`, and `last_sign_in_method` for the only way to sign in to an account. */
async function removeIdentity({ db, accounts }: OidcDeps, userId: UserId, sent: string): Promise<void> {
  const id = parseUuid(sent);
  if (id === null) throw new NotevaultError('identity_not_found');
  await db.transact(async (handle) => {
    await accounts.takeRights(handle, userId);
    const removed = await handle.run(store.deleteIdentity, { id, user_id: userId });
    if (removed === 0) throw new NotevaultError('identity_not_found');
    if ((await accounts.signInMethodsOf(handle, userId)).length === 0) throw new NotevaultError('last_sign_in_method');
  });
}
