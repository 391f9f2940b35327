import { NIL_UUID, type Seq, type VaultId } from '@notevault/protocol/values/ids.ts';
import type { ExpiredTombstone } from '../entries/entries.ts';
import * as store from './sync.store.ts';
import type { SyncDeps } from './sync.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const PAGE = 500;
/**
 * Persisted lists are dropped before the tombstones of their entries: a list is written soon after it is read, though
 * not always at once.
 */
const PAGES_MAX_MS = 60 * 60 * 1000;
const BEFORE_FIRST = { deletedAt: 0, id: NIL_UUID };

/**
 * Drops expired tombstones, except those that a recently seen device has not applied: that device would keep or restore
 * what was deleted elsewhere. Each step is a transaction that leaves the vault consistent, so the next run continues an
 * interrupted one. Resolves to the number dropped.
 */
export async function dropExpired(deps: SyncDeps): Promise<number> {
  const since = deps.clock.now() - deps.tombstoneDays * DAY_MS;
  await deps.cache.deletePagesBefore(since + PAGES_MAX_MS);
  let dropped = 0;
  for (let after: Pick<ExpiredTombstone, 'deletedAt' | 'id'> = BEFORE_FIRST; ; ) {
    const page = await deps.entries.expired(since, after, PAGE);
    for (const [vaultId, tombstones] of Map.groupBy(page, (each) => each.vaultId)) {
      dropped += await dropOf(deps, vaultId, tombstones, since);
    }
    const last = page.at(-1);
    if (page.length < PAGE || last === undefined) return dropped;
    after = last;
  }
}

async function dropOf(
  { db, vaults, entries }: SyncDeps,
  vaultId: VaultId,
  tombstones: readonly ExpiredTombstone[],
  since: number,
): Promise<number> {
  let dropped = 0;
  for (let left = tombstones; ; ) {
    const slice = await db.transact(async (handle) => {
      if (!(await vaults.lockFeed(handle, vaultId))) return { dropped: [], more: false };
      const lowest = await handle.get(store.findLowestWatermark, { vault: vaultId, since });
      const applied = left.filter(({ seq }) => seq <= (lowest?.watermark ?? Infinity));
      const slice = await entries.dropExpired(handle, vaultId, applied);
      const highest = Math.max(0, ...slice.dropped.map(({ seq }) => seq));
      if (highest > 0) await vaults.raiseFloor(handle, vaultId, highest as Seq);
      return slice;
    });
    dropped += slice.dropped.length;
    if (!slice.more) return dropped;
    const gone = new Set(slice.dropped.map(({ id }) => id));
    left = left.filter(({ id }) => !gone.has(id));
  }
}
