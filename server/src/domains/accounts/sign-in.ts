import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId } from '@notevault/protocol/ids.ts';
import { networkOf } from '@notevault/protocol/ip-network.ts';
import type { AccountDeps } from './accounts.deps.ts';
import * as store from './accounts.store.ts';
import { canonicalEmail } from './emails.ts';
import type { LoginThrottle } from './login-throttle.ts';
import type { Passwords } from './passwords.ts';
import { type User, userOf } from './profile.ts';
import type { Tokens } from './refresh-tokens.ts';
import { networkMacOf, type Sessions } from './sessions.ts';

export interface SignedIn extends Tokens {
  readonly user: User;
}

/** What a client sends to sign up or in, unchecked: whatever is wrong with the two first has one answer. */
export interface Credentials {
  readonly email?: unknown;
  readonly password?: unknown;
}

export interface SignIn {
  /**
   * @param address where the attempt comes from; null when that is nowhere.
   * Throws `email_and_password_required`, `invalid_credentials`, `account_suspended`, `rate_limited`.
   */
  login(credentials: Credentials, address?: string | null): Promise<SignedIn>;
  /** Whose credentials these are, without a session; throws as `login` does. */
  identify(credentials: Credentials, address?: string | null): Promise<{ id: UserId; email: string }>;
}

export function createSignIn(
  { db, keys }: AccountDeps,
  passwords: Passwords,
  throttle: LoginThrottle,
  sessions: Pick<Sessions, 'prepare'>,
): SignIn {
  async function check({ email: sent, password: secret }: Credentials, address: string | null = null) {
    const { email, password } = readCredentials(sent, secret);
    const server = await keys.openServer();
    const row = await db.get(store.findUserByEmail, { email });
    // Where the account is signed in already, guesses count apart: nobody elsewhere can use them up.
    const network = address === null ? null : networkOf(address);
    const networkMac = network === null ? NO_MAC : networkMacOf(server, network);
    const known = await db.get(store.findKnownNetwork, { userId: row?.id ?? DUMMY_USER, networkMac });
    const refund = throttle.recordAttempt({ account: known === undefined ? email : `${email} ${network}`, network });
    const right = await passwords.verify(password, row?.password_hash ?? null);
    if (row === undefined || !right) throw new NotevaultError('invalid_credentials');
    refund();
    if (row.suspended_at !== null) throw new NotevaultError('account_suspended');
    return row;
  }

  return {
    async identify(credentials, address = null) {
      const { id, email } = await check(credentials, address);
      return { id, email };
    },
    async login(credentials, address = null) {
      const row = await check(credentials, address);
      const server = await keys.openServer();
      const session = await sessions.prepare(address);
      await db.transact(async (handle) => {
        // A password change revokes every session; one opened with the old password meanwhile must not escape it.
        const held = await handle.get(store.lockUser, { id: row.id });
        if (held?.password_hash !== row.password_hash) throw new NotevaultError('invalid_credentials');
        if (held.suspended_at !== null) throw new NotevaultError('account_suspended');
        await session.write(handle, row.id);
      });
      return { ...session.tokens, user: userOf(row, server) };
    },
  };
}

/** The nil UUID: nobody has it. */
const DUMMY_USER = '00000000-0000-0000-0000-000000000000' as UserId;
const NO_MAC = Buffer.alloc(0);

/** Throws `email_and_password_required`. */
export function readCredentials(email: unknown, password: unknown): { email: string; password: string } {
  const canonical = canonicalEmail(email);
  if (canonical === null || typeof password !== 'string' || password === '') {
    throw new NotevaultError('email_and_password_required');
  }
  return { email: canonical, password };
}
