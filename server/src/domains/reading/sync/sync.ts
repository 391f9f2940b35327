import type { ChangesQuery, KnownNote, KnownNotesRequest } from '@notevault/protocol/sync.ts';
import { NIL_UUID, type Seq, type UserId, type VaultId } from '@notevault/protocol/values/ids.ts';
import { FairSemaphore } from '../../../concurrency/semaphore.ts';
import { currentTenant } from '../../../concurrency/tenant.ts';
import { LIST_READS } from '../../../config/limits.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import type { Database, WriteHandle } from '../../../ports/database/database.ts';
import type { Attachments } from '../../content/attachments/attachments.ts';
import type { Entries, ExpiredTombstone } from '../../content/entries/entries.ts';
import type { Links } from '../../content/links/links.ts';
import type { Notes } from '../../content/notes/notes.ts';
import type { ChangeFeeds, OpenVault, VaultCache, Vaults } from '../../content/vaults/vaults.ts';
import { changesPage, pageRequest } from './changes.ts';
import { createManifestQueries } from './manifest.ts';
import * as store from './sync.store.ts';

export interface SyncDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vaults: ChangeFeeds & Pick<Vaults, 'openAsSystem' | 'withActors'>;
  readonly cache: VaultCache;
  readonly notes: Notes;
  readonly attachments: Attachments;
  readonly entries: Entries;
  readonly links: Pick<Links, 'graphEdges' | 'danglingAfter'>;
  readonly tombstoneDays: number;
}

export type Sync = ReturnType<typeof createSync>;

/** Creates the operations by which clients follow a vault (docs/sync-spec.md). */
export function createSync(deps: SyncDeps) {
  const semaphore = new FairSemaphore(LIST_READS);
  return {
    ...createManifestQueries(deps, semaphore),
    /** Returns a page of changes. Throws `invalid_cursor`, `history_expired`, a validation error. */
    async changes(vault: OpenVault, query: ChangesQuery, device: string | null): Promise<readonly Buffer[]> {
      const request = pageRequest(query);
      return semaphore.run(currentTenant(), () => changesPage(deps, vault, request, device));
    },
    /** Returns which texts of a client the vault has or had at their paths: see `knownTexts`. */
    known: (vault: OpenVault, request: KnownNotesRequest): Promise<KnownNote[]> =>
      semaphore.run(currentTenant(), () => deps.notes.known(vault, request)),
    dropExpired: dropExpired.bind(null, deps),
    /** Forgets the devices of a person whom the vault is taken away from: tombstones need not wait for them. */
    async forgetPerson(handle: WriteHandle, user: UserId, vault: VaultId): Promise<void> {
      await handle.run(store.deleteDevicesOf, { vault_id: vault, user_id: user });
    },
    /** Deletes a purged vault's rows; true when more may be left. */
    purgeSlice: async (handle: WriteHandle, vault: VaultId) =>
      (await handle.run(store.purgeDevices, { vault_id: vault })) > 0,
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;
const PAGE = 500;
const BEFORE_FIRST = { deleted_at: 0, id: NIL_UUID };

/**
 * Drops expired tombstones, unless a recently seen device has not applied them: it would keep or restore entries
 * deleted elsewhere. Each step is a transaction that leaves the vault consistent, so the next run continues an
 * interrupted one. Resolves to the number dropped.
 */
async function dropExpired(deps: SyncDeps): Promise<number> {
  const since = deps.clock.now() - deps.tombstoneDays * DAY_MS;
  let dropped = 0;
  for (let after: Pick<ExpiredTombstone, 'deleted_at' | 'id'> = BEFORE_FIRST; ; ) {
    const page = await deps.entries.expired(since, after, PAGE);
    for (const [vaultId, tombstones] of Map.groupBy(page, (each) => each.vault_id)) {
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
