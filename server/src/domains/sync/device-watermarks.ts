import type { Seq } from '@notevault/protocol/values/ids.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import { type Database, DatabaseError, type WriteHandle } from '../../ports/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import * as store from './sync.store.ts';

const HOUR_MS = 60 * 60 * 1000;
/** Maximum number of devices per vault; a reinstalled client counts as a new device. */
const DEVICES_MAX = 1000;

/**
 * Records that a device has durably applied every change up to `watermark`. Written when the watermark moved or the
 * last record is an hour old. Beyond DEVICES_MAX, the devices not seen for the longest time are removed.
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
  try {
    await db.transact(async (handle) => {
      await handle.run(store.putDevice, { vault: vault.id, device, watermark, now });
      if (known === undefined) await deleteOldest(handle, vault);
    });
  } catch (error) {
    // On a full disk the feed can still be read: an older watermark only keeps tombstones for longer.
    if (!(error instanceof DatabaseError && error.full)) throw error;
  }
}

async function deleteOldest(handle: WriteHandle, vault: OpenVault): Promise<void> {
  for (const { device_key: device } of await handle.all(store.findOldDevices, { vault: vault.id, kept: DEVICES_MAX })) {
    await handle.run(store.deleteDevice, { vault: vault.id, device });
  }
}
