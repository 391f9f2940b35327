import {
  ancestorsOf,
  fileName,
  folderOf,
  isInside,
  joinPath,
  normalizeNotePath,
  normalizePath,
} from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId, Seq } from '@notevault/protocol/ids.ts';
import { createYield } from '../../concurrency/yield.ts';
import type { WriteHandle } from '../../ports/database/database.ts';
import type { Spool } from '../../ports/spool/spool.ts';
import {
  type FolderEntry,
  type ItemKind,
  type KeyedMovedPath,
  type MovedPath,
  pathFrom,
  type ResolvedPath,
} from '../namespace/namespace.ts';
import { RevisionConflict } from './commit.ts';
import type { AttachmentRef, MovedItem, PreparedLinks } from './moved-item.ts';
import { buildMovedNotes, type MovedNoteDraft, type MovingNote, writeMovedNotes } from './moved-notes.ts';
import type { NoteDeps } from './notes.deps.ts';
import * as store from './notes.store.ts';
import { sealed } from './sealed-note.ts';
import type { WriteContext } from './write-context.ts';
import { conflictAtPath } from './write-target.ts';

/** Something a client asked to move, from where it is to where it should be (normalised). */
export type MoveRoot = MovedPath;

/** What a move came to. */
export interface MoveResult {
  /** What the caller named, each with the path it has now. */
  readonly named: readonly MoveRoot[];
  /** How many notes and attachments changed their path. */
  readonly notes: number;
  readonly attachments: number;
}

/** What to move, and what to answer. */
export interface MoveRequest<Result> {
  /** Says what moves, all of it into one folder; asked anew when the vault changed while the move was prepared. */
  find(): Promise<MoveRoot[]>;
  /** The field of the request that is to blame when a path would break the rules for paths. */
  readonly field: string;
  /** Makes the answer inside the transaction, from what it wrote. */
  answer(handle: WriteHandle, outcome: MoveResult): Promise<Result> | Result;
}

/** Other processes may write to the vault while a move is prepared; in this one nobody does. */
const ROUNDS_MAX = 20;
/** Moves that touch more notes than this take the writer for themselves, in slices. */
const SHORT_MAX = 50;
/** As SHORT_MAX, of what is written. */
const SHORT_BYTES_MAX = 256 * 1024;

/** Everything that changes its path, worked out from what the caller named. */
interface MoveScope {
  readonly resolved: ResolvedPath;
  /** What the caller named, with the paths they get. */
  readonly named: readonly MoveRoot[];
  /** Those of them that really move: no item below another named one, none that is there already. */
  readonly roots: readonly MoveRoot[];
  readonly items: readonly KeyedMovedPath[];
  readonly folders: readonly FolderEntry[];
  readonly notes: readonly MovingNote[];
  readonly files: readonly { readonly file: AttachmentRef; readonly to: string }[];
}

export async function moveItems<Result>(
  deps: NoteDeps,
  context: WriteContext<Result>,
  move: MoveRequest<Result>,
): Promise<Result> {
  for (let round = 1; ; round++) {
    try {
      return await moveOnce(deps, context, move);
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      if (round === ROUNDS_MAX) throw new NotevaultError('unavailable', {}, error);
    }
  }
}

/** As moveItems, for one thing: a refusal then says what is in the way of it, not which item it is. */
export async function moveOne<Result>(
  deps: NoteDeps,
  context: WriteContext<Result>,
  to: string,
  move: MoveRequest<Result>,
): Promise<Result> {
  try {
    return await moveItems(deps, context, move);
  } catch (error) {
    if (!(error instanceof NotevaultError) || !('item_id' in error.details)) throw error;
    if (error.code === 'conflict') throw await conflictAtPath(deps, context.vault, to);
    throw new NotevaultError(error.code);
  }
}

/** What a move writes of some notes: their rows, and of links. */
interface Batch {
  readonly revisions: readonly MovedNoteDraft[];
  readonly links: PreparedLinks;
}

async function moveOnce<Result>(
  deps: NoteDeps,
  context: WriteContext<Result>,
  move: MoveRequest<Result>,
): Promise<Result> {
  const { db, vaults, hooks, files } = deps;
  const { vault } = context;
  const before = await vaults.currentSeq(db, vault);
  await using spool = deps.openSpool<Batch>();
  const prepare = async () => {
    const scope = await scopeOf(deps, context, await move.find());
    checkPaths(scope, move.field);
    const revised = await prepareBatches(deps, context, scope, spool);
    return { scope, revised, moved: files.prepareMove(vault, scope.files) };
  };
  const { scope, revised, moved } = await prepare().catch(async (error) => {
    // A row and a body read one after the other do not fit together when somebody wrote in between: that is no damage.
    const damaged = !(error instanceof NotevaultError) || UNREADABLE.has(error.code);
    throw damaged && (await vaults.currentSeq(db, vault)) !== before ? new RevisionConflict() : error;
  });
  const isLong = spool.isOnDisk || spool.heldBytes > SHORT_BYTES_MAX || revised + moved.count > SHORT_MAX;
  // A short body may await nothing but its handle.
  const attached = isLong ? null : await Array.fromAsync(spool.values());
  // Awaited here: the spool closes when this function returns.
  return await db.transact(
    async (handle) => {
      // At least one seq where anything moves, so that clients look at the tree again when only empty folders did.
      const seqs = Math.max(revised + moved.count, Math.min(scope.roots.length, 1));
      const first = await vaults.advance(handle, vault, { seqs, notes: 0 });
      // From here on nobody else writes to the vault: every row still is what it was prepared from.
      if (first !== before + 1) throw new RevisionConflict();
      const folder = await relocateItems(deps, handle, context, scope);
      const roots = new Set(scope.roots.map(({ id }) => id));
      const folderOf = (id: string, old: string | null) => (roots.has(id) ? folder : old);
      let next = first;
      const write = async ({ revisions, links }: Batch) => {
        await writeMovedNotes(deps, handle, vault, revisions, next, ({ id, folder }) => folderOf(id, folder));
        await hooks.applyMove(handle, vault, links);
        next = (next + revisions.length) as Seq;
      };
      if (attached !== null) for (const batch of attached) await write(batch);
      else for await (const batch of spool.values()) await write(batch);
      if (!(await files.writeMove(handle, vault, moved, next, folderOf))) throw new RevisionConflict();
      const counts = { notes: scope.notes.length, attachments: moved.count };
      const result = await move.answer(handle, { named: scope.named, ...counts });
      await context.inTransaction?.(handle, result);
      return result;
    },
    isLong ? 'bulk' : 'normal',
  );
}

/** Notes that are worked out together, and how much of them may be in memory at once. */
const BATCH_NOTES = 64;
const BATCH_BYTES = 2 * 1024 * 1024;

/** Works out what becomes of notes and links, a few at a time, and puts it aside; resolves to how many notes change. */
async function prepareBatches(
  deps: NoteDeps,
  context: WriteContext,
  scope: MoveScope,
  spool: Spool<Batch>,
): Promise<number> {
  const yieldIfDue = createYield();
  const moves = new Map(scope.notes.map((note) => [note.id, note]));
  const items = [...scope.notes, ...scope.files.map(toMovedItem)];
  const planner = await deps.hooks.planMove(deps.db, context.vault, items, yieldIfDue);
  const all = [...moves.keys(), ...planner.sources.filter((id) => !moves.has(id))];
  let revised = 0;
  let size = 4;
  for (let at = 0; at < all.length; ) {
    const ids = all.slice(at, at + size);
    at += ids.length;
    const plan = await planner.plan(ids);
    const { drafts, rewritten } = await buildMovedNotes(deps, context, ids, moves, plan, yieldIfDue);
    const links = await planner.prepare(plan, rewritten);
    const bytes = drafts.reduce((sum, { row, text }) => sum + row.size_bytes + (text?.doc?.length ?? 0), 0);
    await spool.add({ revisions: drafts, links });
    revised += drafts.length;
    // Notes differ: where these were large, the next are taken by fewer.
    size = bytes > BATCH_BYTES ? Math.max(1, Math.floor(size / 4)) : Math.min(BATCH_NOTES, size * 2);
  }
  return revised;
}

/** What another's write in between may look like. */
const UNREADABLE: ReadonlySet<string> = new Set(['note_unreadable', 'attachment_unreadable']);

function toMovedItem({ file, to }: MoveScope['files'][number]): MovedItem {
  return { kind: 'attachment', id: file.id, from: file.path, to, aliases: [] };
}

/** Works out what moves: folders bring all below them, and what is below another named folder moves with that one. */
async function scopeOf(
  { db, namespace, files }: NoteDeps,
  { vault }: WriteContext,
  named: readonly MoveRoot[],
): Promise<MoveScope> {
  const [first] = named;
  if (first === undefined) throw new TypeError('a move needs something to move');
  const resolved = await namespace.resolve(db, vault, first.to, namespace.pathKey(vault, first.to));
  for (const root of named)
    if (root.kind === 'folder' && isInside(root.from, root.to)) throw new NotevaultError('cycle', { item_id: root.id });
  if (resolved.blocked !== null) throw new NotevaultError('conflict', { item_id: first.id });
  const folder = folderOf(resolved.path);
  const targets = named.map((root) => ({ ...root, to: joinPath(folder, fileName(root.to)) }));
  const roots = targets
    .filter((root) => !named.some((other) => other.kind === 'folder' && isInside(other.from, root.from)))
    .filter(({ from, to }) => from !== to);
  const entries = await Promise.all(
    roots.filter(({ kind }) => kind === 'folder').map(({ id }) => namespace.folderById(db, vault, id)),
  );
  const folders = await namespace.foldersBelow(
    db,
    vault,
    entries.filter((entry) => entry !== null),
  );
  const rootAt = new Map(roots.map((root) => [root.from, root]));
  const toOf = (path: string) => {
    const root = [path, ...ancestorsOf(path)].map((above) => rootAt.get(above)).find((found) => found !== undefined);
    return root === undefined ? path : root.to + path.slice(root.from.length);
  };
  const rows = [
    ...(await db.allMany(
      store.findRows,
      { vault: vault.id },
      roots.filter(({ kind }) => kind === 'note').map(({ id }) => id),
    )),
    ...(await db.allMany(
      store.findRowsIn,
      { vault: vault.id },
      folders.map(({ id }) => id),
    )),
  ];
  const notes = rows.map((row) => {
    const meta = sealed.openMeta(vault, row.id, row.revision, row.meta);
    const path = { from: meta.path, to: toOf(meta.path) };
    return { kind: 'note' as const, id: row.id as NoteId, ...path, aliases: meta.aliases, row, meta };
  });
  const attached = await files.find(db, vault, {
    ids: roots.filter(({ kind }) => kind === 'attachment').map(({ id }) => id),
    folders: folders.map(({ id }) => id),
  });
  const keyed = (kind: ItemKind, id: string, from: string, fromKey: Buffer) => {
    const to = toOf(from);
    return { kind, id, from, to, fromKey, toKey: namespace.pathKey(vault, to) };
  };
  const items = [
    ...folders.map(({ id, path, pathKey }) => keyed('folder', id, path, pathKey)),
    ...notes.map(({ id, from, row }) => keyed('note', id, from, row.path_key)),
    ...attached.map(({ id, path, pathKey }) => keyed('attachment', id, path, pathKey)),
  ];
  const moved = attached.map((file) => ({ file, to: toOf(file.path) }));
  return { resolved, named: targets, roots, items, folders, notes, files: moved };
}

/** What lies deep in a folder may come to lie too deep, or where no note may lie: nobody could ask for it any more. */
function checkPaths({ items }: MoveScope, field: string): void {
  for (const { kind, to } of items) pathFrom(to, field, kind === 'note' ? normalizeNotePath : normalizePath);
}

/** Changes the names and folders; resolves to the folder that what the caller named lies in now. */
async function relocateItems({ namespace }: NoteDeps, handle: WriteHandle, { vault }: WriteContext, scope: MoveScope) {
  const { resolved, items, folders, roots } = scope;
  if (roots.length === 0) return resolved.nearest?.id ?? null;
  const done = await namespace.relocate(handle, vault, { items, folders, roots, resolved });
  if (done.ok) return done.folder;
  if (done.conflictingId === null) throw new RevisionConflict();
  // What stands in the way of something below a folder stands in the way of the folder.
  const conflicting = items.find(({ id }) => id === done.conflictingId);
  const root = roots.find(({ id, from }) => id === conflicting?.id || conflicting?.from.startsWith(`${from}/`));
  throw new NotevaultError('conflict', { item_id: root?.id ?? done.conflictingId });
}
