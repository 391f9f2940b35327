import { type DeviceStore, openDeviceStore, openTabStore } from '../editor/device.ts';
import { session } from '../session/app-session.ts';
import { isOwnDevice } from '../session/own-device.ts';

const opened = new Map<string, DeviceStore>();

// In all tabs: the one that signs out removes what is kept, and nothing may come after that.
session.state.subscribe(() => {
  const state = session.state.get();
  if (state.status !== 'out' || state.reason !== 'signed-out') return;
  for (const store of opened.values()) store.end();
  opened.clear();
});

/**
 * The documents of an account in this browser; in this tab on a device of others, and where there is no IndexedDB, as in
 * some private windows.
 */
export function deviceStore(account: string): DeviceStore {
  const known = opened.get(account);
  if (known !== undefined) return known;
  const hasPlace = typeof indexedDB !== 'undefined' && isOwnDevice();
  const store = hasPlace ? openDeviceStore(indexedDB, () => Date.now(), account) : openTabStore();
  opened.set(account, store);
  return store;
}
