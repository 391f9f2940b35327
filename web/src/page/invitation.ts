import { BASE } from '../platform/base.ts';

/** Page of an invitation to a vault. The token is in the fragment, which browsers do not send. */
export const INVITATION_PATH = `${BASE}invite`;
/** Key of the invitation in the tab's storage; it survives signing in and out. */
export const STORED_INVITATION = 'notevault-invitation';

let known: string | null = null;
let isWanted = false;

/**
 * The token of the invitation that this tab was opened with; null without one. It is taken out of the address, so that
 * it does not stay in the history of the browser.
 */
export function takeInvitation(): string | null {
  if (location.pathname !== INVITATION_PATH) return null;
  const token = location.hash.slice(1);
  if (token !== '') {
    known = token;
    isWanted = false;
    sessionStorage.setItem(STORED_INVITATION, token);
    history.replaceState(history.state, '', INVITATION_PATH);
  }
  known ??= sessionStorage.getItem(STORED_INVITATION);
  return known;
}

/** Records that somebody signs in to accept the invitation: then it is not asked again. */
export function wantInvitation(): void {
  isWanted = true;
}

/** Whether to accept it at once; asked once. */
export function takeWish(): boolean {
  const was = isWanted;
  isWanted = false;
  return was;
}

/** Forgets it: it was accepted, or is not wanted. */
export function forgetInvitation(): void {
  known = null;
  isWanted = false;
  sessionStorage.removeItem(STORED_INVITATION);
}
