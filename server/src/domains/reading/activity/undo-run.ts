import { folderOf } from '@notevault/note-text/paths.ts';
import type { ActivityUndone } from '@notevault/protocol/activity.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { RENAMES_MAX } from '@notevault/protocol/values/batch-limits.ts';
import type { FolderId, NoteId } from '@notevault/protocol/values/ids.ts';
import { slicesOf } from '../../../concurrency/slices.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { Actor } from '../../content/activity-log/activity-log.ts';
import type { StoredEntry, WriteContext } from '../../content/entries/entries.ts';
import { TrashFull } from '../../content/entries/revision-conflict.ts';
import type { ActivityDeps } from './activity.ts';
import { differenceBetween } from './differences.ts';
import type { UndoEntry } from './undo.ts';

type Reason = ActivityUndone['left'][number]['reason'];
type ListedChange = NonNullable<ActivityUndone['changes']>[number];

/** Entries that go into the trash in one transaction. */
const TRASHED_AT_ONCE = 100;
/** Changes that a dry run lists. */
const LISTED_MAX = 20;

/** Takes back what an item did to entries, or finds out what that would change. */
export class UndoRun {
  readonly #deps: ActivityDeps;
  readonly #context: WriteContext<void>;
  readonly #author: Actor;
  readonly #dryRun: boolean;
  readonly #left: ActivityUndone['left'] = [];
  readonly #changes: ListedChange[] = [];
  /** Created entries that were found alive. */
  readonly #live = new Set<string>();
  #undone = 0;
  #merged = 0;

  /** @param author of the item: what anybody else wrote is kept. */
  constructor(deps: ActivityDeps, context: WriteContext<void>, author: Actor, dryRun: boolean) {
    this.#deps = deps;
    this.#context = context;
    this.#author = author;
    this.#dryRun = dryRun;
  }

  /** Throws `limit_exceeded`. */
  async undo(entries: readonly UndoEntry[]): Promise<void> {
    const by = Map.groupBy(entries, (entry) => entry.by);
    await this.#moveBack(by.get('move') ?? []);
    const kept = await this.#trash(by.get('trash') ?? []);
    const yieldIfDue = createYield();
    for (const entry of foldersFirst(by.get('restore') ?? [])) {
      await yieldIfDue();
      await this.#restore(entry);
    }
    for (const entry of [...kept, ...(by.get('revert') ?? [])]) {
      await yieldIfDue();
      await this.#revert(entry);
    }
  }

  /** @param before number of entries that an earlier call has undone. */
  outcome(item: string | null, before: number): ActivityUndone {
    const changes = this.#dryRun ? { changes: this.#changes } : {};
    return { undone: before + this.#undone, merged: this.#merged, left: this.#left, item, ...changes };
  }

  #leave({ path }: UndoEntry, reason: Reason): void {
    this.#left.push({ path, reason });
  }

  #done({ kind, id, path, target }: UndoEntry, op: ListedChange['op']): void {
    this.#undone += 1;
    if (this.#changes.length >= LISTED_MAX) return;
    const moved = op === 'move' ? { path: target, from: path } : { path };
    this.#changes.push({ op, kind, id, ...moved });
  }

  async #moveBack(entries: readonly UndoEntry[]): Promise<void> {
    for (const folder of entries.filter(({ kind }) => kind === 'folder')) await this.#moveFolder(folder);
    const items = entries.filter(({ kind }) => kind !== 'folder');
    for (const slice of slicesOf(items, RENAMES_MAX)) await this.#moveItems(slice);
  }

  async #moveFolder(entry: UndoEntry): Promise<void> {
    const { entries, db } = this.#deps;
    const { vault } = this.#context;
    const idAt = async (path: string) => (await entries.folderAt(db, vault, path))?.id;
    if ((await idAt(entry.path)) !== entry.id) {
      // Another request may have undone it at the same time.
      return (await idAt(entry.target)) === entry.id ? undefined : this.#leave(entry, 'changed_by_others');
    }
    if (this.#dryRun) {
      const reason = await this.#reasonAt(entry.target, new Set([entry.id]));
      if (reason !== null) return this.#leave(entry, reason);
    } else {
      const { vault, actor, device, origin } = this.#context;
      const rename = { old_path: entry.path, new_path: entry.target };
      const reason = await reasonOf(() => entries.folders.rename({ vault, actor, device, origin }, rename));
      if (reason !== null) return this.#leave(entry, reason);
    }
    this.#done(entry, 'move');
  }

  /** Names may have been exchanged, so that all are moved together; what is in the way of another stays. */
  async #moveItems(slice: readonly UndoEntry[]): Promise<void> {
    const { entries, db } = this.#deps;
    const { vault, actor, device, origin } = this.#context;
    const rows = await entries.rowsById(
      db,
      vault.id,
      null,
      slice.map(({ id }) => id),
    );
    const pathOf = new Map(rows.map((row) => [row.id, this.#pathOf(row)]));
    let movable = slice.filter((entry) => {
      const at = pathOf.get(entry.id);
      if (at !== entry.path && at !== entry.target) this.#leave(entry, 'changed_by_others');
      return at === entry.path;
    });
    while (movable.length > 0) {
      const moves = movable.map(({ id, path, target }) => ({ id, from: path, path: target }));
      const refused = this.#dryRun
        ? await this.#firstTaken(movable)
        : await refusedItem(() => entries.renameMany({ vault, actor, device, origin }, { moves }));
      if (refused === null) break;
      const [row] = await entries.rowsById(db, vault.id, null, [refused]);
      const at = row === undefined ? null : this.#pathOf(row);
      for (const entry of movable.filter(({ id }) => id === refused)) {
        if (at === entry.path) this.#leave(entry, 'path_taken');
        else if (at !== entry.target) this.#leave(entry, 'changed_by_others');
      }
      movable = movable.filter(({ id }) => id !== refused);
    }
    for (const entry of movable) this.#done(entry, 'move');
  }

  async #firstTaken(movable: readonly UndoEntry[]): Promise<string | null> {
    const moving = new Set(movable.map(({ id }) => id));
    for (const { id, target } of movable) if ((await this.#reasonAt(target, moving)) !== null) return id;
    return null;
  }

  #pathOf(row: StoredEntry): string {
    const { notes, attachments } = this.#deps;
    const { kind } = row.kind === 'note' ? notes : attachments;
    return kind.openMeta(this.#context.vault, row).path;
  }

  /** Returns the entries that stay because others wrote in them. */
  async #trash(entries: readonly UndoEntry[]): Promise<UndoEntry[]> {
    const kept: UndoEntry[] = [];
    const folders = entries.filter(({ kind }) => kind === 'folder');
    const own = new Set<string>(folders.map(({ id }) => id));
    for (const folder of folders) await this.#removeFolder(folder, own);
    const items = entries.filter(({ kind }) => kind !== 'folder');
    let room = await this.#deps.entries.trash.room(this.#deps.db, this.#context.vault);
    for (const slice of slicesOf(items, TRASHED_AT_ONCE)) {
      let own: UndoEntry[] = [];
      const find = async (handle: ReadHandle) => {
        const found = await this.#ownRows(handle, slice);
        own = found.map(({ entry }) => entry);
        return found.map(({ row }) => row);
      };
      const rows = await find(this.#deps.db);
      if (this.#dryRun) {
        for (const [at, row] of rows.entries()) {
          const entry = own[at];
          if (entry === undefined) continue;
          const left = this.#deps.entries.trash.roomAfter(room, row);
          if (left === null) this.#leave(entry, 'trash_full');
          else this.#done(entry, 'delete');
          room = left ?? room;
        }
      } else own = await this.#deleteRows(rows, find, () => own);
      const handled = new Set(own.map(({ id }) => id));
      kept.push(...slice.filter(({ id }) => !handled.has(id) && this.#live.has(id)));
    }
    for (const entry of kept) this.#leave(entry, 'changed_by_others');
    return kept.filter(({ kind, spans, shared }) => kind === 'note' && (spans.length > 0 || shared));
  }

  /** The rows of the live entries in which nobody but the author wrote. */
  async #ownRows(handle: ReadHandle, slice: readonly UndoEntry[]) {
    const { entries, notes, attachments } = this.#deps;
    const { vault } = this.#context;
    const rows = await entries.rowsById(
      handle,
      vault.id,
      null,
      slice.map(({ id }) => id),
    );
    const entryOf = new Map(slice.map((entry) => [entry.id, entry]));
    // Somebody may have deleted an entry that was found alive.
    for (const { id } of slice) this.#live.delete(id);
    const found: { readonly row: StoredEntry; readonly entry: UndoEntry }[] = [];
    for (const row of rows) {
      this.#live.add(row.id);
      const entry = entryOf.get(row.id);
      if (entry === undefined || entry.shared || entry.undoneBy !== undefined) continue;
      const authors =
        row.kind === 'note'
          ? await notes.authorsSince(vault, row, entry.created ?? 0)
          : [attachments.authorOf(vault, row)];
      if ([...authors].every((author) => author === this.#author.userId)) found.push({ row, entry });
    }
    return found;
  }

  /** Deletes rows together, or else one by one, until the trash is full. Returns the entries that were own. */
  async #deleteRows(
    rows: readonly StoredEntry[],
    find: (handle: ReadHandle) => Promise<StoredEntry[]>,
    own: () => UndoEntry[],
  ): Promise<UndoEntry[]> {
    if (rows.length === 0) return [];
    const { entries } = this.#deps;
    const { vault, actor, device, origin } = this.#context;
    const remove = (wanted: (handle: ReadHandle) => Promise<StoredEntry[]>) => {
      const context: WriteContext<number> = { vault, actor, device, origin };
      return entries.delete(context, { find: wanted, answer: (deleted) => deleted, mustFit: true });
    };
    const isFull = await remove(find).then(() => false, ifFull);
    const entriesToDelete = own();
    if (!isFull) for (const entry of entriesToDelete) this.#done(entry, 'delete');
    else
      for (const entry of entriesToDelete) {
        const one = async (handle: ReadHandle) => (await find(handle)).filter(({ id }) => id === entry.id);
        if (await remove(one).then(() => false, ifFull)) this.#leave(entry, 'trash_full');
        else this.#done(entry, 'delete');
      }
    return entriesToDelete;
  }

  /** Folders that contain something stay, because others may use them; so does another one at the path of a deleted one. */
  async #removeFolder(entry: UndoEntry, own: ReadonlySet<string>): Promise<void> {
    const { entries, db } = this.#deps;
    const { vault, actor, device, origin } = this.#context;
    const folder = await entries.folders.entry(vault, entry.id);
    if (!folder?.explicit) {
      const other = await entries.folderAt(db, vault, entry.path);
      if (other?.explicit && !own.has(other.id)) this.#leave(entry, 'changed_by_others');
      return;
    }
    if (!this.#dryRun) await entries.folders.remove({ vault, actor, device, origin }, folder.path, false);
    this.#done(entry, 'delete');
  }

  async #restore(entry: UndoEntry): Promise<void> {
    const { entries, db } = this.#deps;
    const { vault, actor, device, origin } = this.#context;
    const { kind, id, path } = entry;
    if (kind === 'folder') {
      const found = await entries.folderAt(db, vault, path);
      if (found?.explicit) return;
      const create = () => entries.folders.create({ vault, actor, device, origin }, path, id as FolderId);
      const would = () => (found === null ? this.#reasonAt(path) : null);
      const reason = await (this.#dryRun ? would() : reasonOf(create));
      return reason === null ? this.#done(entry, 'restore') : this.#leave(entry, reason);
    }
    const isLive = async () => (await entries.rowsById(db, vault.id, kind, [id])).length > 0;
    if (await isLive()) return;
    const isKept = (await entries.trash.rowById(db, vault, kind, id)) !== undefined;
    const restore = () => reasonOf(() => entries.trash.restore({ vault, actor, device, origin }, id, undefined));
    const attempt = () => (this.#dryRun ? this.#reasonAt(path) : restore());
    const reason = isKept ? await attempt() : 'history_thinned';
    if (reason === null) this.#done(entry, 'restore');
    // Another request may have restored it at the same time.
    else if (!(await isLive())) this.#leave(entry, reason);
  }

  /** @param moving the entries that leave their paths. */
  async #reasonAt(path: string, moving: ReadonlySet<string> = new Set()): Promise<Reason | null> {
    const { entries, db } = this.#deps;
    for (let at = path; at !== ''; at = folderOf(at)) {
      const owner = await entries.ownerOf(db, this.#context.vault, at);
      if (owner === null || moving.has(owner.id)) continue;
      if (at === path || owner.kind !== 'folder') return 'path_taken';
    }
    return null;
  }

  async #revert(entry: UndoEntry): Promise<void> {
    if (entry.kind !== 'note') return this.#leave(entry, 'history_thinned');
    if (entry.shared) this.#leave(entry, 'shared_edit');
    if (entry.spans.length === 0 || entry.undoneBy !== undefined) return;
    const revert = () => this.#deps.notes.revert(this.#context, entry.id as NoteId, entry.spans, this.#dryRun);
    const outcome = await revert().catch((error: unknown) => reasonFor(error));
    if (typeof outcome === 'string') return this.#leave(entry, outcome);
    this.#done(entry, 'edit');
    if (outcome.merged) this.#merged += 1;
    const listed = this.#changes.at(-1);
    if (this.#dryRun && listed?.id === entry.id) listed.difference = differenceBetween(outcome.before, outcome.after);
  }
}

/** Returns entries with the folders first, outer before inner ones: a note would bring its folder back under another id. */
function foldersFirst(entries: readonly UndoEntry[]): UndoEntry[] {
  const depth = ({ kind, path }: UndoEntry) => (kind === 'folder' ? path.length : Number.POSITIVE_INFINITY);
  return entries.toSorted((a, b) => (depth(a) === depth(b) ? 0 : depth(a) - depth(b)));
}

function ifFull(error: unknown): true {
  if (error instanceof TrashFull) return true;
  throw error;
}

async function reasonOf(work: () => Promise<unknown>): Promise<Reason | null> {
  try {
    await work();
    return null;
  } catch (error) {
    return reasonFor(error);
  }
}

const REASONS: Readonly<Record<string, Reason>> = {
  conflict: 'path_taken',
  cycle: 'path_taken',
  extension_not_allowed: 'path_taken',
  trash_not_found: 'history_thinned',
  note_unreadable: 'unreadable',
  attachment_unreadable: 'unreadable',
  note_not_found: 'changed_by_others',
  folder_not_found: 'changed_by_others',
  item_not_found: 'changed_by_others',
  note_too_large: 'changed_by_others',
};

/** Returns why an entry is left; throws an error that ends the undo. */
function reasonFor(error: unknown): Reason {
  const reason = error instanceof NotevaultError ? REASONS[error.code] : undefined;
  if (reason === undefined) throw error;
  return reason;
}

/** Returns the id of the item that blocks a move; null if the move succeeded. */
async function refusedItem(move: () => Promise<unknown>): Promise<string | null> {
  try {
    await move();
    return null;
  } catch (error) {
    const id = error instanceof NotevaultError ? error.details.item_id : undefined;
    if (typeof id !== 'string') throw error;
    return id;
  }
}
