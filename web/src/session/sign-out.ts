import type { User } from '@notevault/protocol/accounts.ts';
import { keys } from '../data/keys.ts';
import { queryClient } from '../data/query-client.ts';
import { session } from './app-session.ts';
import { wipeBrowser } from './wipe.ts';

/** The account that is signed in, as far as it is known. */
export function accountId(): string | undefined {
  return queryClient.getQueryData<User>(keys.me)?.id;
}

/** Ends the session in all tabs, and removes what this browser kept of the account. */
export async function signOut(): Promise<void> {
  // Known no longer when the session has ended.
  const account = accountId();
  await session.signOut();
  await wipeBrowser(account);
}
