import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { PasskeyAssertion } from '@notevault/protocol/passkeys.ts';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { EventSink } from '../../../events.ts';
import type { AnalyticsSink } from '../../../ports/analytics/analytics.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import type { Database, ReadHandle, WriteHandle } from '../../../ports/database/database.ts';
import type { Keys } from '../../foundation/keys/keys.ts';
import type { PlanTable } from '../../foundation/plans/plans.ts';
import type { Mails } from '../mails/mails.ts';
import { deleteMe, deleteUser, resumeDeletions } from './account-deletion.ts';
import { LOGIN_TOKEN_COOKIE, loginTokenCookie, refreshCookie } from './accounts.mapper.ts';
import * as store from './accounts.store.ts';
import {
  confirmEmail,
  confirmNamed,
  confirmVerified,
  findJoinable,
  inviteByMail,
  mailRecipient,
  requestConfirmation,
  signInSettings,
} from './addresses.ts';
import {
  countAccounts,
  findByEmail,
  findOwner,
  findUser,
  listUsers,
  openSession,
  setPlan,
  setSuspended,
  updateUser,
} from './admin.ts';
import { canonicalEmail } from './emails.ts';
import { prepareNoticeFor } from './notices.ts';
import { changePassword, forgotPassword, issueReset, resetPassword } from './password-reset.ts';
import { checkPasswordLength, createPasswords, type PasswordCost, type Passwords } from './passwords.ts';
import { me, sendErasures, updateMe } from './profile.ts';
import {
  bootstrap,
  createInvite,
  createUser,
  deleteInvite,
  listInvites,
  register,
  setupToken,
} from './registration.ts';
import { rightsTaken } from './rights-taken.ts';
import { Attempts, PASSWORDS } from './sessions/attempts.ts';
import {
  identifyByToken,
  issueLoginLink,
  issueLoginToken,
  loginByLink,
  sweepLoginTokens,
} from './sessions/login-tokens.ts';
import { enter } from './sessions/outside-sign-in.ts';
import { countCodes, prove, requireProof, type SessionCaller, stepUp } from './sessions/proofs.ts';
import { findRefreshable, refresh } from './sessions/refresh-tokens.ts';
import { type SecondFactors, sweepTickets } from './sessions/second-factor.ts';
import {
  authenticate,
  endOtherSessions,
  endSession,
  forgetNetworks,
  logout,
  recall,
  sessionsOf,
} from './sessions/sessions.ts';
import { identify, identifyBySecondFactor, login, proveSecondFactor } from './sessions/sign-in.ts';
import { type PasswordLogin, type StandaloneMethods, signInMethodsOf } from './sessions/sign-in-methods.ts';
import { type Proof, signInOnPage, signInStandalone } from './sessions/standalone-sign-in.ts';

/** Effects of accounts in later domains; bound in app/. */
export interface AccountHooks {
  /**
   * Erases what the user owns in other domains: keys first, then rows and blobs. Called until it resolves, also after a
   * crash, so it must be resumable.
   */
  erasing(userId: UserId): Promise<void>;
  /** Raises the rights versions of an account and its vaults, in each transaction that takes a right of it away. */
  raiseRights(handle: WriteHandle, userId: UserId): Promise<void>;
  /** The vaults of an account that others have too: it cannot be closed before they were handed over. */
  sharedVaultsOf(handle: ReadHandle, userId: UserId): Promise<VaultId[]>;
  /** Adds the names of vaults, for their owner. */
  named(ids: readonly VaultId[]): Promise<{ readonly id: VaultId; readonly name: string }[]>;
  /**
   * Returns the step of a registration that joins the invited vault, for this e-mail address; null if `invite` is no
   * invitation to a vault. Throws `invite_invalid`.
   */
  joining(invite: string, email: string): Promise<JoinStep | null>;
  readonly secondFactors: SecondFactors;
  readonly standalone: StandaloneMethods;
  readonly passkeys: {
    /** Counts the passkeys of accounts between two ids; accounts without any are left out. */
    among(handle: ReadHandle, first: UserId, last: UserId): Promise<ReadonlyMap<UserId, number>>;
    /** Verifies the use of a passkey in a session of its account. Throws `passkey_not_proved`. */
    verifyStepUp(caller: SessionCaller, sent: PasskeyAssertion): Promise<Proof>;
  };
}

/** Makes an account that is being registered a member; throws `invite_invalid` if that has become impossible. */
export type JoinStep = (handle: WriteHandle, userId: UserId) => Promise<void>;

export interface AccountDeps {
  readonly db: Database;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly mails: Mails;
  readonly publicUrl: string;
  /** Registration policy after the first account. */
  readonly registration: 'open' | 'invite_only' | 'closed';
  readonly plans: PlanTable;
  readonly defaultPlan: string;
  readonly passwordLogin: PasswordLogin;
  /** Erases people from the analytics tool; null if no analytics are sent. */
  readonly analytics: Pick<AnalyticsSink, 'erase'> | null;
  /** Cost of new password hashes; the cost for production by default. */
  readonly passwordCost?: PasswordCost;
  readonly hooks: AccountHooks;
  readonly events: EventSink;
}

export interface AccountContext extends AccountDeps {
  readonly passwords: Passwords;
  readonly attempts: Attempts;
}

export type { ListedUser, UserChange } from './admin.ts';
export type { Invite } from './registration.ts';
export type { SessionCaller } from './sessions/proofs.ts';
export type { SecondFactor, SecondFactors } from './sessions/second-factor.ts';
export type { SignInClient } from './sessions/session-client.ts';
export type { Identified, SignedIn } from './sessions/sign-in.ts';
export type { StandaloneMethod, StandaloneMethods } from './sessions/sign-in-methods.ts';
export type { Proof } from './sessions/standalone-sign-in.ts';

/** The cookies of a sign-in, for later domains that sign people in. */
export const signInCookies = {
  refresh: refreshCookie,
  loginToken: loginTokenCookie,
  loginTokenName: LOGIN_TOKEN_COOKIE,
};

/** Accounts: registration, authentication, profiles and deletion. */
export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts(accountDeps: AccountDeps) {
  const deps: AccountContext = {
    ...accountDeps,
    passwords: createPasswords(accountDeps.clock.random, accountDeps.passwordCost),
    attempts: new Attempts(accountDeps),
  };
  return {
    identify: identify.bind(null, deps),
    identifyBySecondFactor: identifyBySecondFactor.bind(null, deps),
    login: login.bind(null, deps),
    proveSecondFactor: proveSecondFactor.bind(null, deps),
    enter: enter.bind(null, deps),
    prove: prove.bind(null, deps),
    loginByLink: loginByLink.bind(null, deps),
    identifyByToken: identifyByToken.bind(null, deps),
    issueLoginLink: issueLoginLink.bind(null, deps),
    issueLoginToken: (handle: WriteHandle, userId: UserId, page: string) => issueLoginToken(handle, deps, userId, page),
    signInStandalone: signInStandalone.bind(null, deps),
    signInOnPage: signInOnPage.bind(null, deps),
    /** Must be called in each transaction that takes a way to sign in away; locks the account. */
    takeRights: (handle: WriteHandle, userId: UserId) => rightsTaken(handle, deps, userId),
    requireProof: requireProof.bind(null, deps),
    stepUp: stepUp.bind(null, deps),
    countCodes: countCodes.bind(null, deps),
    register: register.bind(null, deps),
    bootstrap: bootstrap.bind(null, deps),
    createUser: createUser.bind(null, deps),
    setupToken: setupToken.bind(null, deps),
    refresh: refresh.bind(null, deps),
    findRefreshable: findRefreshable.bind(null, deps),
    authenticate: authenticate.bind(null, deps),
    recall: recall.bind(null, deps),
    logout: logout.bind(null, deps),
    sessionsOf: sessionsOf.bind(null, deps),
    endSession: endSession.bind(null, deps),
    endOtherSessions: endOtherSessions.bind(null, deps),
    changePassword: changePassword.bind(null, deps),
    resetPassword: resetPassword.bind(null, deps),
    issueReset: issueReset.bind(null, deps),
    forgotPassword: forgotPassword.bind(null, deps),
    signInSettings: signInSettings.bind(null, deps),
    requestConfirmation: requestConfirmation.bind(null, deps),
    confirmEmail: confirmEmail.bind(null, deps),
    confirmNamed: confirmNamed.bind(null, deps),
    inviteByMail: inviteByMail.bind(null, deps),
    mailRecipient: mailRecipient.bind(null, deps),
    prepareNotice: prepareNoticeFor.bind(null, deps),
    me: me.bind(null, deps),
    updateMe: updateMe.bind(null, deps),
    deleteMe: deleteMe.bind(null, deps),
    deleteUser: deleteUser.bind(null, deps),
    resumeDeletions: resumeDeletions.bind(null, deps),
    sendErasures: sendErasures.bind(null, deps),
    createInvite: createInvite.bind(null, deps),
    listInvites: listInvites.bind(null, deps),
    deleteInvite: deleteInvite.bind(null, deps),
    listUsers: listUsers.bind(null, deps),
    updateUser: updateUser.bind(null, deps),
    countAccounts: countAccounts.bind(null, deps),
    setPlan: setPlan.bind(null, deps),
    setSuspended: setSuspended.bind(null, deps),
    find: findUser.bind(null, deps),
    findByEmail: findByEmail.bind(null, deps),
    findJoinable: findJoinable.bind(null, deps),
    confirmVerified: (handle: WriteHandle, userId: UserId, email: string) =>
      confirmVerified(handle, deps, userId, email),
    signInMethodsOf: (handle: ReadHandle, userId: UserId) => signInMethodsOf(handle, deps, userId),
    findOwner: findOwner.bind(null, deps),
    openSession: openSession.bind(null, deps),
    /** Forgets attempts, networks, tickets and login tokens that no longer count. */
    async sweepSignIns() {
      await deps.attempts.sweep();
      await forgetNetworks(deps);
      await sweepTickets(deps);
      await sweepLoginTokens(deps);
    },
    secrets: createSecrets(deps),
    /** The form of an e-mail that is stored and compared; null when the text is not an e-mail. */
    canonicalEmail,
    /**
     * Locks the user's row until the end of the transaction, so that anything counted over all their vaults is decided
     * one at a time. Must be called before locking a vault. Throws `unauthorized` once the account is being erased.
     */
    async lockUser(handle: WriteHandle, userId: UserId): Promise<{ tier: string }> {
      const row = await handle.get(store.lockUser, { id: userId });
      if (row === undefined) throw new NotevaultError('unauthorized');
      return { tier: row.plan };
    },
  };
}

/** Passwords of things that are not accounts, such as public links. */
export type Secrets = ReturnType<typeof createSecrets>;

function createSecrets({ passwords, attempts }: Pick<AccountContext, 'passwords' | 'attempts'>) {
  return {
    /** Throws `password_too_long`. */
    async hash(password: string): Promise<string> {
      checkPasswordLength(password);
      return await passwords.hash(password);
    },
    /**
     * Returns whether a password is right. Attempts at a subject are counted over all processes, as those at an account
     * are. Throws `rate_limited`.
     */
    async verify(subject: string, password: string, encoded: string): Promise<boolean> {
      const uncount = await attempts.count([subject, PASSWORDS]);
      const isRight = await passwords.verify(password, encoded);
      if (isRight) await uncount();
      return isRight;
    },
  };
}
