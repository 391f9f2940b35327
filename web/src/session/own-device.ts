const STORED = 'notevault-device';

/** Whether this browser may keep anything of the account: what was said when signing in. */
export function isOwnDevice(): boolean {
  return localStorage.getItem(STORED) !== 'tab';
}

export function setOwnDevice(isOwn: boolean): void {
  localStorage.setItem(STORED, isOwn ? 'own' : 'tab');
}

/** Where what belongs to the account is remembered: for as long as the tab on a device of others. */
export function accountStorage(): Storage {
  return isOwnDevice() ? localStorage : sessionStorage;
}
