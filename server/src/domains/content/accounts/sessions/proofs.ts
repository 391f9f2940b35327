import type { SignInMethod, StepUpBody } from '@notevault/protocol/accounts.ts';
import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import type { ProofRule } from '@notevault/protocol/operations.ts';
import type { SessionId, UserId } from '@notevault/protocol/values/ids.ts';
import { latestPlausible } from '../../../../ports/clock/clock.ts';
import * as accountStore from '../accounts.store.ts';
import type { UserRow } from '../accounts.tables.ts';
import type { AccountContext } from '../accounts.ts';
import { PASSWORDS, SECOND_FACTORS } from './attempts.ts';
import * as store from './second-factor.store.ts';
import { hasPassword, methodsOf, requirePasswordLogin } from './sign-in-methods.ts';

/** How long a proof of identity counts as recent. */
export const PROOF_MS = 10 * 60 * 1000;

/** Methods that make operations of the interface ask for a proof, which clients of the interface do not know. */
const STRONG: ReadonlySet<SignInMethod> = new Set(['passkey', 'totp']);

/** A caller with a session. */
export interface SessionCaller {
  readonly userId: UserId;
  readonly credentialId: string;
}

/**
 * Throws `step_up_required` unless the session proved lately who uses it.
 *
 * @param rule `second_factor`: accounts without a passkey and a second factor are not asked.
 */
export async function requireProof(
  deps: AccountContext,
  { userId, credentialId }: SessionCaller,
  rule: ProofRule,
): Promise<void> {
  const { db, clock } = deps;
  const session = await db.get(store.findProof, { id: credentialId as SessionId, userId });
  const now = clock.now();
  const provedAt = session?.proved_at ?? 0;
  if (provedAt > now - PROOF_MS && provedAt <= latestPlausible(now)) return;
  const methods = session === undefined ? [] : await methodsOf(db, deps, session);
  if (rule === 'second_factor' && !methods.some((method) => STRONG.has(method))) return;
  throw new NotevaultError('step_up_required', { methods });
}

/**
 * Proves who uses a session. Throws `validation`, `invalid_password`, `invalid_code`, `passkey_not_proved`,
 * `passkey_copied`, `rate_limited`.
 */
export async function stepUp(deps: AccountContext, caller: SessionCaller, proof: StepUpBody): Promise<void> {
  const { db, hooks } = deps;
  const { userId } = caller;
  if (proof.passkey !== undefined) {
    const check = await hooks.passkeys.verifyStepUp(caller, proof.passkey);
    const refusal = await db.transact(check);
    if (refusal !== null) throw refusal;
  } else if (proof.code !== undefined) await checkOwnCode(deps, userId, proof.code);
  else if (proof.password !== undefined) await checkOwnPassword(deps, userId, proof.password);
  else throw invalid({ password: ["can't be blank"] });
  await prove(deps, caller);
}

/** Records that a session has just proved who uses it. */
export async function prove({ db, clock }: AccountContext, { credentialId }: SessionCaller): Promise<void> {
  await db.transact((handle) => handle.run(store.putProof, { id: credentialId as SessionId, now: clock.now() }));
}

/** Checks a code in a session and uses it up. Throws `invalid_code`, `rate_limited`. */
async function checkOwnCode(deps: AccountContext, userId: UserId, code: string): Promise<void> {
  const { db, hooks } = deps;
  const uncount = await countCodes(deps, userId);
  const check = await hooks.secondFactors.prepareCheck(code);
  if ((await db.transact((handle) => check(handle, userId))) === null) throw new NotevaultError('invalid_code');
  await uncount();
}

/** Counts a code that is typed in a session, so that a stolen session cannot be used to guess one. */
export function countCodes({ attempts }: AccountContext, userId: UserId): Promise<() => Promise<void>> {
  return attempts.count([`codes in a session of ${userId}`, SECOND_FACTORS]);
}

/**
 * Proves who uses a session for an operation that asks for the password. An account that has none, or may not use it,
 * proves it beforehand in another way. Throws like `checkOwnPassword`, and `step_up_required`.
 */
export async function proveForOperation(deps: AccountContext, caller: SessionCaller, password: unknown): Promise<void> {
  const row = await deps.db.get(accountStore.findUser, { id: caller.userId });
  if (row !== undefined && !hasPassword(deps, row)) await requireProof(deps, caller, 'all');
  else await checkOwnPassword(deps, caller.userId, password);
}

/** Throws `password_required`, `password_login_off`, `invalid_password`, `rate_limited`. */
export async function checkOwnPassword(deps: AccountContext, userId: UserId, password: unknown): Promise<UserRow> {
  const { db, passwords, attempts } = deps;
  if (typeof password !== 'string' || password === '') throw new NotevaultError('password_required');
  const row = await db.get(accountStore.findUser, { id: userId });
  if (row === undefined) throw new NotevaultError('unauthorized');
  requirePasswordLogin(deps, row);
  const uncount = await attempts.count([`in a session of ${userId}`, PASSWORDS]);
  if (!(await passwords.verify(password, row.password_hash))) throw new NotevaultError('invalid_password');
  await uncount();
  return row;
}
