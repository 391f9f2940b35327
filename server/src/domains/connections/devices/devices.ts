import type { ConnectionDepsWithUsage } from '../connections.deps.ts';
import * as store from './device.store.ts';
import { createDeviceAuthorization, type DeviceAuthorization } from './device-authorization.ts';
import { createDevicePage, type DevicePage } from './device-page.ts';
import { createDeviceTokens, type DeviceTokens } from './device-tokens.ts';

const SWEEP_BATCH = 500;

/** Devices: how they are let into a vault, and what they can do there. */
export interface Devices extends DeviceAuthorization, DevicePage, Omit<DeviceTokens, 'admit' | 'end'> {
  /** Forgets links that nobody finished and ends devices that were away too long. */
  sweep(): Promise<void>;
}

export function createDevices(parts: ConnectionDepsWithUsage): Devices {
  const { db, clock } = parts;
  const { admit, end, ...tokens } = createDeviceTokens(parts);

  async function endSome(until: number): Promise<boolean> {
    const families = await db.all(store.findExpiredFamilies, { until, limit: SWEEP_BATCH });
    await db.transact(async (handle) => {
      for (const family of families) await end(handle, family);
    });
    return families.length === SWEEP_BATCH;
  }

  const link = createDeviceAuthorization(parts, admit);
  return {
    ...link,
    ...createDevicePage(parts, link),
    ...tokens,
    async sweep() {
      const now = clock.now();
      const limit = SWEEP_BATCH;
      while ((await db.transact((handle) => handle.run(store.deleteExpiredLinks, { now, limit }))) === limit);
      while (await endSome(now));
    },
  };
}
