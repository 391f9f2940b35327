import { type DeviceStore, openDeviceStore } from '../editor/device.ts';

let opened: { readonly account: string; readonly store: DeviceStore } | null = null;

/** The documents of an account in this browser; null where it has no IndexedDB, as in some private windows. */
export function deviceStore(account: string): DeviceStore | null {
  if (typeof indexedDB === 'undefined') return null;
  if (opened?.account !== account) {
    opened = { account, store: openDeviceStore(indexedDB, () => Date.now(), account) };
  }
  return opened.store;
}
