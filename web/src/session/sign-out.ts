import { session } from './app-session.ts';
import { wipeBrowser } from './wipe.ts';

/** Ends the session in all tabs, and removes what this browser kept of the account. */
export async function signOut(): Promise<void> {
  await session.signOut();
  await wipeBrowser();
}
