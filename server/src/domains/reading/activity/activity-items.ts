import type { VaultId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import {
  type ActivityAction,
  type ActivityChange,
  type ActivityData,
  openActivity,
} from '../../content/activity-log/activity-log.ts';
import type { OpenVault } from '../../content/vaults/vaults.ts';
import { openedOr } from '../../foundation/keys/keys.ts';
import * as store from './activity.store.ts';

const PAGE = 500;
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export interface ActivityRecord {
  readonly id: string;
  readonly at: number;
  readonly action: ActivityAction;
  readonly data: ActivityData;
}

type SealedRow = Awaited<ReturnType<typeof rowsOf>>[number];

/** Throws `activity_unreadable`. */
export function opened(vault: Pick<OpenVault, 'key'>, { id, at, action, data }: SealedRow): ActivityRecord {
  const opened = openedOr('activity_unreadable', () => openActivity(vault, id, data));
  return { id, at, action: action as ActivityAction, data: opened };
}

function rowsOf(handle: ReadHandle, vault: VaultId, item: string, before: string, limit: number) {
  return handle.all(store.findItemRows, { vault, item, before, limit });
}

/** The records of an item, newest first, at most `most`. Throws `activity_unreadable`. */
export async function recordsOf(
  handle: ReadHandle,
  vault: OpenVault,
  item: string,
  most = Number.POSITIVE_INFINITY,
): Promise<ActivityRecord[]> {
  const records: ActivityRecord[] = [];
  for (let before = LAST_ID; records.length < most; ) {
    const rows = await rowsOf(handle, vault.id, item, before, Math.min(PAGE, most - records.length));
    for (const row of rows) {
      records.push(opened(vault, row));
      before = row.id;
    }
    if (rows.length < PAGE) break;
  }
  return records;
}

/** Returns the id of the item that undoes another one: always the same, so that an interrupted undo is found again. */
export function undoItemOf({ key }: Pick<OpenVault, 'key'>, item: string): string {
  const bytes = Buffer.from(key.mac('activity undo', item).subarray(0, 16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Changes of an entry by one item, as one. */
export interface JoinedChange extends Omit<ActivityChange, 'before' | 'version' | 'shared'> {
  /** Notes: the version before all of them, null for none, and the last one. */
  readonly versions: { readonly before: number | null; readonly after: number } | null;
  readonly shared: boolean;
}

/** Joins the changes of records (newest first), where versions of a note follow each other. Returns the newest first. */
export function joinChanges(records: readonly ActivityRecord[]): JoinedChange[] {
  const joined: JoinedChange[] = [];
  const lastOf = new Map<string, number>();
  for (const { data } of records.toReversed()) {
    for (const change of data.changes) {
      const next = joinedOf(change);
      const at = lastOf.get(change.id);
      const last = at === undefined ? undefined : joined[at];
      if (at !== undefined && last !== undefined && follows(last, next)) {
        joined[at] = { ...next, op: last.op, versions: versionsOf(last, next) };
      } else {
        lastOf.set(change.id, joined.length);
        joined.push(next);
      }
    }
  }
  return joined.reverse();
}

function joinedOf({ before, version, shared = false, ...change }: ActivityChange): JoinedChange {
  return { ...change, shared, versions: version === undefined ? null : { before: before ?? null, after: version } };
}

function follows(last: JoinedChange, next: JoinedChange): boolean {
  if (last.shared || next.shared || next.op !== 'edit' || (last.op !== 'edit' && last.op !== 'create')) return false;
  if (next.kind === 'attachment') return true;
  return last.versions !== null && last.versions.after === next.versions?.before;
}

function versionsOf(last: JoinedChange, next: JoinedChange): JoinedChange['versions'] {
  if (next.versions === null) return null;
  return { before: last.versions?.before ?? null, after: next.versions.after };
}
