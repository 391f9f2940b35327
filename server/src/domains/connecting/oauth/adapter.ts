import { timingSafeEqual } from 'node:crypto';
import { cleanText } from '@notevault/protocol/values/clean-text.ts';
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import { Type } from 'typebox';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import { SealedJson } from '../../../ports/keyring/sealed-json.ts';
import { ACCESS_SCOPES } from '../../foundation/access/access.ts';
import { GRACE_MS, hashOf, isInGrace } from '../../foundation/tokens/tokens.ts';
import { endGrant, familyHashOf, grantOfName } from './grants.ts';
import * as store from './oauth.store.ts';
import type { OAuthTokenRow } from './oauth.tables.ts';
import type { OAuthDeps } from './oauth.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Maximum registered clients without an authorization; beyond it the oldest are deleted. */
const UNUSED_MAX = 5_000;
const EVICT_BATCH = 100;
/** A scope that grants nothing, for tokens that requested no word that grants access. */
const NOTHING = 'none';

export interface AdapterDeps extends Pick<OAuthDeps, 'db' | 'clock' | 'credentials'> {
  readonly server: SealingKey;
  /** Throws the provider's own error for a code that was used before. */
  refuseUsedCode(): never;
}

/** The storage of the provider: in our tables, by hash, sealed, without the secrets themselves. */
export function createAdapters(deps: AdapterDeps): AdapterFactory {
  return (model) => {
    switch (model) {
      case 'Client':
        return clients(deps);
      case 'Grant':
        return grants(deps);
      case 'AuthorizationCode':
        return tokens(deps, 'code');
      case 'AccessToken':
        return tokens(deps, 'access');
      case 'RefreshToken':
        return tokens(deps, 'refresh');
      case 'RegistrationAccessToken':
        return registrationTokens(deps.server);
      case 'Interaction':
      case 'ReplayDetection':
        return transients(deps, model);
      default:
        // Includes sessions, because a sign-in here is valid for one request.
        return nothing;
    }
  };
}

const nothing: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  // Revoking tokens revokes their grant, which deletes all of them.
  revokeByGrantId: async () => undefined,
};

/** The content is the provider's, which validates it itself. */
const providerPayload = new SealedJson(1, Type.Record(Type.String(), Type.Unknown()));

/** Seals a payload of the provider without its id, because the id is the secret itself. */
function sealPayload(server: SealingKey, kind: string, hash: Buffer, payload: AdapterPayload): Buffer {
  const { jti: _, ...kept } = payload;
  return providerPayload.seal(server, contextOf(kind, hash), kept);
}

function openPayload(server: SealingKey, kind: string, hash: Buffer, sealed: Buffer): AdapterPayload {
  return providerPayload.open(server, contextOf(kind, hash), sealed);
}

/**
 * Sets the end of a payload by the clock of this machine, with which the provider compares it. Our rows end by the
 * database's clock, and another server may have made them.
 */
function endingWith(payload: AdapterPayload, leftMs: number): AdapterPayload {
  return { ...payload, exp: Math.floor(Date.now() / 1000) + Math.ceil(leftMs / 1000) };
}

const contextOf = (kind: string, hash: Buffer) => ({ kind: `oauth.${kind}`, row: hash.toString('hex'), version: 0 });

function clients({ db, clock, server }: AdapterDeps): Adapter {
  return {
    ...nothing,
    async upsert(id, payload) {
      const hash = hashOf(id);
      const client = { id_hash: hash, payload: sealPayload(server, 'Client', hash, payload), created_at: clock.now() };
      await db.transact(async (handle) => {
        await handle.run(store.insertClient, client);
        await handle.run(store.deleteUnusedBeyond, { kept: UNUSED_MAX, limit: EVICT_BATCH });
      });
    },
    async find(id) {
      const hash = hashOf(id);
      const row = await db.get(store.findClient, { id_hash: hash });
      if (row === undefined) return undefined;
      const payload = openPayload(server, 'Client', hash, row.payload);
      // A client of an earlier version may have a name that is refused today, and must keep working.
      const name = cleanText(payload.client_name);
      return name === null ? payload : { ...payload, client_name: name };
    },
    async destroy(id) {
      await db.transact((handle) => handle.run(store.deleteClient, { id_hash: hashOf(id) }));
    },
  };
}

function grants(deps: AdapterDeps): Adapter {
  const { db, server } = deps;
  return {
    ...nothing,
    async upsert(name, payload) {
      const sealed = sealPayload(server, 'Grant', hashOf(name), payload);
      await db.transact((handle) => handle.run(store.putGrantPayload, { ...grantOfName(name), payload: sealed }));
    },
    async find(name) {
      const row = await db.get(store.findGrant, grantOfName(name));
      if (row?.payload == null) return undefined;
      return { ...openPayload(server, 'Grant', hashOf(name), row.payload), jti: name };
    },
    async destroy(name) {
      await db.transact((handle) => endGrant(handle, deps, grantOfName(name)));
    },
  };
}

type TokenKind = OAuthTokenRow['kind'];

function tokens(deps: AdapterDeps, kind: TokenKind): Adapter {
  return {
    ...nothing,
    upsert: (token, payload, expiresIn = 0) => insertToken(deps, kind, token, payload, expiresIn),
    find: (token) => findToken(deps, kind, token),
    consume: (token) => consumeToken(deps, kind, token),
    async destroy(token) {
      await deps.db.transact((handle) => handle.run(store.deleteToken, { hash: hashOf(token) }));
    },
  };
}

async function insertToken(
  { db, clock, server }: AdapterDeps,
  kind: TokenKind,
  token: string,
  payload: AdapterPayload,
  expiresIn: number,
): Promise<void> {
  const hash = hashOf(token);
  const grant = grantOfName(payload.grantId);
  const now = clock.now();
  const expiresAt = now + expiresIn * 1000;
  const row = {
    hash,
    kind,
    user_id: grant.userId,
    grant_id: grant.id,
    scope: scopeOf(payload),
    expires_at: expiresAt,
    payload: sealPayload(server, kind, hash, payload),
  };
  await db.transact(async (handle) => {
    await handle.run(store.insertToken, row);
    if (kind === 'code') return;
    await handle.run(store.prolongGrant, { ...grant, expiresAt });
    if (kind === 'refresh') return;
    await handle.run(store.deleteExpiredAccess, { ...grant, until: now });
    await handle.run(store.markClientUsed, { idHash: hashOf(payload.clientId ?? ''), now, before: now - DAY_MS });
  });
}

async function findToken(deps: AdapterDeps, kind: TokenKind, token: string): Promise<AdapterPayload | undefined> {
  const { db, clock, server } = deps;
  const hash = hashOf(token);
  const now = clock.now();
  const row = await db.get(store.findToken, { hash, kind, now });
  if (row === undefined) {
    // It is stored but cannot be used now: it expired, or its owner is suspended.
    const kept = await db.get(store.findTokenGrant, { hash });
    if (kept === undefined) await endFamilyOf(deps, kind, token);
    return undefined;
  }
  const opened = openPayload(server, kind, hash, row.payload);
  const payload = { ...endingWith(opened, row.expires_at - now), jti: token };
  if (row.consumed_at === null) return payload;
  if (kind === 'code') return { ...payload, consumed: Math.floor(row.consumed_at / 1000) };
  // Two tabs, or a retry after a lost answer: within the grace period it is still valid.
  if (isInGrace(row.consumed_at, now)) return payload;
  await endFamilyOf(deps, kind, token);
  return undefined;
}

async function consumeToken(deps: AdapterDeps, kind: TokenKind, token: string): Promise<void> {
  const hash = hashOf(token);
  const now = deps.clock.now();
  const first = await deps.db.transact(async (handle) => {
    const grant = await handle.get(store.consumeToken, { hash, now });
    if (grant !== undefined) {
      await handle.run(store.deleteConsumed, { ...grant, before: now - GRACE_MS });
      return true;
    }
    const again = await handle.get(store.findTokenGrant, { hash });
    if (kind === 'code' && again !== undefined) await endGrant(handle, deps, again);
    return false;
  });
  // Two concurrent requests with one code may both have read it as unused; the second one fails here.
  if (!first && kind === 'code') deps.refuseUsedCode();
}

/** Ends the token family of a refresh token that was replaced long ago, or forged from one. */
async function endFamilyOf(deps: AdapterDeps, kind: TokenKind, token: string): Promise<void> {
  const familyHash = kind === 'refresh' ? familyHashOf(token) : null;
  if (familyHash === null) return;
  const grant = await deps.db.get(store.findFamily, { familyHash });
  if (grant !== undefined) await deps.db.transact((handle) => endGrant(handle, deps, grant));
}

/** The scope of a token: a refresh may request less than was granted, down to nothing. */
function scopeOf({ scope = '' }: AdapterPayload): string {
  const words = scope.split(' ').filter((word) => ACCESS_SCOPES.includes(word));
  return words.length === 0 ? NOTHING : words.join(' ');
}

function transients({ db, clock, server }: AdapterDeps, kind: string): Adapter {
  return {
    ...nothing,
    async upsert(id, payload, expiresIn = 0) {
      const hash = hashOf(`${kind} ${id}`);
      const expires_at = clock.now() + expiresIn * 1000;
      const row = { hash, payload: sealPayload(server, kind, hash, payload), expires_at };
      await db.transact((handle) => handle.run(store.putTransient, row));
    },
    async find(id) {
      const hash = hashOf(`${kind} ${id}`);
      const now = clock.now();
      const row = await db.get(store.findTransient, { hash, now });
      if (row === undefined) return undefined;
      return { ...endingWith(openPayload(server, kind, hash, row.payload), row.expires_at - now), jti: id };
    },
    async destroy(id) {
      await db.transact((handle) => handle.run(store.deleteTransient, { hash: hashOf(`${kind} ${id}`) }));
    },
  };
}

const REGISTRATION_PREFIX = 'nv_orr_';

/**
 * The token with which a client may read its own registration (RFC 7592). It follows from the client's id, so that none
 * has to be stored for the many clients that never use it.
 */
export function registrationToken(server: SealingKey, clientId: string): string {
  const mac = server.mac('oauth_clients.registration', clientId);
  return `${REGISTRATION_PREFIX}${clientId}.${mac.toString('base64url')}`;
}

function registrationTokens(server: SealingKey): Adapter {
  return {
    ...nothing,
    async find(token) {
      const clientId = token.slice(REGISTRATION_PREFIX.length, token.lastIndexOf('.'));
      const [sent, own] = [Buffer.from(token), Buffer.from(registrationToken(server, clientId))];
      if (sent.length !== own.length || !timingSafeEqual(sent, own)) return undefined;
      return { jti: token, kind: 'RegistrationAccessToken', clientId };
    },
  };
}

/** The key under which an interaction is stored, to be decided once. */
export function interactionHash(uid: string): Buffer {
  return hashOf(`Interaction ${uid}`);
}
