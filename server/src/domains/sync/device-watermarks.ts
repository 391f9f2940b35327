import type { Seq } from '@notevault/protocol/ids.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Database, WriteHandle } from '../../ports/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import * as store from './sync.store.ts';

const HOUR_MS = 60 * 60 * 1000;
/** A vault's devices; an installation that is set up anew comes as another one. */
export const DEVICES_MAX = 1000;

/**
 * Keeps that a device has durably applied every change up to `watermark`: written when that moved, or when the device was
 * last heard of an hour ago. Beyond DEVICES_MAX the ones not seen for longest are forgotten.
 */
export async function recordWatermark(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  vault: OpenVault,
  deviceId: string,
  watermark: Seq,
): Promise<void> {
  const device = vault.key.blind('device', deviceId);
  const now = clock.now();
  const known = await db.get(store.findDevice, { vault: vault.id, device });
  if (known?.watermark === watermark && Math.abs(now - known.seen_at) < HOUR_MS) return;
  await db.transact(async (handle) => {
    await handle.run(store.putDevice, { vault: vault.id, device, watermark, now });
    if (known === undefined) await deleteOldest(handle, vault);
  });
}

async function deleteOldest(handle: WriteHandle, vault: OpenVault): Promise<void> {
  for (const { device_key: device } of await handle.all(store.findOldDevices, { vault: vault.id, kept: DEVICES_MAX })) {
    await handle.run(store.deleteDevice, { vault: vault.id, device });
  }
}
