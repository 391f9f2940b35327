import { beginFeedEpochs } from '../../domains/content/vaults/vaults.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import { recordRestored } from '../take/lease.ts';
import * as store from './prepare-restored.store.ts';

/**
 * Prepares restored data for serving: clients read their vaults again, because they may know later writes, and all
 * sessions end, because some may have been ended since the backup.
 *
 * @param revokeCredentials ends keys, devices, applications, invitations to vaults and public links too.
 * @param takenAt of the backup; null for a restore point.
 */
export async function prepareRestored(
  db: Database,
  clock: Clock,
  revokeCredentials: boolean,
  takenAt: number | null = null,
): Promise<void> {
  await db.transact((handle) => beginFeedEpochs(handle, clock), 'bulk');
  await recordRestored(db, takenAt);
  await db.transact(async (handle) => {
    await handle.run(store.endSessions, {});
    for (const end of store.endOneTimeCredentials) await handle.run(end, {});
    if (!revokeCredentials) return;
    await handle.run(store.endConnections, {});
    await handle.run(store.endInvitations, {});
    await handle.run(store.endPublicLinks, {});
  }, 'bulk');
}
