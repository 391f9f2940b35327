import type { DecisionBody, DeviceBody, DeviceGrantResponse, DeviceStarted } from '@notevault/protocol/devices.ts';
import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { operations } from '@notevault/protocol/operations.ts';
import { cleanName, cleanText } from '@notevault/protocol/values/clean-text.ts';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import { type Static, Type } from 'typebox';
import { latestPlausible } from '../../../ports/clock/clock.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import { SealedJson } from '../../../ports/keyring/sealed-json.ts';
import type { Principal } from '../../foundation/access/access.ts';
import { hashOf, newToken } from '../../foundation/tokens/tokens.ts';
import type { Client } from '../credentials/credentials.ts';
import * as store from './devices.store.ts';
import type { DeviceAuthorizationRow } from './devices.tables.ts';
import type { DeviceDeps } from './devices.ts';
import type { Admission, DeviceTokens } from './tokens.ts';

export const CODE_SECONDS = 300;
const POLL_SECONDS = 5;
/** RFC 8628, section 3.5. */
const SLOW_DOWN_SECONDS = 5;
const ATTEMPTS_MAX = 10;
const ATTEMPTS_WINDOW_MS = 60 * 60 * 1000;
/**
 * Maximum attempts to find a free code. There are 25 billion codes, so a second collision practically never happens.
 */
const CODE_TRIES = 5;
export const DEFAULT_VAULT_NAME = 'Vault';

/** A person's decision on a link, unchecked. */
type DeviceDecision = NonNullable<Static<typeof DecisionBody>>;

const textOrNull = Type.Union([Type.String(), Type.Null()]);
const sealedNames = new SealedJson(1, Type.Object({ vault: textOrNull, device: textOrNull, client: textOrNull }));
type Names = ReturnType<typeof sealedNames.decode>;

/** Device authorization (RFC 8628): the device shows a code, and a person who is signed in elsewhere decides on it. */
export class DeviceAuthorization {
  readonly #deps: DeviceDeps;
  readonly #tokens: Pick<DeviceTokens, 'admit'>;

  constructor(deps: DeviceDeps, tokens: Pick<DeviceTokens, 'admit'>) {
    this.#deps = deps;
    this.#tokens = tokens;
  }

  /** Throws `validation`. */
  async start(request: NonNullable<Static<typeof DeviceBody>>): Promise<DeviceStarted> {
    const { keys, clock, publicUrl } = this.#deps;
    const server = await keys.openServer();
    const names = {
      vault: suggestion('vault_name', request.vault_name),
      device: suggestion('device_name', request.device_name),
      client: suggestion('client_id', request.client_id),
    };
    const device = newToken(clock.random, 'nv_dvc_');
    const userCode = await this.#insertLink(server, device.hash, names);
    return {
      device_code: device.raw,
      user_code: userCode,
      expires_in: CODE_SECONDS,
      interval: POLL_SECONDS,
      verification_url: `${publicUrl}/link`,
      verification_uri: `${publicUrl}/link`,
      verification_uri_complete: `${publicUrl}/link?code=${userCode}`,
    };
  }

  /** The names that a pending code suggests to the account that looks it up first; null for all others. */
  async lookUp(userId: UserId, userCode: string) {
    const link = await this.#claim(userId, userCode);
    return link === null ? null : { vaultName: link.names.vault, deviceName: link.names.device };
  }

  /**
   * Authorizes the device for a vault, or refuses it; resolves to the vault, null when refused. Throws
   * `device_code_not_found`, `device_vault_not_owned`, `limit_exceeded`, `validation`.
   */
  async authorize(principal: Principal, decision: DeviceDecision): Promise<VaultId | null> {
    const { db, vaults } = this.#deps;
    const { code, vault, name, deny } = readDecision(decision);
    const { userId } = principal;
    const link = await this.#claim(userId, code);
    if (link === null) throw new NotevaultError('device_code_not_found');
    if (deny) {
      await db.transact((handle) => this.#decide(handle, link.id, userId, null));
      return null;
    }
    if (vault === 'new') {
      const named = { name: name ?? link.names.vault ?? DEFAULT_VAULT_NAME };
      // Decided in the transaction that creates the vault, so that two concurrent decisions create one.
      const made = await vaults.create(principal, named, (handle, { id }) => this.#decide(handle, link.id, userId, id));
      return made.id;
    }
    const opened = await vaults.openVault(principal, vault, operations.authorizeDevice.named).catch(notOwned);
    await db.transact((handle) => this.#decide(handle, link.id, userId, opened.id));
    return opened.id;
  }

  /** The tokens of an authorized device. Throws `authorization_pending`, `slow_down`, `access_denied`, `device_code_expired`. */
  async poll(deviceCode: string, client: Client): Promise<DeviceGrantResponse> {
    const { db, keys, clock, accounts } = this.#deps;
    const server = await keys.openServer();
    const now = clock.now();
    const admission = this.#tokens.admit(server, client);
    const outcome = await db.transact(async (handle) => {
      const link = await handle.get(store.lockLink, { deviceHash: hashOf(deviceCode), now });
      if (link === undefined) return 'device_code_expired' as const;
      if (link.state === 'denied') return 'access_denied' as const;
      if (link.state === 'pending') return countPoll(handle, link, now);
      return this.#createDevice(handle, link, openNames(server, link), admission);
    });
    if (typeof outcome === 'string') throw new NotevaultError(outcome);
    const { email } = await accounts.me(outcome.userId);
    return { ...admission.tokens, vault_id: outcome.vaultId, user_email: email };
  }

  /** Stores a new link; resolves to its code. */
  async #insertLink(server: SealingKey, deviceHash: Buffer, names: Names): Promise<string> {
    const { db, clock } = this.#deps;
    for (let tries = 0; tries < CODE_TRIES; tries++) {
      const id = clock.uuid();
      const userCode = newUserCode(clock.random);
      const link = {
        id,
        deviceHash,
        codeBlind: blindOf(server, userCode),
        pollSeconds: POLL_SECONDS,
        names: sealedNames.seal(server, contextOf(id), names),
        expiresAt: clock.now() + CODE_SECONDS * 1000,
      };
      if ((await db.transact((handle) => handle.run(store.insertLink, link))) > 0) return userCode;
    }
    throw new NotevaultError('unavailable');
  }

  /** The pending link of a code. Wrong codes are counted; after ten in an hour all codes of the user are refused. */
  async #claim(userId: UserId, typed: string): Promise<{ id: string; names: Names } | null> {
    const { db, keys, clock, accounts } = this.#deps;
    const server = await keys.openServer();
    const now = clock.now();
    const code = readUserCode(typed);
    const codeBlind = blindOf(server, code ?? '');
    const attemptId = clock.uuid();
    const link = await db.transact(async (handle) => {
      // Under the lock, so that concurrent attempts are all counted.
      await accounts.lockUser(handle, userId);
      const since = { userId, after: now - ATTEMPTS_WINDOW_MS, latest: latestPlausible(now), limit: ATTEMPTS_MAX };
      if ((await handle.all(store.countAttempts, since)).length >= ATTEMPTS_MAX) return null;
      const found = code === null ? undefined : await handle.get(store.claimLink, { codeBlind, userId, now });
      if (found !== undefined) return found;
      // The user's own code, used up or expired, is not counted as a guess.
      if ((await handle.get(store.findOwnLink, { user_code_blind: codeBlind, user_id: userId })) !== undefined)
        return null;
      await handle.run(store.deleteOldAttempts, { userId, until: since.after });
      await handle.run(store.insertAttempt, { user_id: userId, id: attemptId, attempted_at: now });
      return null;
    });
    return link === null ? null : { id: link.id, names: openNames(server, link) };
  }

  async #decide(handle: WriteHandle, id: string, userId: UserId, vaultId: VaultId | null): Promise<void> {
    const state = vaultId === null ? ('denied' as const) : ('approved' as const);
    const decided = await handle.run(store.decideLink, { id, userId, state, vaultId, now: this.#deps.clock.now() });
    if (decided === 0) throw new NotevaultError('device_code_not_found');
  }

  /** Creates the device of an approved link, once. */
  async #createDevice(handle: WriteHandle, link: PolledLink, { device, client }: Names, admission: Admission) {
    const { user_id: userId, vault_id: vaultId } = link;
    if (userId === null || vaultId === null) throw new Error('an approved device link without user or vault');
    // The vault may have been deleted since the decision.
    const roles = await this.#deps.vaults.rolesIn(handle, userId, [vaultId]);
    if (!roles.has(vaultId)) return 'device_code_expired' as const;
    await admission.write(handle, { userId, vaultId, name: device, softwareId: client });
    // Deletes the link with its suggested names, so that it can be used only once.
    await handle.run(store.deleteLink, { id: link.id });
    return { userId, vaultId };
  }
}

type PolledLink = Pick<DeviceAuthorizationRow, 'id' | 'user_id' | 'vault_id' | 'poll_seconds' | 'polled_at'>;

/** Counts a poll of an undecided link; returns whether it came too early. */
async function countPoll(handle: WriteHandle, { id, poll_seconds, polled_at }: PolledLink, now: number) {
  const isKnown = polled_at !== null && polled_at <= latestPlausible(now);
  const early = isKnown && now - polled_at < poll_seconds * 1000;
  const pollSeconds = poll_seconds + (early ? SLOW_DOWN_SECONDS : 0);
  await handle.run(store.notePoll, { id, now, pollSeconds });
  return early ? ('slow_down' as const) : ('authorization_pending' as const);
}

function notOwned(error: unknown): never {
  const unknown = error instanceof NotevaultError && error.code === 'vault_header_not_found';
  throw unknown ? new NotevaultError('device_vault_not_owned') : error;
}

function readDecision({ user_code, vault_id, vault_name, deny }: DeviceDecision) {
  const code = typeof user_code === 'string' ? user_code : null;
  if (code === null) throw invalid({ user_code: ['is required'] });
  if (deny !== undefined && deny !== null && typeof deny !== 'boolean') throw invalid({ deny: ['must be boolean'] });
  const refused = deny === true;
  if (!refused && typeof vault_id !== 'string') throw invalid({ vault_id: ['is required'] });
  const vault = typeof vault_id === 'string' ? vault_id : '';
  return { code, vault, name: nameOf('vault_name', vault_name), deny: refused };
}

/** A suggested name: null if blank, shortened if too long. Throws `validation`. */
function suggestion(field: string, sent: unknown): string | null {
  return cleanText(nameOf(field, sent));
}

/** The name in a field: null if blank. Throws `validation`. */
function nameOf(field: string, sent: unknown): string | null {
  if (sent === undefined || sent === null) return null;
  if (typeof sent !== 'string') throw invalid({ [field]: ['must be string'] });
  return cleanName(sent, field, Number.POSITIVE_INFINITY) || null;
}

const blindOf = (server: SealingKey, code: string) => server.blind('device_authorizations.user_code', code);
const contextOf = (id: string) => ({ kind: 'device_authorizations.names', row: id, version: 0 });

function openNames(server: SealingKey, link: { readonly id: string; readonly names: Buffer }): Names {
  return sealedNames.open(server, contextOf(link.id), link.names);
}

/** Consonants that look unlike any other letter and digit, and spell no words (RFC 8628, section 6.1). */
const CODE_ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const CODE_LENGTH = 8;
/** Limit of random bytes that are used; larger ones would favour the first letters. */
const FAIR_BELOW = 256 - (256 % CODE_ALPHABET.length);

/** A new user code, `XXXX-XXXX`: 34 bits. An attacker can try only a few codes. */
function newUserCode(random: (count: number) => Buffer): string {
  let letters = '';
  while (letters.length < CODE_LENGTH) {
    for (const byte of random(CODE_LENGTH)) {
      if (byte < FAIR_BELOW && letters.length < CODE_LENGTH) letters += CODE_ALPHABET[byte % CODE_ALPHABET.length];
    }
  }
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** Returns the code that a person typed, ignoring case, hyphens and spaces; null for an impossible code. */
function readUserCode(typed: string): string | null {
  const letters = typed
    .slice(0, 64)
    .replace(/[\s\p{Pd}]/gu, '')
    .toUpperCase();
  if (letters.length !== CODE_LENGTH || [...letters].some((letter) => !CODE_ALPHABET.includes(letter))) return null;
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
