import type { User } from '@notevault/protocol/accounts.ts';
import { keys } from '../data/keys.ts';
import { queryClient } from '../data/query-client.ts';
import { session } from '../session/app-session.ts';
import { BROWSERS_OWN, openedOutbox, wipeBrowser } from './wipe.ts';

/** The account that is signed in, as far as it is known. */
export function accountId(): string | undefined {
  return queryClient.getQueryData<User>(keys.me)?.id;
}

/** Ends the session in all tabs, and removes the account's data from this browser. */
export async function signOut(): Promise<void> {
  // Known no longer when the session has ended.
  const account = accountId();
  const kept = Object.entries(localStorage);
  await session.signOut((await isNothingUnsent(account)) ? '?clear=true' : '');
  await wipeBrowser(account);
  for (const [name, value] of kept) if (BROWSERS_OWN.has(name)) localStorage.setItem(name, value);
}

/** Whether no account and no tab has edits that the server has not, so that the browser may clear everything. */
async function isNothingUnsent(account: string | undefined): Promise<boolean> {
  const [{ deviceStore }, { hasUnkept }, { countUnsent }] = await Promise.all([
    import('./device-store.ts'),
    import('./unkept.ts'),
    import('./count-unsent.ts'),
  ]);
  if (account === undefined || (await hasUnkept())) return false;
  const store = deviceStore(account);
  const outbox = await openedOutbox(account);
  const waiting = await Promise.all([store.hasOthers(), outbox?.hasOthers()]).catch(() => [true]);
  return (await countUnsent(account)) === 0 && !waiting.includes(true);
}
