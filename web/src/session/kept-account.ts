import { isOwnDevice } from './own-device.ts';

const STORED = 'notevault-account';
/** As long as the server goes on with a session that is not used. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** The account whose notes this device opens while the server is away: the one that was signed in last; null if none is. */
export function keptAccount(): string | null {
  const [id = '', seenAt] = (isOwnDevice() ? (localStorage.getItem(STORED) ?? '') : '').split(' ');
  return id !== '' && Date.now() - Number(seenAt) < KEPT_MS ? id : null;
}

/** Records who is signed in; on a device of others, nothing. */
export function keepAccount(id: string): void {
  if (isOwnDevice()) localStorage.setItem(STORED, `${id} ${Date.now()}`);
}

/** Forgets the account, because the session ended: this device opens nothing offline any more. */
export function forgetAccount(): void {
  localStorage.removeItem(STORED);
}
