import { parseTimestamp } from '@notevault/note-text/frontmatter/dates.ts';
import type { ActivityItem, ActivityPage, ActivityQuery, ActivityUndone } from '@notevault/protocol/activity.ts';
import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { parseUuid } from '@notevault/protocol/values/ids.ts';
import { isSet } from '@notevault/protocol/values/schemas.ts';
import { isoTime } from '@notevault/protocol/values/time.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { Database, ReadHandle } from '../../../ports/database/database.ts';
import { activityPerson } from '../../content/activity-log/activity-log.ts';
import type { Attachments } from '../../content/attachments/attachments.ts';
import type { Entries, WriteContext } from '../../content/entries/entries.ts';
import type { Notes } from '../../content/notes/notes.ts';
import type { OpenVault, Vaults } from '../../content/vaults/vaults.ts';
import * as store from './activity.store.ts';
import { type ActivityRecord, joinChanges, LAST_ID, opened, recordsOf, undoItemOf } from './activity-items.ts';
import { type DifferenceLimits, ReadBudget, shownChanges } from './differences.ts';
import { isUndoable, mayUndo, undoActivity } from './undo.ts';

export interface ActivityDeps {
  readonly db: Database;
  readonly vaults: Pick<Vaults, 'withActors' | 'lockFeed' | 'trashOf'>;
  readonly entries: Pick<
    Entries,
    'rowsById' | 'delete' | 'trash' | 'folders' | 'renameMany' | 'folderAt' | 'ownerOf' | 'lock'
  >;
  readonly notes: Pick<Notes, 'revert' | 'authorsSince' | 'textOfVersion' | 'kind'>;
  readonly attachments: Pick<Attachments, 'kind' | 'authorOf'>;
}

export type Activity = ReturnType<typeof createActivity>;

/** Lists and undoes what was done in a vault. Writes append it in `activity-log`. */
export function createActivity(deps: ActivityDeps) {
  return {
    list: listActivity.bind(null, deps),
    read: readActivity.bind(null, deps),
    /** Throws a validation error, and the errors of undoActivity. */
    async undo(context: WriteContext<void>, id: string, dryRun: unknown): Promise<ActivityUndone> {
      if (dryRun != null && typeof dryRun !== 'boolean') throw invalid({ dry_run: ['must be boolean'] });
      return undoActivity(deps, context, itemId(id), dryRun === true);
    },
  };
}

const PAGE = 50;
const PAGE_MAX = 100;
/** With differences, whose texts have to be read. */
const PAGE_WITH_DIFFERENCES = 20;
/** Maximum number of rows that one request looks through; a page may have fewer items than were requested. */
const LOOKED_AT_MAX = 2000;
const LOOKED_AT_ONCE = 200;
const PATHS_MAX = 20;
const CHANGES_MAX = 20;
const CHANGES_OF_ONE_MAX = 1000;
/** UTF-16 units of differences per item. */
const DIFFERENCE_MAX = 4 * 1024;
const DIFFERENCE_OF_ONE_MAX = 64 * 1024;

/** Throws `activity_not_found`. */
function itemId(sent: string): string {
  const id = parseUuid(sent);
  if (id === null) throw new NotevaultError('activity_not_found');
  return id;
}

/** Returns what was done last, newest first. Throws `invalid_cursor`, `activity_unreadable`. */
async function listActivity(deps: ActivityDeps, vault: OpenVault, query: ActivityQuery): Promise<ActivityPage> {
  const withDifferences = isSet(query.diffs);
  const limit = pageSize(query.limit, withDifferences ? PAGE_WITH_DIFFERENCES : PAGE);
  const { items, next } = await findItems(deps, vault, query, limit);
  const yieldIfDue = createYield();
  const found: StoredItem[] = [];
  for (const item of items) {
    await yieldIfDue();
    const stored = await storedItem(deps.db, vault, item);
    if (stored !== null) found.push(stored);
  }
  const differences = withDifferences ? { changes: CHANGES_MAX, length: DIFFERENCE_MAX } : null;
  return { items: await shownItems(deps, vault, found, differences), next_cursor: next };
}

/** Throws a validation error. */
function pageSize(sent: string | undefined, usual: number): number {
  if (sent === undefined) return usual;
  if (!/^[1-9]\d{0,8}$/.test(sent)) throw invalid({ limit: ['must be a number from 1 to 100'] });
  return Math.min(Number(sent), PAGE_MAX);
}

/** Throws `activity_not_found`, `activity_unreadable`. */
async function readActivity(deps: ActivityDeps, vault: OpenVault, id: string): Promise<ActivityItem> {
  const found = await storedItem(deps.db, vault, itemId(id));
  if (found === null) throw new NotevaultError('activity_not_found');
  const most = { changes: CHANGES_OF_ONE_MAX, length: DIFFERENCE_OF_ONE_MAX };
  const [shown] = await shownItems(deps, vault, [found], most);
  if (shown === undefined) throw new NotevaultError('activity_not_found');
  return shown;
}

/** Finds the items of a page, and the cursor of the next one. */
async function findItems({ db }: ActivityDeps, vault: OpenVault, query: ActivityQuery, limit: number) {
  const cursor = query.cursor === undefined ? LAST_ID : parseUuid(query.cursor);
  if (cursor === null) throw new NotevaultError('invalid_cursor');
  const person = query.actor === undefined ? null : activityPerson(vault, query.actor);
  const since = query.since === undefined ? 0 : parseTimestamp(query.since);
  if (since === null) throw invalid({ since: ['must be an ISO 8601 date-time'] });
  const { note: named, action } = query;
  const note = named?.toLowerCase();
  const isWanted = (row: { readonly person: Buffer | null; readonly action: string }) =>
    (action === undefined || row.action === action) && (person === null || row.person?.equals(person) === true);
  const items = new Set<string>();
  let before: string = cursor;
  for (let seen = 0; seen < LOOKED_AT_MAX; ) {
    const page = { vault: vault.id, before, since, limit: LOOKED_AT_ONCE };
    const rows: FoundRow[] =
      note === undefined ? await db.all(store.findLastRows, page) : await rowsOfNote(db, vault, page, note);
    for (const row of rows) {
      if (items.size === limit) return { items, next: before };
      before = row.id;
      if (!isWanted(row) || row.isOfNote === false || items.has(row.item)) continue;
      if (note !== undefined && (await wasListed(db, vault, { item: row.item, note, from: cursor }))) continue;
      items.add(row.item);
    }
    if (rows.length < LOOKED_AT_ONCE) return { items, next: null };
    seen += rows.length;
  }
  return { items, next: before };
}

/** Whether a page before has an item of a note: one of its rows from the cursor on changed the note. */
async function wasListed(
  db: Database,
  vault: OpenVault,
  { note, ...place }: { readonly item: string; readonly note: string; readonly from: string },
): Promise<boolean> {
  if (place.from === LAST_ID) return false;
  const yieldIfDue = createYield();
  for (const row of await db.all(store.findLaterRows, { vault: vault.id, ...place, limit: LOOKED_AT_MAX })) {
    await yieldIfDue();
    if (changesNote(vault, row, note)) return true;
  }
  return false;
}

function changesNote(vault: OpenVault, row: Parameters<typeof opened>[1], note: string): boolean {
  return opened(vault, row).data.changes.some(({ id }) => id === note);
}

interface FoundRow {
  readonly id: string;
  readonly item: string;
  readonly person: Buffer | null;
  readonly action: string;
  readonly isOfNote?: boolean;
}

async function rowsOfNote(db: Database, vault: OpenVault, page: store.RowsBefore, note: string): Promise<FoundRow[]> {
  const yieldIfDue = createYield();
  const found: FoundRow[] = [];
  for (const row of await db.all(store.findRows, page)) {
    await yieldIfDue();
    found.push({ ...row, isOfNote: changesNote(vault, row, note) });
  }
  return found;
}

/** An item with its records, newest first: of a large one only the last. */
interface StoredItem {
  readonly id: string;
  readonly began: number;
  readonly count: number;
  readonly records: readonly [ActivityRecord, ...ActivityRecord[]];
}

const RECORDS_MAX = { stretch: 1000, other: 20 };

async function storedItem(handle: ReadHandle, vault: OpenVault, item: string): Promise<StoredItem | null> {
  const [last] = await handle.all(store.findItemRows, { vault: vault.id, item, before: LAST_ID, limit: 1 });
  if (last === undefined) return null;
  const most = last.action === 'write' ? RECORDS_MAX.stretch : RECORDS_MAX.other;
  const [first, ...rest] = last.count === 1 ? [opened(vault, last)] : await recordsOf(handle, vault, item, most);
  const began = (await handle.get(store.findFirstRow, { vault: vault.id, item }))?.at;
  return first === undefined
    ? null
    : { id: item, began: began ?? last.at, count: last.count, records: [first, ...rest] };
}

async function shownItems(
  deps: ActivityDeps,
  vault: OpenVault,
  found: readonly StoredItem[],
  differences: DifferenceLimits | null,
): Promise<ActivityItem[]> {
  const { db, vaults } = deps;
  const undoOf = new Map(found.map(({ id }) => [id, undoItemOf(vault, id)]));
  const undos = new Set(
    (await db.allMany(store.findItems, { vault: vault.id }, [...undoOf.values()])).map(({ item }) => item),
  );
  const budget = new ReadBudget();
  const items: (Omit<ActivityItem, 'actor'> & { readonly actor: ActivityRecord['data']['actor'] })[] = [];
  for (const { id, began, count, records } of found) {
    const [last] = records;
    const { actor, relinked, people, undoes } = last.data;
    const joined = joinChanges(records);
    const undo = undoOf.get(id) ?? '';
    items.push({
      id,
      at: isoTime(last.at),
      began: isoTime(began),
      actor,
      action: last.action,
      count,
      paths: [...new Set(joined.map(({ path }) => path))].slice(0, PATHS_MAX),
      ...(relinked === undefined || relinked === 0 ? {} : { relinked }),
      ...(people === undefined ? {} : { people: { change: people.change, user_id: people.userId } }),
      ...(undoes === undefined ? {} : { undoes }),
      undone_by: undos.has(undo) ? undo : null,
      undoable: isUndoable(last.action) && mayUndo(vault, actor),
      ...(differences === null ? {} : { changes: await shownChanges(deps, vault, joined, differences, budget) }),
    });
  }
  return vaults.withActors(vault, await withPeople(deps, vault, items));
}

/** Adds the names of those whom changes of the people concern. */
async function withPeople<Item extends Pick<ActivityItem, 'people'>>(
  { vaults }: ActivityDeps,
  vault: OpenVault,
  items: readonly Item[],
): Promise<Item[]> {
  const concerned = items.map(({ people }) => ({ actor: { kind: '', name: '', userId: people?.user_id ?? '' } }));
  if (items.every(({ people }) => people === undefined)) return [...items];
  const named = await vaults.withActors(
    vault,
    concerned.filter(({ actor }) => actor.userId !== ''),
  );
  const nameOf = new Map(named.map(({ actor }) => [actor.user_id, actor.display_name ?? null]));
  return items.map((item) =>
    item.people === undefined
      ? item
      : { ...item, people: { ...item.people, display_name: nameOf.get(item.people.user_id) ?? null } },
  );
}
