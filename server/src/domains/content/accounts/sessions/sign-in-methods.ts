import type { SignInMethod } from '@notevault/protocol/accounts.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle } from '../../../../ports/database/database.ts';
import type { AccountDeps } from '../accounts.ts';

/** A method that signs in by itself: without a password, and without a second factor of ours. */
export type StandaloneMethod = Extract<SignInMethod, 'passkey' | 'oidc'>;

/** The standalone methods of accounts, which a later domain stores. */
export interface StandaloneMethods {
  /** Returns the methods that an account can use. */
  of(handle: ReadHandle, userId: UserId): Promise<StandaloneMethod[]>;
  /** Returns the methods that the server offers to requests with a `Host` header. */
  offered(host: string | null): StandaloneMethod[];
}

/** Returns every proof of identity that an account has. */
export async function methodsOf(
  handle: ReadHandle,
  { hooks }: AccountDeps,
  userId: UserId,
  hasPassword: boolean,
): Promise<SignInMethod[]> {
  const standalone = await hooks.standalone.of(handle, userId);
  const factors = await hooks.secondFactors.methodsOf(handle, userId);
  return [...(hasPassword ? (['password'] as const) : []), ...standalone, ...factors];
}

/** Returns the methods with which a server that has accounts can be signed in to. */
export function offeredMethods({ hooks }: AccountDeps, host: string | null): SignInMethod[] {
  return ['password', ...hooks.standalone.offered(host)];
}
