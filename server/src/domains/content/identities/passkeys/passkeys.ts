import { type ErrorCode, NotevaultError } from '@notevault/protocol/errors.ts';
import type { NewPasskeyBody, PasskeyAssertion } from '@notevault/protocol/passkeys.ts';
import { requiredName } from '@notevault/protocol/values/clean-text.ts';
import { parseUuid, type UserId } from '@notevault/protocol/values/ids.ts';
import { deleteUntil, type WriteHandle } from '../../../../ports/database/database.ts';
import type { SealingKey } from '../../../../ports/keyring/keyring.ts';
import type { Proof, SessionCaller, SignInClient } from '../../accounts/accounts.ts';
import type { SealedMail } from '../../mails/mails.ts';
import type { IdentityDeps } from '../identities.ts';
import { type Ceremony, checkChallenge, newChallenge } from './challenges.ts';
import * as store from './passkeys.store.ts';
import type { PasskeyRow, UsedChallengeRow } from './passkeys.tables.ts';
import { type RelyingParty, relyingPartyOf } from './relying-party.ts';
import { creationOptions, requestOptions, verifyAssertion, verifyCreation } from './webauthn.ts';

/** More would only fill the lists that authenticators are sent. */
const PASSKEYS_MAX = 50;
/** Refused uses that follow each other within this time are one mail to the owner. */
const NOTICES_MS = 24 * 60 * 60 * 1000;

const nameContextOf = (id: string) => ({ kind: 'passkeys.name', row: id, version: 0 });
const registrationIn = ({ credentialId }: SessionCaller): Ceremony => `registration in ${credentialId}`;
const stepUpIn = ({ credentialId }: SessionCaller): Ceremony => `step-up in ${credentialId}`;

/** A passkey with its name, as its owner sees it. */
export type NamedPasskey = ReturnType<typeof named>;

function named(server: SealingKey, { name, ...row }: PasskeyRow) {
  return { ...row, name: server.open(nameContextOf(row.id), name).toString() };
}

/** Throws `passkeys_unavailable` on a server whose public URL allows none. */
function partyOf({ publicUrl }: IdentityDeps): RelyingParty {
  const party = relyingPartyOf(publicUrl);
  if (party === null) throw new NotevaultError('passkeys_unavailable');
  return party;
}

/** Returns the options to make a passkey with. Throws `passkeys_unavailable`, `too_many_passkeys`. */
export async function startPasskey(deps: IdentityDeps, caller: SessionCaller) {
  const { db, keys, clock, accounts } = deps;
  const party = partyOf(deps);
  const server = await keys.openServer();
  const { email, displayName: name } = await accounts.me(caller.userId);
  const known = await db.all(store.listPasskeys, { userId: caller.userId });
  if (known.length >= PASSKEYS_MAX) throw new NotevaultError('too_many_passkeys');
  const challenge = newChallenge(server, clock, registrationIn(caller));
  const user = { handle: handleOf(server, caller.userId), email, name };
  return creationOptions(party, challenge, user, known);
}

/** Stores a new passkey. Throws `invalid_new_passkey`, `validation`, `passkeys_unavailable`, `too_many_passkeys`. */
export async function addPasskey(deps: IdentityDeps, caller: SessionCaller, body: NewPasskeyBody) {
  const { db, keys, clock, accounts } = deps;
  const party = partyOf(deps);
  const { userId } = caller;
  const server = await keys.openServer();
  const name = body.name === undefined ? 'Passkey' : requiredName(body.name);
  const challenge = expectChallenge(deps, server, registrationIn(caller));
  const made = await verifyCreation(party, body, challenge.isExpected);
  if (made === null) throw new NotevaultError('invalid_new_passkey');
  const id = clock.uuid();
  const sealed = server.seal(nameContextOf(id), Buffer.from(name));
  const row = { ...made, id, user_id: userId, host: party.host, name: sealed, created_at: clock.now() };
  await db.transact(async (handle) => {
    await accounts.lockUser(handle, userId);
    if ((await handle.all(store.listPasskeys, { userId })).length >= PASSKEYS_MAX) {
      throw new NotevaultError('too_many_passkeys');
    }
    const isFirst = await challenge.use(handle);
    if (!isFirst || (await handle.run(store.insertPasskey, row)) === 0) throw new NotevaultError('invalid_new_passkey');
  });
  return named(server, { ...row, last_used_at: null, copied_at: null });
}

export async function listPasskeys({ db, keys }: IdentityDeps, userId: UserId): Promise<NamedPasskey[]> {
  const server = await keys.openServer();
  return (await db.all(store.listPasskeys, { userId })).map((row) => named(server, row));
}

/** Throws `passkey_not_found`, `validation`. */
export async function renamePasskey({ db, keys }: IdentityDeps, userId: UserId, sent: string, to: string) {
  const server = await keys.openServer();
  const id = passkeyIdOf(sent);
  const name = server.seal(nameContextOf(id), Buffer.from(requiredName(to)));
  const row = await db.transact((handle) => handle.get(store.renamePasskey, { id, userId, name }));
  if (row === undefined) throw new NotevaultError('passkey_not_found');
  return named(server, row);
}

/** Throws `passkey_not_found`, and `last_sign_in_method` if the account could not be signed in to any more. */
export async function deletePasskey({ db, accounts }: IdentityDeps, userId: UserId, sent: string): Promise<void> {
  const id = passkeyIdOf(sent);
  await db.transact(async (handle) => {
    await accounts.takeRights(handle, userId);
    if ((await handle.run(store.deletePasskey, { id, user_id: userId })) === 0) {
      throw new NotevaultError('passkey_not_found');
    }
    if ((await accounts.signInMethodsOf(handle, userId)).length === 0) throw new NotevaultError('last_sign_in_method');
  });
}

function passkeyIdOf(sent: string): string {
  const id = parseUuid(sent);
  if (id === null) throw new NotevaultError('passkey_not_found');
  return id;
}

/** Returns the options to sign in with any passkey, the same for everybody. Throws `passkeys_unavailable`. */
export async function startSignIn(deps: IdentityDeps) {
  const party = partyOf(deps);
  return requestOptions(party, newChallenge(await deps.keys.openServer(), deps.clock, 'sign-in'));
}

/** Returns the options to prove with a passkey who uses a session. Throws `passkeys_unavailable`. */
export async function startStepUp(deps: IdentityDeps, caller: SessionCaller) {
  const party = partyOf(deps);
  const server = await deps.keys.openServer();
  const known = await deps.db.all(store.listPasskeys, { userId: caller.userId });
  const allowed = known.filter(({ host }) => host === party.host);
  return requestOptions(party, newChallenge(server, deps.clock, stepUpIn(caller)), allowed);
}

/** Opens a session with a passkey. Throws `invalid_passkey`, `passkey_copied`, `account_suspended`, `passkeys_unavailable`. */
export async function signIn(deps: IdentityDeps, { remember, ...sent }: PasskeyLogin, client: SignInClient) {
  const found = await verifySignIn(deps, sent, client);
  return deps.accounts.signInStandalone({ ...found, isBrief: remember === false }, client);
}

type PasskeyLogin = PasskeyAssertion & { readonly remember?: boolean };

/** Signs in for a page of the server. Resolves to a token that only this page accepts. Throws like `signIn`. */
export async function signInOnPage(
  deps: IdentityDeps,
  { page, ...sent }: PasskeyAssertion & { readonly page: string },
  client: SignInClient,
): Promise<string> {
  return deps.accounts.signInOnPage(await verifySignIn(deps, sent, client), page);
}

async function verifySignIn(deps: IdentityDeps, sent: PasskeyAssertion, { address }: SignInClient) {
  const found = await verify(deps, 'sign-in', sent, 'invalid_passkey');
  if (found === null) {
    deps.events.emit('signInRefused', { address });
    throw new NotevaultError('invalid_passkey');
  }
  return { ...found, method: 'passkey' as const };
}

/** Verifies that somebody used a passkey of the account in a session. Throws `passkey_not_proved`. */
export async function verifyStepUp(deps: IdentityDeps, caller: SessionCaller, sent: PasskeyAssertion): Promise<Proof> {
  const found = await verify(deps, stepUpIn(caller), sent, 'passkey_not_proved');
  if (found?.userId !== caller.userId) throw new NotevaultError('passkey_not_proved');
  return found.prove;
}

/** Returns null for a wrong answer. @param invalid the error for an answer that turns out to be wrong later. */
async function verify(deps: IdentityDeps, ceremony: Ceremony, sent: PasskeyAssertion, invalid: ErrorCode) {
  const { db, keys } = deps;
  const party = partyOf(deps);
  const server = await keys.openServer();
  const credentialId = Buffer.from(sent.id, 'base64url');
  const passkey = await db.get(store.findByCredential, { credentialId, host: party.host });
  if (passkey === undefined) return null;
  const { user_id: userId } = passkey;
  const { userHandle } = sent.response;
  if (userHandle != null && userHandle !== handleOf(server, userId).toString('base64url')) return null;
  const challenge = expectChallenge(deps, server, ceremony);
  const counter = await verifyAssertion(party, sent, passkey, challenge.isExpected);
  if (counter === null) return null;
  const notice = passkey.is_synced === 0 ? await prepareNotice(deps, server, passkey) : null;
  const prove: Proof = async (handle) => {
    const isFirst = await challenge.use(handle);
    const outcome = isFirst ? await recordUse(handle, deps, { passkey, counter, notice }) : 'unknown';
    if (outcome === 'recorded') return null;
    return new NotevaultError(outcome === 'copied' ? 'passkey_copied' : invalid);
  };
  return { userId, prove };
}

/** The mail to the owner of a passkey that may have been copied. */
function prepareNotice({ accounts }: IdentityDeps, server: SealingKey, passkey: PasskeyRow) {
  const { name } = named(server, passkey);
  return accounts.prepareNotice(passkey.user_id, (at) => ({ kind: 'passkey_copied', values: { at, name } }));
}

/** The challenge of an answer, which is checked while the answer is verified and used up in its transaction. */
function expectChallenge({ clock }: IdentityDeps, server: SealingKey, ceremony: Ceremony) {
  let found: UsedChallengeRow | null = null;
  return {
    isExpected(challenge: string): boolean {
      found = checkChallenge(server, clock, ceremony, challenge);
      return found !== null;
    },
    /** Returns whether it was not used before. */
    use: async (handle: WriteHandle) => found !== null && (await handle.run(store.useChallenge, found)) === 1,
  };
}

interface PasskeyUse {
  readonly passkey: PasskeyRow;
  readonly counter: number;
  /** The mail to its owner if it may have been copied. */
  readonly notice: SealedMail | null;
}

/**
 * Stores the counter of a use. One that went back means that somebody may have copied the passkey: of one that is bound
 * to a device the use is refused. Synced passkeys are copied by their owner, and their devices may count on their own.
 */
async function recordUse(
  handle: WriteHandle,
  { clock, events }: IdentityDeps,
  { passkey: { id, user_id: userId }, counter, notice }: PasskeyUse,
): Promise<'recorded' | 'copied' | 'unknown'> {
  const held = await handle.get(store.lockPasskey, { id });
  if (held === undefined) return 'unknown';
  const now = clock.now();
  const isSynced = held.is_synced !== 0;
  const wentBack = counter <= held.counter && (counter !== 0 || held.counter !== 0);
  if (wentBack) handle.onCommit(() => events.emit('passkeyCounterWentBack', { userId, isSynced }));
  if (wentBack && !isSynced) {
    await handle.run(store.markCopied, { id, now });
    // Whoever has the copy could send the owner any number.
    if (now - (held.copied_at ?? 0) > NOTICES_MS) await notice?.write(handle, userId);
    return 'copied';
  }
  await handle.run(store.recordUse, { id, counter, now });
  return 'recorded';
}

/** Identifies an account to authenticators, which show it to whoever unlocks them; so it is not the account's id. */
function handleOf(server: SealingKey, userId: UserId): Buffer {
  return server.mac('passkey user handle', userId);
}

/** Deletes challenges that nobody can answer any more. */
export async function sweepChallenges({ db, clock }: Pick<IdentityDeps, 'db' | 'clock'>): Promise<void> {
  await deleteUntil(db, store.deleteExpiredChallenges, clock.now());
}
