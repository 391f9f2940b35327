import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { EventSink } from '../../events.ts';
import type { AnalyticsSink } from '../../ports/analytics/analytics.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Database, ReadHandle, WriteHandle } from '../../ports/database/database.ts';
import type { Keys } from '../keys/keys.ts';
import type { PlanTable } from '../plans/plans.ts';
import { type AccountDeletion, createAccountDeletion } from './account-deletion.ts';
import * as store from './accounts.store.ts';
import { type AccountAdmin, createAccountAdmin } from './admin.ts';
import { type AnalyticsErasure, createAnalyticsErasure } from './analytics-erasure.ts';
import { canonicalEmail } from './emails.ts';
import { createInvites, type Invites } from './invites.ts';
import { createPasswordReset, type PasswordReset } from './password-reset.ts';
import { createPasswords, type PasswordCost } from './passwords.ts';
import { createProfile, type Profile } from './profile.ts';
import { createRegistration, type Registration } from './registration.ts';
import { createLoginThrottle } from './sessions/login-throttle.ts';
import { createRefreshTokens, type RefreshTokens } from './sessions/refresh-tokens.ts';
import { createSessionList, type SessionList } from './sessions/session-list.ts';
import { createSessions, type Sessions } from './sessions/sessions.ts';
import { createSignIn, type SignIn } from './sessions/sign-in.ts';
import { createSetupToken, type SetupToken } from './setup-token.ts';
import { createUserAdmin, type UserAdmin } from './user-admin.ts';

/** Effects of accounts in later domains; bound in app/. */
export interface AccountHooks {
  /**
   * Erases what the user owns in other domains: keys first, then rows and blobs. Called until it resolves, also after a
   * crash, so it must continue where it stopped.
   */
  erasing(userId: UserId): Promise<void>;
  /** The vaults of an account that others have too: it cannot be closed before they were handed over. */
  sharedVaultsOf(handle: ReadHandle, userId: UserId): Promise<VaultId[]>;
  /** Adds the names of vaults, for their owner. */
  named(ids: readonly VaultId[]): Promise<{ readonly id: VaultId; readonly name: string }[]>;
  /**
   * What an invitation to a vault lets somebody with this e-mail join by registering; null for what is no such
   * invitation. Throws `invite_invalid`.
   */
  joining(invite: string, email: string): Promise<Joining | null>;
}

/** Makes an account that is being registered a member; throws `invite_invalid` if that has become impossible. */
export type Joining = (handle: WriteHandle, userId: UserId) => Promise<void>;

/** The injected dependencies of the domain. */
export interface AccountDeps {
  readonly db: Database;
  readonly keys: Keys;
  readonly clock: Clock;
  /** Who may register after the first account. */
  readonly registration: 'open' | 'invite_only' | 'closed';
  readonly plans: PlanTable;
  readonly defaultPlan: string;
  /** Erases people from the analytics tool; null if no analytics are sent. */
  readonly analytics: Pick<AnalyticsSink, 'erase'> | null;
  /** Cost of new password hashes; the cost for production by default. */
  readonly passwordCost?: PasswordCost;
  readonly hooks: AccountHooks;
  readonly events: EventSink;
}

/** Accounts: registration, authentication, profiles and deletion. */
export interface Accounts
  extends SignIn,
    RefreshTokens,
    Registration,
    Invites,
    UserAdmin,
    SetupToken,
    SessionList,
    PasswordReset,
    Profile,
    AnalyticsErasure,
    AccountDeletion,
    AccountAdmin,
    Omit<Sessions, 'prepare'> {
  /**
   * Locks the user's row until the end of the transaction, so that anything counted over all their vaults is decided
   * one at a time. Must be called before locking a vault. Throws `unauthorized` once the account is being erased.
   */
  lockUser(handle: WriteHandle, userId: UserId): Promise<{ tier: string }>;
  /** The form of an e-mail that is stored and compared; null when the text is not an e-mail. */
  canonicalEmail(text: unknown): string | null;
}

export type { Invite } from './invites.ts';
export type { ListedUser, UserChange } from './user-admin.ts';

export function createAccounts(deps: AccountDeps): Accounts {
  const passwords = createPasswords(deps.clock.random, deps.passwordCost);
  const throttle = createLoginThrottle(deps.clock);
  const { prepare, ...sessions } = createSessions(deps);
  return {
    ...sessions,
    ...createSignIn(deps, passwords, throttle, { prepare }),
    ...createRegistration(deps, passwords, { prepare }),
    ...createRefreshTokens(deps),
    ...createSetupToken(deps),
    ...createInvites(deps),
    ...createUserAdmin(deps),
    ...createSessionList(deps),
    ...createPasswordReset(deps, passwords, throttle),
    ...createAccountAdmin(deps, { prepare }),
    ...createProfile(deps),
    ...createAnalyticsErasure(deps),
    ...createAccountDeletion(deps, passwords, throttle),
    canonicalEmail,
    async lockUser(handle, userId) {
      const row = await handle.get(store.lockUser, { id: userId });
      if (row === undefined) throw new NotevaultError('unauthorized');
      return { tier: row.plan };
    },
  };
}
