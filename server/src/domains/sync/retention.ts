import type { Seq, VaultId } from '@notevault/protocol/ids.ts';
import type { Expired, Expiring, SyncParts } from './parts.ts';
import * as store from './sync.store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const PAGE = 500;
/** Lists at rest go before the tombstones of what is in them: they are written soon after they are read, if not at once. */
const LISTS_MS = 60 * 60 * 1000;
const BEFORE_ALL = { deletedAt: 0, id: '00000000-0000-0000-0000-000000000000' };

/**
 * Drops tombstones past their time, but for those that a device seen within that time has not applied: it would keep, or
 * bring back, what was deleted elsewhere. Each step is a transaction of its own that leaves the vault whole, so a run that
 * is cut short is simply gone on with by the next. Resolves to how many it dropped.
 */
export async function dropExpired(parts: SyncParts, kinds: readonly Expiring[]): Promise<number> {
  const since = parts.clock.now() - parts.tombstoneDays * DAY_MS;
  await parts.hot.dropPages(since + LISTS_MS);
  let dropped = 0;
  for (const kind of kinds) {
    for (let after: Pick<Expired, 'deletedAt' | 'id'> = BEFORE_ALL; ; ) {
      const page = await kind.expired(since, after, PAGE);
      for (const [vaultId, tombstones] of Map.groupBy(page, (each) => each.vaultId)) {
        dropped += await dropOf(parts, kind, vaultId, tombstones, since);
      }
      const last = page.at(-1);
      if (page.length < PAGE || last === undefined) break;
      after = last;
    }
  }
  return dropped;
}

async function dropOf(
  { db, vaults }: SyncParts,
  kind: Expiring,
  vaultId: VaultId,
  tombstones: readonly Expired[],
  since: number,
): Promise<number> {
  let dropped = 0;
  for (let left = tombstones; ; ) {
    const slice = await db.transact(async (handle) => {
      if (!(await vaults.holdFeed(handle, vaultId))) return { dropped: [], more: false };
      const lowest = await handle.get(store.findLowestWatermark, { vault: vaultId, since });
      const applied = left.filter(({ seq }) => seq <= (lowest?.watermark ?? Infinity));
      const slice = await kind.dropExpired(handle, vaultId, applied);
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
