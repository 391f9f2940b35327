import type { Seq, VaultId } from '@notevault/protocol/ids.ts';
import type { ExpiredTombstone } from '../entries/entries.ts';
import type { SyncDeps } from './sync.deps.ts';
import * as store from './sync.store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const PAGE = 500;
/** Persisted lists go before the tombstones of what is in them: they are written soon after they are read, if not at once. */
const PAGES_MAX_MS = 60 * 60 * 1000;
const BEFORE_FIRST = { deletedAt: 0, id: '00000000-0000-0000-0000-000000000000' };

/**
 * Drops tombstones past their time, but for those that a device seen within that time has not applied: it would keep, or
 * bring back, what was deleted elsewhere. Each step is a transaction of its own that leaves the vault whole, so a run that
 * is cut short is simply gone on with by the next. Resolves to how many it dropped.
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
