const STORED = 'notevault-device';

/** Whether this browser may keep the account's data, as answered at sign-in. */
export function isOwnDevice(): boolean {
  return localStorage.getItem(STORED) !== 'tab';
}

export function setOwnDevice(isOwn: boolean): void {
  localStorage.setItem(STORED, isOwn ? 'own' : 'tab');
}

/** Returns the storage for the account's data; on a shared device it lasts as long as the tab. */
export function accountStorage(): Storage {
  return isOwnDevice() ? localStorage : sessionStorage;
}
