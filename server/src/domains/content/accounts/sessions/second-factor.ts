import type { SignInMethod } from '@notevault/protocol/accounts.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import { deleteUntil, type ReadHandle, type WriteHandle } from '../../../../ports/database/database.ts';
import { hashOf, newToken } from '../../../foundation/tokens/tokens.ts';
import * as accountStore from '../accounts.store.ts';
import type { UserRow } from '../accounts.tables.ts';
import type { AccountContext, AccountDeps } from '../accounts.ts';
import { SECOND_FACTORS } from './attempts.ts';
import * as store from './second-factor.store.ts';
import { findNetwork } from './sessions.ts';

/** How long a person has for the second step of a sign-in. */
export const TICKET_MS = 10 * 60 * 1000;
const TRIES_MAX = 5;

export type SecondFactor = Extract<SignInMethod, 'totp' | 'recovery_code'>;

/** The second factors of accounts, which a later domain stores. */
export interface SecondFactors {
  /** Returns the ways to add to a password; empty if the password is enough. */
  methodsOf(handle: ReadHandle, userId: UserId): Promise<SecondFactor[]>;
  /** Returns the accounts between two ids that have a second factor. */
  among(handle: ReadHandle, first: UserId, last: UserId): Promise<ReadonlySet<UserId>>;
  /** Prepares the check of a code. The check uses the code up and returns its kind; null for a wrong one. */
  prepareCheck(code: string): Promise<CodeCheck>;
}

type CodeCheck = (handle: WriteHandle, userId: UserId) => Promise<SecondFactor | null>;

/** The second step of a sign-in, unchecked. */
export interface SecondStep {
  readonly ticket: string;
  readonly code: string;
}

/** Makes a ticket, and returns the error that carries it; null for an account whose password is enough. */
export async function requireSecondFactor(
  handle: WriteHandle,
  { clock, hooks }: AccountDeps,
  userId: UserId,
  isBrief: boolean,
): Promise<NotevaultError | null> {
  const methods = await hooks.secondFactors.methodsOf(handle, userId);
  if (methods.length === 0) return null;
  const token = newToken(clock.random, 'nv_2fa_');
  const [is_brief, expires_at] = [Number(isBrief), clock.now() + TICKET_MS];
  await handle.run(store.insertTicket, { hash: token.hash, user_id: userId, is_brief, tries: 0, expires_at });
  return new NotevaultError('second_factor_required', { ticket: token.raw, methods });
}

export interface Ticket {
  readonly hash: Buffer;
  readonly user: UserRow;
  readonly isBrief: boolean;
}

/** Throws `invalid_ticket`. */
export async function findTicket({ db, clock }: AccountDeps, sent: string): Promise<Ticket> {
  const hash = hashOf(sent);
  const found = await db.get(store.findTicket, { hash, now: clock.now() });
  const user = found && (await db.get(accountStore.findUser, { id: found.user_id }));
  if (found === undefined || user === undefined) throw new NotevaultError('invalid_ticket');
  return { hash, user, isBrief: found.is_brief !== 0 };
}

/**
 * Signs in with the code that a ticket lacks, in the transaction that uses both up. Throws `invalid_ticket`,
 * `invalid_code`, `account_suspended`, `rate_limited`.
 */
export async function useTicket<Result>(
  deps: AccountContext,
  { hash, user: { id } }: Ticket,
  code: string,
  address: string | null,
  signIn: (handle: WriteHandle, user: UserRow, method: SecondFactor) => Promise<Result>,
): Promise<Result> {
  const { db, clock, attempts, events } = deps;
  const { network, isKnown } = await findNetwork(deps, id, address);
  const uncount = await attempts.count([isKnown ? `codes of ${id} from ${network}` : `codes of ${id}`, SECOND_FACTORS]);
  const check = await deps.hooks.secondFactors.prepareCheck(code);
  const outcome = await db.transact(async (handle) => {
    const user = await handle.get(accountStore.lockAccount, { id });
    // Counted before the code is checked, so that concurrent tries count too.
    const tried = await handle.run(store.tryTicket, { hash, now: clock.now(), max: TRIES_MAX });
    if (user === undefined || tried === 0) throw new NotevaultError('invalid_ticket');
    if (user.suspended_at !== null) throw new NotevaultError('account_suspended');
    const method = await check(handle, id);
    if (method === null) return null;
    await handle.run(store.deleteTicket, { hash });
    return { result: await signIn(handle, user, method) };
  });
  if (outcome === null) {
    events.emit('signInRefused', { address });
    throw new NotevaultError('invalid_code');
  }
  await uncount();
  return outcome.result;
}

/** Deletes expired tickets. */
export async function sweepTickets({ db, clock }: AccountDeps): Promise<void> {
  await deleteUntil(db, store.deleteExpiredTickets, clock.now());
}
