import { NotevaultError } from '@notevault/protocol/errors.ts';
import * as store from './accounts.store.ts';
import type { AccountParts } from './parts.ts';
import type { Passwords } from './passwords.ts';
import { type User, userOf } from './profile.ts';
import type { Tokens } from './refresh.ts';
import type { Sessions } from './sessions.ts';
import { canonicalEmail } from './tokens.ts';

export interface SignedIn extends Tokens {
  readonly user: User;
}

/** What a client sends to sign up or in, unchecked: whatever is wrong with the two first has one answer. */
export interface Credentials {
  readonly email?: unknown;
  readonly password?: unknown;
}

export interface SignIn {
  /** Throws `email_and_password_required`, `invalid_credentials`, `account_suspended`. */
  login(credentials: Credentials): Promise<SignedIn>;
}

export function createSignIn(
  { db, keys }: AccountParts,
  passwords: Passwords,
  sessions: Pick<Sessions, 'prepare'>,
): SignIn {
  return {
    async login({ email: sent, password: secret }) {
      const { email, password } = readCredentials(sent, secret);
      const row = await db.get(store.findUserByEmail, { email });
      const stored = row?.password_hash ?? null;
      const right = await passwords.verify(password, stored);
      if (row === undefined || !right) throw new NotevaultError('invalid_credentials');
      if (row.suspended_at !== null) throw new NotevaultError('account_suspended');
      const server = await keys.openServer();
      const session = await sessions.prepare();
      await db.transact(async (handle) => {
        // A password change revokes every session; one opened with the old password meanwhile must not escape it.
        const held = await handle.get(store.lockUser, { id: row.id });
        if (held?.password_hash !== stored) throw new NotevaultError('invalid_credentials');
        if (held.suspended_at !== null) throw new NotevaultError('account_suspended');
        await session.write(handle, row.id);
      });
      return { ...session.tokens, user: userOf(row, server) };
    },
  };
}

/** Throws `email_and_password_required`. */
export function readCredentials(email: unknown, password: unknown): { email: string; password: string } {
  const canonical = canonicalEmail(email);
  if (canonical === null || typeof password !== 'string' || password === '') {
    throw new NotevaultError('email_and_password_required');
  }
  return { email: canonical, password };
}
