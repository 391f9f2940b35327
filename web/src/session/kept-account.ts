import { isOwnDevice } from './own-device.ts';

const STORED = 'notevault-account';
/** Lifetime of an unused session on the server. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Returns the account whose notes open offline: the one signed in last; null without one. */
export function keptAccount(): string | null {
  const [id = '', seenAt] = (isOwnDevice() ? (localStorage.getItem(STORED) ?? '') : '').split(' ');
  return id !== '' && Date.now() - Number(seenAt) < KEPT_MS ? id : null;
}

/** Records the signed-in account; on a shared device, nothing. */
export function keepAccount(id: string): void {
  if (isOwnDevice()) localStorage.setItem(STORED, `${id} ${Date.now()}`);
}

/** Forgets the account, because the session ended: this device opens nothing offline any more. */
export function forgetAccount(): void {
  localStorage.removeItem(STORED);
}
