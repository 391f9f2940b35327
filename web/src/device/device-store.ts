import { type DeviceStore, openDeviceStore, openTabStore } from '../editor/device.ts';

const opened = new Map<string, DeviceStore>();

/** The documents of an account in this browser; in this tab where that has no IndexedDB, as in some private windows. */
export function deviceStore(account: string): DeviceStore {
  const known = opened.get(account);
  if (known !== undefined) return known;
  const hasPlace = typeof indexedDB !== 'undefined';
  const store = hasPlace ? openDeviceStore(indexedDB, () => Date.now(), account) : openTabStore();
  opened.set(account, store);
  return store;
}
