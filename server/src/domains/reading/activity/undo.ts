import type { ActivityUndone } from '@notevault/protocol/activity.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { ActivityAction, Actor } from '../../content/activity-log/activity-log.ts';
import type { WriteContext } from '../../content/entries/entries.ts';
import type { OpenVault } from '../../content/vaults/vaults.ts';
import * as store from './activity.store.ts';
import type { ActivityDeps } from './activity.ts';
import { type ActivityRecord, type JoinedChange, joinChanges, recordsOf, undoItemOf } from './activity-items.ts';
import { UndoRun } from './undo-run.ts';

export function isUndoable(action: ActivityAction): boolean {
  return action !== 'people' && action !== 'purge';
}

/** Whether the caller may undo what somebody did: editors their own, the owner everything. */
export function mayUndo({ callerId, role, permission }: OpenVault, { userId }: Actor): boolean {
  return permission === 'write' && (role === 'owner' || userId === callerId);
}

/**
 * Undoes an item, one entry after the other; each is a write of its own, so that an undo that was interrupted continues
 * when it is repeated. What is done already is not done again. Throws `activity_not_found`, `not_undoable`,
 * `owner_required`, `limit_exceeded`.
 */
export async function undoActivity(
  deps: ActivityDeps,
  context: WriteContext<void>,
  id: string,
  dryRun: boolean,
): Promise<ActivityUndone> {
  const { db } = deps;
  const { vault } = context;
  const [last] = await recordsOf(db, vault, id, 1);
  if (last === undefined) throw new NotevaultError('activity_not_found');
  const { actor } = last.data;
  if (!isUndoable(last.action)) throw new NotevaultError('not_undoable');
  if (!mayUndo(vault, actor)) throw new NotevaultError('owner_required');
  if (!dryRun && last.action === 'write') await close(deps, vault, id);
  const records = await recordsOf(db, vault, id);
  const item = undoItemOf(vault, id);
  const undone = undoneIn(await recordsOf(db, vault, item));
  const opOf = ({ kind, id, target }: UndoEntry) => undone.get(keyOf(kind, id, target));
  const origin = { action: 'undo' as const, item, undoes: id };
  const run = new UndoRun(deps, { ...context, origin }, actor, dryRun);
  const entries = entriesOf(joinChanges(records)).map((entry) => ({ ...entry, undoneBy: opOf(entry) }));
  await run.undo(entries.filter(({ undoneBy }) => undoneBy === undefined || undoneBy === 'edit'));
  return run.outcome(dryRun ? null : item, undone.size);
}

/** Lets no later write join the item: it would be undone with it when the undo is repeated. */
async function close({ db, vaults }: ActivityDeps, vault: OpenVault, item: string): Promise<void> {
  await db.transact(async (handle) => {
    if (await vaults.lockFeed(handle, vault.id)) await handle.run(store.closeItem, { vault: vault.id, item });
  });
}

/** An entry that an item changed, and what takes it back. */
export interface UndoEntry extends Pick<JoinedChange, 'kind' | 'id' | 'path'> {
  readonly by: 'trash' | 'restore' | 'move' | 'revert';
  /** Where it is afterwards. */
  readonly target: string;
  /** Versions of a note that are reverted, the newest first. */
  readonly spans: readonly { readonly before: number; readonly after: number }[];
  /** Created notes: the last version that continues the first. */
  readonly created: number | null;
  /** Whether other people share some of its versions. */
  readonly shared: boolean;
  /** How an earlier call has undone it; an edit may leave parts of it. */
  readonly undoneBy?: JoinedChange['op'] | undefined;
}

/** Groups joined changes (newest first) by entry. */
function entriesOf(changes: readonly JoinedChange[]): UndoEntry[] {
  const groups = Map.groupBy(changes, ({ kind, id }) => `${kind} ${id}`);
  return [...groups.values()].flatMap((own) => {
    const [newest] = own;
    const oldest = own.at(-1);
    if (newest === undefined || oldest === undefined) return [];
    const { kind, id, path, from } = newest;
    const spans = own.flatMap(({ op, shared, versions }) =>
      op !== 'edit' || shared || versions?.before == null ? [] : [{ before: versions.before, after: versions.after }],
    );
    const created = oldest.versions?.after ?? null;
    return [
      {
        kind,
        id,
        path,
        by: wayBack(oldest),
        target: from ?? path,
        spans,
        created,
        shared: own.some((each) => each.shared),
      },
    ];
  });
}

const WAYS = { create: 'trash', restore: 'trash', delete: 'restore', move: 'move', edit: 'revert' } as const;

function wayBack({ op }: JoinedChange): UndoEntry['by'] {
  return WAYS[op];
}

/** A folder may have been made anew under another id. */
function keyOf(kind: JoinedChange['kind'], id: string, path: string): string {
  return kind === 'folder' ? `folder ${path}` : id;
}

function undoneIn(records: readonly ActivityRecord[]): Map<string, JoinedChange['op']> {
  return new Map(
    records.flatMap(({ data }) => data.changes.map(({ op, kind, id, path }) => [keyOf(kind, id, path), op] as const)),
  );
}
