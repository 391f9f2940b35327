import type { SessionMethod } from '@notevault/protocol/accounts.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { cleanText } from '@notevault/protocol/values/clean-text.ts';
import { NIL_UUID, parseUuid, type SessionId, type UserId } from '@notevault/protocol/values/ids.ts';
import { networkOf } from '@notevault/protocol/values/ip-network.ts';
import type { WriteHandle } from '../../../../ports/database/database.ts';
import type { SealingKey } from '../../../../ports/keyring/keyring.ts';
import { bearerOf, hashOf, newToken, prefixes } from '../../../foundation/tokens/tokens.ts';
import type { Role, UserRow } from '../accounts.tables.ts';
import type { AccountDeps } from '../accounts.ts';
import { prepareNotice } from '../notices.ts';
import { rightsTaken } from '../rights-taken.ts';
import { DAY_MS } from './attempts.ts';
import { ACCESS_SECONDS, lifetimeOf, newFamily, sealToken } from './refresh-tokens.ts';
import { openClient, type SignInClient, sealClient } from './session-client.ts';
import * as store from './sessions.store.ts';
import { findUnstored, openUnstored } from './unstored-session.ts';

const FAMILY_BYTES = 16;

export interface SessionPrincipal {
  readonly kind: 'session';
  readonly userId: UserId;
  readonly credentialId: SessionId;
  readonly name: string;
  readonly tier: string;
  readonly displayName: string | null;
  readonly isAdmin: boolean;
  readonly rightsVersion: number;
}

/** Returns the caller of an `Authorization` header. Throws `unauthorized`, `suspended`. */
export async function authenticate(deps: AccountDeps, authorization: string | undefined): Promise<SessionPrincipal> {
  const { db, clock } = deps;
  const token = bearerOf(authorization);
  if (!token?.startsWith(prefixes.session)) throw new NotevaultError('unauthorized');
  const found =
    (await db.get(store.findAccess, { hash: hashOf(token), now: clock.now() })) ?? (await unstored(deps, token));
  if (found == null) throw new NotevaultError('unauthorized');
  if (found.suspended_at !== null) throw new NotevaultError('suspended');
  return principalOf(found);
}

/** The session of a principal while it is active, even if its access token has expired; else null. */
export async function recall(
  deps: AccountDeps,
  { userId, credentialId }: { readonly userId: UserId; readonly credentialId: string },
): Promise<SessionPrincipal | null> {
  const id = credentialId as SessionId;
  const found = await deps.db.get(store.findSession, { id, userId, now: deps.clock.now() });
  if (found !== undefined) return principalOf(found);
  const user = await findUnstored(deps, userId, id);
  return user === null || user.suspended_at !== null ? null : principalOf({ ...user, user_id: userId, session_id: id });
}

async function unstored(deps: AccountDeps, token: string) {
  const named = await openUnstored(deps, token);
  const user = named && (await findUnstored(deps, named.userId, named.id));
  return user && { ...user, user_id: user.id, session_id: named.id };
}

/** Networks from which an account signed in are known for that long, also after its sessions have ended. */
const KNOWN_MS = 90 * DAY_MS;

interface SessionOptions {
  /** Whether it ends with the browser. */
  readonly isBrief?: boolean;
  /** Account that is told of a sign-in from an unknown network. */
  readonly told?: UserRow | null;
  /** The last step of the sign-in. */
  readonly method?: SessionMethod;
  /** When the person last proved who they are; now by default. */
  readonly provedAt?: number;
}

/** Makes a session to be written, with its secrets created and sealed before the transaction begins. */
export async function prepareSession(
  deps: AccountDeps,
  client: SignInClient | null,
  { isBrief = false, told = null, method = 'password', provedAt }: SessionOptions = {},
) {
  const { keys, clock } = deps;
  const server = await keys.openServer();
  const id = clock.uuid() as SessionId;
  const family = newFamily(clock.random(FAMILY_BYTES), isBrief);
  const refresh = newToken(clock.random, `${family}.`);
  const access = newToken(clock.random, prefixes.session);
  const now = clock.now();
  const networkMac = client === null ? null : networkMacOf(server, networkOf(client.address));
  const session = {
    id,
    family_hash: hashOf(family),
    client: sealClient(server, id, client),
    created_at: now,
    last_used_at: now,
    expires_at: now + lifetimeOf(family),
    proved_at: provedAt ?? now,
  };
  const sealed = sealToken(server, id, refresh.raw);
  const notice = client === null || told === null ? null : await prepareSignInNotice(deps, told, client);
  return {
    tokens: { accessToken: access.raw, expiresIn: ACCESS_SECONDS, refreshToken: refresh.raw },
    async write(handle: WriteHandle, userId: UserId, by: SessionMethod = method) {
      await handle.run(store.deleteExpiredSessions, { userId, now });
      await handle.run(store.insertSession, { ...session, user_id: userId, method: by });
      await handle.run(store.insertRefreshToken, { session_id: id, hash: refresh.hash, sealed });
      const expires_at = now + ACCESS_SECONDS * 1000;
      await handle.run(store.insertAccessToken, { hash: access.hash, session_id: id, expires_at });
      if (networkMac === null) return;
      const known = await handle.get(store.findKnownNetwork, { userId, networkMac, since: now - KNOWN_MS });
      await handle.run(store.putNetwork, { user_id: userId, network_mac: networkMac, last_at: now });
      if (known === undefined) await notice?.write(handle, userId);
    },
  };
}

/** The mail about a sign-in from a network that is not known. */
function prepareSignInNotice(deps: AccountDeps, user: UserRow, { address, userAgent }: SignInClient) {
  const program = cleanText(userAgent)?.slice(0, PROGRAM_MAX) ?? '?';
  return prepareNotice(deps, user, (at) => ({ kind: 'sign_in', values: { at, address, program } }));
}

const PROGRAM_MAX = 200;

/** Returns the network of an address, and whether the account signed in from it lately. */
export async function findNetwork(
  { db, keys, clock }: AccountDeps,
  userId: UserId | undefined,
  address: string | null,
): Promise<{ network: string | null; isKnown: boolean }> {
  const server = await keys.openServer();
  const network = address === null ? null : networkOf(address);
  const networkMac = network === null ? NO_MAC : networkMacOf(server, network);
  const since = clock.now() - KNOWN_MS;
  const known = await db.get(store.findKnownNetwork, { userId: userId ?? DUMMY_USER, networkMac, since });
  return { network, isKnown: known !== undefined };
}

const DUMMY_USER = NIL_UUID as UserId;
const NO_MAC = Buffer.alloc(0);

/** Forgets networks from which accounts signed in long ago. */
export async function forgetNetworks({ db, clock }: AccountDeps): Promise<void> {
  await db.transact((handle) => handle.run(store.deleteOldNetworks, { until: clock.now() - KNOWN_MS }));
}

/** Ends the session of the cookie and that of the access token, if given. */
export async function logout(deps: AccountDeps, cookie: string | undefined, authorization: string | null) {
  const { db } = deps;
  const byToken = await authenticate(deps, authorization ?? undefined).catch((error: unknown) => {
    if (error instanceof NotevaultError) return null;
    throw error;
  });
  const [family = ''] = (cookie ?? '').split('.', 1);
  if (family === '' && byToken === null) return;
  await db.transact(async (handle) => {
    const familyHash = hashOf(family);
    const ofCookie = await handle.get(store.findFamily, { familyHash });
    for (const userId of [...new Set([ofCookie?.user_id, byToken?.userId])].sort()) {
      if (userId !== undefined) await rightsTaken(handle, deps, userId);
    }
    await handle.get(store.deleteFamily, { familyHash });
    if (byToken !== null) await handle.run(store.deleteSession, { id: byToken.credentialId });
  });
}

export function networkMacOf(server: SealingKey, network: string): Buffer {
  return server.mac('sign-in network', network);
}

function principalOf(found: {
  readonly user_id: UserId;
  readonly session_id: SessionId;
  readonly plan: string;
  readonly display_name: string | null;
  readonly role: Role;
  readonly rights_version: number;
}): SessionPrincipal {
  const { user_id: userId, session_id: credentialId, plan: tier, display_name: displayName, role } = found;
  const session = { kind: 'session', userId, credentialId, name: 'Session' } as const;
  return { ...session, tier, displayName, isAdmin: role === 'admin', rightsVersion: found.rights_version };
}

/** The active sessions of a person, the one used last first. */
export async function sessionsOf({ db, keys, clock }: AccountDeps, userId: UserId) {
  const server = await keys.openServer();
  const rows = await db.all(store.listSessions, { userId, now: clock.now() });
  return rows.map((row) => ({ ...row, client: openClient(server, row.id, row.client) }));
}

/** Throws `session_not_found`. */
export async function endSession(deps: AccountDeps, userId: UserId, sent: string): Promise<void> {
  const id = parseUuid(sent) as SessionId | null;
  if (id === null) throw new NotevaultError('session_not_found');
  await deps.db.transact(async (handle) => {
    await rightsTaken(handle, deps, userId);
    if ((await handle.run(store.deleteSessionOf, { id, user_id: userId })) === 0)
      throw new NotevaultError('session_not_found');
  });
}

/** Ends all sessions but the caller's; resolves to their number. */
export async function endOtherSessions(
  deps: AccountDeps,
  { userId, credentialId }: { readonly userId: UserId; readonly credentialId: string },
): Promise<number> {
  return await deps.db.transact(async (handle) => {
    await rightsTaken(handle, deps, userId);
    return await handle.run(store.deleteOtherSessions, { userId, kept: credentialId as SessionId });
  });
}
