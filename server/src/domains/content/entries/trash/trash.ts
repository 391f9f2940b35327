import { timingSafeEqual } from 'node:crypto';
import { normalizePath, PathError } from '@notevault/note-text/paths.ts';
import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import type { TrashPage, TrashQuery, TrashRestored } from '@notevault/protocol/trash.ts';
import { NIL_UUID, type VaultId } from '@notevault/protocol/values/ids.ts';
import { isoTime } from '@notevault/protocol/values/time.ts';
import { createYield } from '../../../../concurrency/yield.ts';
import type { ReadHandle, WriteHandle } from '../../../../ports/database/database.ts';
import type { OpenVault, TrashContents } from '../../vaults/vaults.ts';
import type { EntryDeps, LockedDeps, WriteContext } from '../entries.deps.ts';
import type { StoredEntry } from '../entries.store.ts';
import type { ItemKind } from '../entries.tables.ts';
import { pathKeyOf } from '../namespace/path-lookup.ts';
import { firstBytes, SLICE_ROWS } from '../row-slices.ts';
import { contentsOf, type Excess, excessOf, limitsOf } from './limits.ts';
import { clearEntry, clearPurged, type EntryToPurge, purgeEntries } from './purge.ts';
import type { TrashPosition } from './trash.store.ts';
import * as store from './trash.store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const NEWEST: store.TrashPosition = {
  deletedAt: Number.MAX_SAFE_INTEGER,
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

export type Trash = ReturnType<typeof createTrash>;

/** Deleted notes and attachments that can be restored. */
export function createTrash(deps: LockedDeps) {
  return {
    list: listTrash.bind(null, deps),
    restore: restore.bind(null, deps),
    async rowById(handle: ReadHandle, vault: OpenVault, kind: ItemKind, id: string): Promise<StoredEntry | undefined> {
      const row = await findTrashed(deps, handle, vault, id);
      return row?.kind === kind ? row : undefined;
    },
    /** Returns what the trash still takes without dropping anything. */
    async room(handle: ReadHandle, vault: OpenVault): Promise<TrashContents> {
      const limits = limitsOf(deps, vault);
      const has = await deps.vaults.trashOf(handle, vault.id);
      return {
        notes: limits.notes - has.notes,
        textBytes: limits.textBytes - has.textBytes,
        attachmentBytes: limits.attachmentBytes - has.attachmentBytes,
      };
    },
    /** Returns the room that is left with one more entry; null when it does not fit. */
    roomAfter(room: TrashContents, row: StoredEntry): TrashContents | null {
      const one = contentsOf([row]);
      const left = {
        notes: room.notes - one.notes,
        textBytes: room.textBytes - one.textBytes,
        attachmentBytes: room.attachmentBytes - one.attachmentBytes,
      };
      return Math.min(left.notes, left.textBytes, left.attachmentBytes) < 0 ? null : left;
    },
    purge: purge.bind(null, deps),
    trim: trimTrashes.bind(null, deps),
  };
}

/**
 * Lists the trash, newest deletions first; with `path`, only entries that had it when they were deleted. Throws
 * `invalid_cursor`, `note_unreadable`, `attachment_unreadable`, and a validation error for a path that no entry can have.
 */
async function listTrash(
  deps: LockedDeps,
  vault: OpenVault,
  { cursor, path }: TrashQuery,
  limit: number,
): Promise<TrashPage> {
  const position = cursor === undefined ? NEWEST : trashPositionOf(vault, cursor);
  const page = { ...position, vault: vault.id, since: expiredUntil(deps), limit: limit + 1 };
  const rows =
    path === undefined
      ? await deps.db.all(store.findTrashed, page)
      : await deps.db.all(store.findTrashedAt, { ...page, pathKey: pathKeyOf(vault, checkedPath(path)) });
  const shown = rows.slice(0, limit);
  const yieldIfDue = createYield();
  const items: ReturnType<typeof itemOf>[] = [];
  for (const row of shown) {
    await yieldIfDue();
    items.push(itemOf(deps, vault, row));
  }
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return {
    items: await deps.vaults.withActors(vault, items),
    next_cursor: more ? trashCursorOf(vault, { deletedAt: last.deleted_at, id: last.id }) : null,
  };
}

function checkedPath(sent: string): string {
  try {
    return normalizePath(sent);
  } catch (error) {
    if (error instanceof PathError) throw invalid({ path: [error.reason] });
    throw error;
  }
}

/** The item as it is sent, but for who deleted it. */
function itemOf({ handlerOf, trashDays }: LockedDeps, vault: OpenVault, row: store.TrashedEntry) {
  const { path, title, actor } = handlerOf(row.kind).describeTrashed(vault, row);
  const { id, kind: type, size_bytes, deleted_at: deletedAt } = row;
  const expiresAt = isoTime(deletedAt + trashDays * DAY_MS);
  return { id, type, path, title, deleted_at: isoTime(deletedAt), actor, size_bytes, expires_at: expiresAt };
}

/** Restores an entry of the trash. Throws `trash_not_found`, `conflict`, `limit_exceeded`, errors of paths. */
async function restore(deps: LockedDeps, context: WriteContext<TrashRestored>, id: string, sent: unknown) {
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

/** Purges an entry in the trash; its tombstone remains. Throws `trash_not_found`. */
async function purge(deps: LockedDeps, { vault, actor }: WriteContext, id: string): Promise<void> {
  const { db, vaults, handlerOf, activity } = deps;
  const { entry, more } = await db.transact(async (handle) => {
    if (!(await vaults.lockFeed(handle, vault.id))) throw new NotevaultError('vault_header_not_found');
    const entry = await trashed(deps, handle, vault, id);
    const { path } = handlerOf(entry.kind).openMeta(vault, entry);
    const changes = [{ op: 'delete' as const, kind: entry.kind, id, path }];
    const [more] = await Promise.all([
      purgeEntries(deps, handle, vault.id, [entry]),
      activity.append(handle, vault, [{ action: 'purge', actor, changes }]),
    ]);
    return { entry, more };
  });
  if (more) await clearEntry(deps, vault.id, entry);
}

/** Throws `trash_not_found`. */
async function trashed(deps: LockedDeps, handle: ReadHandle, vault: OpenVault, id: string) {
  const row = await findTrashed(deps, handle, vault, id);
  if (row === undefined) throw new NotevaultError('trash_not_found');
  return row;
}

function findTrashed(deps: LockedDeps, handle: ReadHandle, vault: OpenVault, id: string) {
  return handle.get(store.findTrashedById, { vault: vault.id, id, since: expiredUntil(deps) });
}

/** Returns the time until which deletions have expired, although tombstones may be kept longer. */
function expiredUntil({ clock, trashDays }: LockedDeps): number {
  return clock.now() - trashDays * DAY_MS;
}

/** Time (8 bytes), id (16); then the MAC. */
const BODY_BYTES = 24;
const MAC_BYTES = 12;

/** Returns the position as an opaque cursor, valid only for this vault. */
function trashCursorOf(vault: OpenVault, { deletedAt, id }: TrashPosition): string {
  const body = Buffer.alloc(BODY_BYTES);
  body.writeBigUInt64BE(BigInt(deletedAt), 0);
  body.write(id.replaceAll('-', ''), 8, 'hex');
  return Buffer.concat([body, macOf(vault, body)]).toString('base64url');
}

/** Returns the position of a client's cursor. Throws `invalid_cursor` for one that this vault did not issue. */
function trashPositionOf(vault: OpenVault, cursor: string): TrashPosition {
  const bytes = Buffer.from(cursor, 'base64url');
  // Decoding ignores invalid base64 characters: only the exact text that was issued is accepted.
  if (bytes.length !== BODY_BYTES + MAC_BYTES || bytes.toString('base64url') !== cursor) {
    throw new NotevaultError('invalid_cursor');
  }
  const body = bytes.subarray(0, BODY_BYTES);
  if (!timingSafeEqual(bytes.subarray(BODY_BYTES), macOf(vault, body))) throw new NotevaultError('invalid_cursor');
  const hex = body.toString('hex', 8);
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { deletedAt: Number(body.readBigUInt64BE(0)), id };
}

function macOf(vault: OpenVault, body: Buffer): Buffer {
  return vault.key.mac('trash cursor', body.toString('latin1')).subarray(0, MAC_BYTES);
}

const ROWS_A_TRIM = 500;

/** Purges the oldest deletions of every trash over its limits, in slices; resolves to their number. */
async function trimTrashes(deps: EntryDeps): Promise<number> {
  const { db, vaults, trashLimits } = deps;
  let purged = 0;
  for (let after = NIL_UUID as VaultId; ; ) {
    const page = await vaults.trashes(after, ROWS_A_TRIM);
    for (const { vaultId, plan, ...has } of page) {
      const limits = { ...trashLimits, attachmentBytes: trashLimits.attachmentBytes(plan) };
      for (let more = excessOf(has, limits).length > 0; more; ) {
        const slice = await db.transact((handle) => trimSlice(deps, handle, vaultId, limits));
        purged += slice;
        more = slice > 0;
      }
      after = vaultId;
    }
    if (page.length < ROWS_A_TRIM) break;
  }
  await clearPurged(deps);
  return purged;
}

/** Purges the first entries beyond the limits, at most a slice; resolves to their number. */
async function trimSlice(deps: EntryDeps, handle: WriteHandle, vault: VaultId, limits: TrashContents): Promise<number> {
  const { vaults } = deps;
  if (!(await vaults.lockFeed(handle, vault))) return 0;
  const [excess] = excessOf(await vaults.trashOf(handle, vault), limits);
  if (excess === undefined) return 0;
  const oldest = await handle.all(store.findOldest, { vault, kind: excess.kind, limit: SLICE_ROWS });
  const slice = firstBytes(firstOf(oldest, excess), (row) => deps.handlerOf(row.kind).storedBytes(row));
  await purgeEntries(deps, handle, vault, slice);
  return slice.length;
}

/** Returns as many of the first entries as have to go. */
function firstOf(rows: readonly EntryToPurge[], { entries, bytes }: Excess): EntryToPurge[] {
  let [rowsLeft, bytesLeft] = [entries, bytes];
  return rows.filter(({ size_bytes }) => {
    const goes = rowsLeft > 0 || bytesLeft > 0;
    rowsLeft -= 1;
    bytesLeft -= size_bytes;
    return goes;
  });
}
