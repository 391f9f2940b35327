import type { SignInMethod } from '@notevault/protocol/accounts.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle } from '../../../../ports/database/database.ts';
import * as store from '../accounts.store.ts';
import type { Role, UserRow } from '../accounts.tables.ts';
import type { AccountDeps } from '../accounts.ts';

/** A method that signs in by itself: without a password, and without a second factor of ours. */
export type StandaloneMethod = Extract<SignInMethod, 'passkey' | 'oidc'>;

/** The standalone methods of accounts, which a later domain stores. */
export interface StandaloneMethods {
  /** Returns the methods that an account can use. */
  of(handle: ReadHandle, userId: UserId): Promise<StandaloneMethod[]>;
  /** Returns the methods that the server offers to requests with a `Host` header. */
  offered(host: string | null): StandaloneMethod[];
  /** The name of the OpenID Connect provider; null without one. */
  readonly providerName: string | null;
}

/** The accounts that may sign in with a password: all, none, or admins. */
export type PasswordLogin = 'on' | 'off' | 'admin';

/** Throws `password_login_off` if an account may not use its password. */
export function requirePasswordLogin(deps: Pick<AccountDeps, 'passwordLogin'>, { role }: Pick<UserRow, 'role'>): void {
  if (!mayUsePassword(deps, role)) throw new NotevaultError('password_login_off');
}

export function mayUsePassword({ passwordLogin }: Pick<AccountDeps, 'passwordLogin'>, role: Role): boolean {
  return passwordLogin === 'on' || (passwordLogin === 'admin' && role === 'admin');
}

/** Returns whether an account has a password with which it may sign in. */
export function hasPassword(
  deps: Pick<AccountDeps, 'passwordLogin'>,
  { role, password_hash }: Pick<UserRow, 'role' | 'password_hash'>,
): boolean {
  return password_hash !== null && mayUsePassword(deps, role);
}

/** Returns every proof of identity that an account has. */
export async function methodsOf(
  handle: ReadHandle,
  deps: AccountDeps,
  user: Pick<UserRow, 'id' | 'role' | 'password_hash'>,
): Promise<SignInMethod[]> {
  const standalone = await deps.hooks.standalone.of(handle, user.id);
  const factors = await deps.hooks.secondFactors.methodsOf(handle, user.id);
  return [...(hasPassword(deps, user) ? (['password'] as const) : []), ...standalone, ...factors];
}

/** Returns the methods by which an account can sign in, without those that only complete a password. */
export async function signInMethodsOf(handle: ReadHandle, deps: AccountDeps, userId: UserId): Promise<SignInMethod[]> {
  const user = await handle.get(store.findUser, { id: userId });
  const methods: SignInMethod[] = await deps.hooks.standalone.of(handle, userId);
  return user !== undefined && hasPassword(deps, user) ? ['password', ...methods] : methods;
}

/** Returns the methods with which a server that has accounts can be signed in to. */
export function offeredMethods({ hooks, passwordLogin }: AccountDeps, host: string | null): SignInMethod[] {
  return [...(passwordLogin === 'off' ? [] : (['password'] as const)), ...hooks.standalone.offered(host)];
}
