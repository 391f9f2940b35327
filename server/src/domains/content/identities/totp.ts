import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle, WriteHandle } from '../../../ports/database/database.ts';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import type { SecondFactor, SecondFactors } from '../accounts/accounts.ts';
import * as store from './identities.store.ts';
import type { IdentityDeps } from './identities.ts';

/** RFC 4226, section 4: at least 128 bits, 160 recommended. */
const SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
/** Codes of the step before and after are accepted: clocks of phones differ, and typing takes time. */
const WINDOW = 1;
/** How long a secret that was shown waits for its first code. */
const PENDING_MS = 60 * 60 * 1000;
const RECOVERY_CODES = 10;
const RECOVERY_CHARACTERS = 12;
/** 32 characters without look-alikes, so that a random byte picks one without bias. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

const contextOf = (userId: UserId) => ({ kind: 'totp_secrets.secret', row: userId, version: 0 });

/** Makes the secret of an authenticator app, which waits for its first code. Throws `totp_already_set`. */
export async function startTotp({ db, keys, clock, accounts }: IdentityDeps, userId: UserId) {
  const server = await keys.openServer();
  const { email } = await accounts.me(userId);
  const bytes = clock.random(SECRET_BYTES);
  const secret = server.seal(contextOf(userId), bytes);
  const stored = await db.transact((handle) => handle.run(store.putTotp, { userId, secret, now: clock.now() }));
  if (stored === 0) throw new NotevaultError('totp_already_set');
  const totp = await totpOf(bytes, email);
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/**
 * Sets the authenticator app up with its first code; resolves to new recovery codes. Throws `invalid_code`, also once
 * the secret was shown more than an hour ago, `totp_already_set`, `rate_limited`.
 */
export async function confirmTotp(deps: IdentityDeps, userId: UserId, code: string): Promise<string[]> {
  const { db, keys, clock, accounts } = deps;
  const server = await keys.openServer();
  const found = await db.get(store.findTotp, { user_id: userId });
  if (found?.confirmed_at != null) throw new NotevaultError('totp_already_set');
  const uncount = await accounts.countCodes(userId);
  const now = clock.now();
  const isPending = found !== undefined && found.created_at > now - PENDING_MS;
  const step = isPending ? await stepOf(server, userId, found.secret, code, now) : null;
  if (step === null) throw new NotevaultError('invalid_code');
  const codes = Array.from({ length: RECOVERY_CODES }, () => newRecoveryCode(clock.random));
  await db.transact(async (handle) => {
    const used = await handle.run(store.useTotpStep, { userId, secret: found?.secret ?? Buffer.of(), step, now });
    if (used === 0) throw new NotevaultError('invalid_code');
    await handle.run(store.deleteRecoveryCodes, { user_id: userId });
    for (const each of codes) {
      await handle.run(store.insertRecoveryCode, { user_id: userId, code_mac: macOf(server, userId, each) });
    }
  });
  await uncount();
  return codes;
}

/** Removes the authenticator app and its recovery codes. */
export async function removeTotp({ db }: Pick<IdentityDeps, 'db'>, userId: UserId): Promise<void> {
  await db.transact(async (handle) => {
    await handle.run(store.deleteTotp, { user_id: userId });
    await handle.run(store.deleteRecoveryCodes, { user_id: userId });
  });
}

export async function methodsOf(handle: ReadHandle, userId: UserId): Promise<SecondFactor[]> {
  const found = await handle.get(store.findTotp, { user_id: userId });
  if (found?.confirmed_at == null) return [];
  const left = (await handle.get(store.countRecoveryCodes, { userId }))?.left ?? 0;
  return left > 0 ? ['totp', 'recovery_code'] : ['totp'];
}

export async function among(handle: ReadHandle, first: UserId, last: UserId): Promise<ReadonlySet<UserId>> {
  return new Set((await handle.all(store.findAmong, { first, last })).map(({ user_id }) => user_id));
}

/** Prepares the check of a code of the authenticator app or of a recovery code, which uses it up. */
export async function prepareCheck(
  { keys, clock }: IdentityDeps,
  sent: string,
): ReturnType<SecondFactors['prepareCheck']> {
  const server = await keys.openServer();
  await loadTotp();
  const code = plainCode(sent);
  return async (handle, userId) => {
    if (!/^\d{6}$/.test(code)) {
      const used = await handle.run(store.useRecoveryCode, { user_id: userId, code_mac: macOf(server, userId, code) });
      return used === 0 ? null : 'recovery_code';
    }
    return (await useTotp(handle, server, userId, code, clock.now())) ? 'totp' : null;
  };
}

/** Whether a code of the confirmed app is right and was not used before. */
async function useTotp(handle: WriteHandle, server: SealingKey, userId: UserId, code: string, now: number) {
  const found = await handle.get(store.findTotp, { user_id: userId });
  if (found?.confirmed_at == null) return false;
  const { secret } = found;
  const step = await stepOf(server, userId, secret, code, now);
  // Of two concurrent uses the second changes no row.
  return step !== null && (await handle.run(store.useTotpStep, { userId, secret, step, now })) === 1;
}

/** The step to which a code belongs; null for a wrong code. */
async function stepOf(server: SealingKey, userId: UserId, sealed: Buffer, sent: string, now: number) {
  const totp = await totpOf(server.open(contextOf(userId), sealed));
  const delta = totp.validate({ token: plainCode(sent), timestamp: now, window: WINDOW });
  return delta === null ? null : Math.floor(now / 1000 / PERIOD_SECONDS) + delta;
}

/** Loaded at first use, because few requests need it. */
const loadTotp = () => import('otpauth');

async function totpOf(bytes: Buffer, label = '') {
  const { Secret, TOTP } = await loadTotp();
  const secret = new Secret({ buffer: new Uint8Array(bytes).buffer });
  return new TOTP({ issuer: 'Notevault', label, algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS, secret });
}

/** A code as people may type it: with spaces and hyphens, in any case. */
function plainCode(sent: string): string {
  return sent.replace(/[\s-]/g, '').toLowerCase();
}

/** 60 bits in three groups of four characters. */
function newRecoveryCode(random: (count: number) => Buffer): string {
  const characters = [...random(RECOVERY_CHARACTERS)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length));
  return (characters.join('').match(/.{4}/g) ?? []).join('-');
}

function macOf(server: SealingKey, userId: UserId, code: string): Buffer {
  return server.mac('recovery code', `${userId} ${plainCode(code)}`);
}
