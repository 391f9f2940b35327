import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import type { TrashRestored } from '@notevault/protocol/trash.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { LockedDeps, TrashedMeta, WriteContext } from '../entries.deps.ts';
import type { StoredEntry } from '../entries.store.ts';
import type { ItemKind } from '../entries.tables.ts';
import { clearEntry, purgeEntries } from './purge.ts';
import * as store from './trash.store.ts';
import { trashCursorOf, trashPositionOf } from './trash-cursor.ts';
import { trimTrashes } from './trim.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const PAGE = 100;
const NEWEST: store.TrashPosition = {
  deletedAt: Number.MAX_SAFE_INTEGER,
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

/** A deleted note or attachment that can be restored. Times are in milliseconds since 1970. */
export interface TrashedItem extends TrashedMeta {
  readonly id: string;
  readonly kind: ItemKind;
  readonly sizeBytes: number;
  readonly deletedAt: number;
  /** From then on it cannot be restored. */
  readonly expiresAt: number;
}

/** A page of the trash; `nextCursor` is null on the last one. */
export interface TrashedItems {
  readonly items: readonly TrashedItem[];
  readonly nextCursor: string | null;
}

/** Deleted notes and attachments that can be restored. */
export interface Trash {
  /**
   * Returns a page of the trash, what was deleted last first. Throws `invalid_cursor`, `note_unreadable`,
   * `attachment_unreadable`.
   */
  list(vault: OpenVault, cursor: string | undefined): Promise<TrashedItems>;
  /**
   * Makes a deleted note or attachment live again, with its id; at its last path, or at the given one. Throws
   * `trash_not_found`, `conflict`, `limit_exceeded`, and the errors of paths.
   */
  restore(context: WriteContext<TrashRestored>, id: string, path: unknown): Promise<TrashRestored>;
  rowById(handle: ReadHandle, vault: OpenVault, kind: ItemKind, id: string): Promise<StoredEntry | undefined>;
  /** Deletes the data of an entry in the trash for good; its tombstone remains. Throws `trash_not_found`. */
  purge(vault: OpenVault, id: string): Promise<void>;
  /**
   * Purges what was deleted first where a trash has more than its limits, and deletes what interrupted calls have left;
   * resolves to the number of entries purged.
   */
  trim(): Promise<number>;
}

export function createTrash(deps: LockedDeps): Trash {
  return {
    list: (vault, cursor) => listTrash(deps, vault, cursor),
    restore: (context, id, path) => restore(deps, context, id, path),
    async rowById(handle, vault, kind, id) {
      const row = await findTrashed(deps, handle, vault, id);
      return row?.kind === kind ? row : undefined;
    },
    purge: (vault, id) => purge(deps, vault, id),
    trim: () => trimTrashes(deps),
  };
}

async function listTrash(deps: LockedDeps, vault: OpenVault, cursor: string | undefined): Promise<TrashedItems> {
  const position = cursor === undefined ? NEWEST : trashPositionOf(vault, cursor);
  const rows = await deps.db.all(store.findTrashed, {
    ...position,
    vault: vault.id,
    since: expiredUntil(deps),
    limit: PAGE + 1,
  });
  const page = rows.slice(0, PAGE);
  const yieldIfDue = createYield();
  const items: TrashedItem[] = [];
  for (const row of page) {
    await yieldIfDue();
    items.push(itemOf(deps, vault, row));
  }
  const last = page.at(-1);
  const more = rows.length > PAGE && last !== undefined;
  return { items, nextCursor: more ? trashCursorOf(vault, { deletedAt: last.deleted_at, id: last.id }) : null };
}

function itemOf({ handlerOf, trashDays }: LockedDeps, vault: OpenVault, row: store.TrashedEntry): TrashedItem {
  const { path, title, actor } = handlerOf(row.kind).describeTrashed(vault, row);
  return {
    id: row.id,
    kind: row.kind,
    path,
    title,
    actor,
    sizeBytes: row.size_bytes,
    deletedAt: row.deleted_at,
    expiresAt: row.deleted_at + trashDays * DAY_MS,
  };
}

async function restore(
  deps: LockedDeps,
  context: WriteContext<TrashRestored>,
  id: string,
  sent: unknown,
): Promise<TrashRestored> {
  const path = sent ?? undefined;
  if (path !== undefined && typeof path !== 'string') throw invalid({ path: ['must be string'] });
  const { kind } = await trashed(deps, deps.db, context.vault, id);
  return deps.lock.run(context.vault.id, id, async () => {
    try {
      return await deps.handlerOf(kind).restore(context, id, path);
    } catch (error) {
      // When another process restored it meanwhile, it is the entry itself that is at the path.
      if (error instanceof NotevaultError && error.code === 'conflict') await trashed(deps, deps.db, context.vault, id);
      throw error;
    }
  });
}

async function purge(deps: LockedDeps, vault: OpenVault, id: string): Promise<void> {
  const { db, vaults } = deps;
  const { entry, more } = await db.transact(async (handle) => {
    if (!(await vaults.lockFeed(handle, vault.id))) throw new NotevaultError('vault_header_not_found');
    const entry = await trashed(deps, handle, vault, id);
    return { entry, more: await purgeEntries(deps, handle, vault.id, [entry]) };
  });
  if (more) await clearEntry(deps, vault.id, entry);
}

/** Returns an entry of the trash. Throws `trash_not_found`. */
async function trashed(
  deps: LockedDeps,
  handle: ReadHandle,
  vault: OpenVault,
  id: string,
): Promise<store.TrashedEntry> {
  const row = await findTrashed(deps, handle, vault, id);
  if (row === undefined) throw new NotevaultError('trash_not_found');
  return row;
}

function findTrashed(deps: LockedDeps, handle: ReadHandle, vault: OpenVault, id: string) {
  return handle.get(store.findTrashedById, { vault: vault.id, id, since: expiredUntil(deps) });
}

/** What was deleted until then cannot be restored, although its tombstone may be kept for longer. */
function expiredUntil({ clock, trashDays }: LockedDeps): number {
  return clock.now() - trashDays * DAY_MS;
}
