import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId, VaultId } from '@notevault/protocol/ids.ts';
import type { WriteHandle } from '../../engines/database/database.ts';
import * as store from './accounts.store.ts';
import { createErasure, type Erasure } from './erasure.ts';
import { createGuesses } from './guesses.ts';
import { createObjections, type Objections } from './objections.ts';
import { createOperator, type Operator } from './operator.ts';
import type { AccountParts } from './parts.ts';
import { createPasswords } from './passwords.ts';
import { createProfile, type Profile } from './profile.ts';
import { createRecovery, type Recovery } from './recovery.ts';
import { createRefreshing, type Refreshing } from './refresh.ts';
import { createRegistration, type Registration } from './registration.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createSignIn, type SignIn } from './sign-in.ts';

/** Who calls, by which credential. */
export interface Principal {
  readonly kind: 'session' | 'key' | 'oauth' | 'device';
  readonly userId: UserId;
  /** The credential's own id (a session, a key, a grant). */
  readonly credentialId: string;
  /** What people call the credential; kept beside the versions it makes. */
  readonly name: string;
  /** The plan of the account. */
  readonly tier: string;
  /** What a credential other than a session reaches, its scope counted in; sessions reach everything. */
  readonly reach?: Reach;
}

export type Level = 'none' | 'read' | 'write';

/** Access levels by vault. */
export interface Reach {
  readonly vaults: ReadonlyMap<VaultId, Level>;
  /** On every other vault, also ones made later; `write` lets the credential make some. */
  readonly elsewhere: Level;
}

/** Accounts: who there is, how they prove it, and what becomes of them. */
export interface Accounts
  extends SignIn,
    Refreshing,
    Registration,
    Recovery,
    Profile,
    Objections,
    Erasure,
    Operator,
    Omit<Sessions, 'prepare'> {
  /**
   * Holds the user's row until the end of the transaction, so that what counts over all their vaults is decided one at
   * a time. Taken before any lock on a vault. Throws `unauthorized` once the account is being erased.
   */
  lockUser(handle: WriteHandle, userId: UserId): Promise<{ tier: string }>;
}

export function createAccounts(parts: AccountParts): Accounts {
  const passwords = createPasswords(parts.clock.random, parts.passwordCost);
  const guesses = createGuesses(parts.clock);
  const { prepare, ...sessions } = createSessions(parts);
  return {
    ...sessions,
    ...createSignIn(parts, passwords, guesses, { prepare }),
    ...createRegistration(parts, passwords, { prepare }),
    ...createRefreshing(parts),
    ...createRecovery(parts, passwords, guesses),
    ...createOperator(parts, { prepare }),
    ...createProfile(parts),
    ...createObjections(parts),
    ...createErasure(parts, passwords, guesses),
    async lockUser(handle, userId) {
      const row = await handle.get(store.lockUser, { id: userId });
      if (row === undefined) throw new NotevaultError('unauthorized');
      return { tier: row.plan };
    },
  };
}
