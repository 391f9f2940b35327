import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../ports/database/database.ts';
import * as store from './accounts.store.ts';
import type { AccountDeps } from './accounts.ts';

const BATCH = 100;

/**
 * Sends the requests to erase people from the analytics tool that wait; resolves to the number accepted. Rejects with
 * the sink's error for the first that was not, which is sent again the next time.
 */
export async function sendErasures({ db, analytics }: AccountDeps): Promise<number> {
  if (analytics === null) return 0;
  for (let sent = 0; ; ) {
    const rows = await db.all(store.findErasures, { limit: BATCH });
    for (const erasure of rows) {
      await analytics.erase(erasure.analytics_id);
      await db.transact((handle) => handle.run(store.deleteErasure, erasure));
      sent += 1;
    }
    if (rows.length < BATCH) return sent;
  }
}

/** Stores the erase request in the transaction that makes it necessary; does nothing if no analytics are sent. */
export async function requestErasure(
  handle: WriteHandle,
  { analytics, clock }: AccountDeps,
  { userId, analyticsId }: { userId: UserId; analyticsId: string },
): Promise<void> {
  if (analytics !== null) await handle.run(store.putErasure, { userId, analyticsId, now: clock.now() });
}
