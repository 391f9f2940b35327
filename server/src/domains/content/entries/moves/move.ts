import {
  ancestorsOf,
  fileName,
  folderOf,
  foldPath,
  isInside,
  joinPath,
  normalizeNotePath,
  normalizePath,
} from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { LinksLeft, MovedCount } from '@notevault/protocol/links.ts';
import type { Seq } from '@notevault/protocol/values/ids.ts';
import { createYield } from '../../../../concurrency/yield.ts';
import type { ReadHandle, WriteHandle } from '../../../../ports/database/database.ts';
import type { Spool } from '../../../../ports/spool/spool.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { EntryDeps, LockedDeps, MoveBatch, MovingEntry, WriteContext } from '../entries.deps.ts';
import { ITEM_KINDS, type StoredEntry } from '../entries.store.ts';
import type { ItemKind } from '../entries.tables.ts';
import { runLocked } from '../locked.ts';
import { conflictAtPath, folderById, foldersBelow } from '../namespace/namespace.ts';
import { type FolderEntry, pathKeyOf, type ResolvedPath, resolvePath } from '../namespace/path-lookup.ts';
import { checkFree, type MovedPath, type MovePlan, relocate } from '../namespace/relocate.ts';
import { pathFrom } from '../request-paths.ts';
import { RevisionConflict, retryOnConflict } from '../revision-conflict.ts';
import { entryRows } from '../rows.ts';

/** A requested item with its present path and its target path (normalized). */
export type MoveRoot = MovedPath;

export interface MoveOutcome {
  /** The requested items with their new paths. */
  readonly named: readonly MoveRoot[];
  /** The number of notes and attachments whose path changed. */
  readonly notes: number;
  readonly attachments: number;
  /** Fields for the answer: `links_left` if links no longer lead to moved entries, else none. */
  readonly left: { readonly links_left?: LinksLeft[] };
}

export interface MoveRequest<Result> {
  /** Returns the items to move. Called again if the vault changed while the move was prepared. */
  find(): Promise<MoveRoot[]>;
  /** Whether an item may take the name of another one of the move. Only notes and attachments may. */
  readonly trades?: true;
  /** The request field that a validation error names when a path breaks the rules. */
  readonly field: string;
  /** Whether to return what the move would do, without writing anything. */
  readonly dryRun: boolean;
  /** Returns the result from the written rows, inside the transaction. */
  answer(handle: ReadHandle, outcome: MoveOutcome): Promise<Result> | Result;
}

/** Maximum attempts: fewer than usual, because writers of this process wait and only another process can be faster. */
const ROUNDS_MAX = 20;
/** A move that touches more entries runs as a bulk transaction, in slices. */
const SHORT_MAX = 50;
/** The same limit in bytes written. */
const SHORT_BYTES_MAX = 256 * 1024;
/** Rows written between two yields: during a long transaction, others run only between its calls. */
const SLICE = 256;
/** Folders whose entries are read at once. */
const FOLDERS = 32;

type KindBatch = MoveBatch & { readonly kind: ItemKind };

/**
 * Moves notes, attachments and folders with their contents, in one transaction. Rewrites links that would otherwise
 * point elsewhere. Throws `conflict` and `cycle` with `item_id`.
 */
export function move<Result>(deps: LockedDeps, context: WriteContext<Result>, request: MoveRequest<Result>) {
  return runLocked(deps, context.vault, () => moveLocked(deps, context, request));
}

/** Like `move`, for one item to a path: `conflict` has the details of the entry at the path, `cycle` has no `item_id`. */
export function moveOne<Result>(
  deps: LockedDeps,
  context: WriteContext<Result>,
  to: string,
  request: MoveRequest<Result>,
): Promise<Result> {
  // Read the error's details under the lock: afterwards the entry at the path may move too.
  return runLocked(deps, context.vault, () =>
    moveLocked(deps, context, request).catch(async (error) => {
      if (!(error instanceof NotevaultError) || !('item_id' in error.details)) throw error;
      throw error.code === 'conflict' ? await conflictAtPath(deps, context.vault, to) : new NotevaultError(error.code);
    }),
  );
}

/** Like `move`, for a batch: answers how many items were requested, which `count` returns after `find`. */
export function moveMany(
  deps: LockedDeps,
  context: WriteContext<MovedCount>,
  request: Omit<MoveRequest<MovedCount>, 'answer'>,
  count: () => number,
): Promise<MovedCount> {
  const answer = (_handle: unknown, { left }: MoveOutcome) => ({ moved: request.dryRun ? 0 : count(), ...left });
  return move(deps, context, { ...request, answer });
}

/** Planned under the vault's lock of this process, a move usually still holds when it is carried out. */
function moveLocked<Result>(deps: LockedDeps, context: WriteContext<Result>, request: MoveRequest<Result>) {
  return retryOnConflict(() => moveOnce(deps, context, request), ROUNDS_MAX);
}

async function moveOnce<Result>(deps: EntryDeps, context: WriteContext<Result>, request: MoveRequest<Result>) {
  const { db, vaults } = deps;
  const { vault } = context;
  const before = await vaults.currentSeq(db, vault);
  await using spool = deps.openSpool<KindBatch>();
  await using unused = new AsyncDisposableStack();
  const prepare = async () => {
    const scope = await scopeOf(deps, vault, await request.find(), request.trades === true);
    checkPaths(scope, request.field);
    return { scope, ...(await prepareBatches(deps, context, scope, { spool, unused })) };
  };
  const { scope, changed, attachmentBytes, linksLeft } = await prepare().catch(async (error) => {
    // A row and a body read one after the other do not match if another request wrote in between; that is not damage.
    const damaged = !(error instanceof NotevaultError) || UNREADABLE.has(error.code);
    throw damaged && (await vaults.currentSeq(db, vault)) !== before ? new RevisionConflict() : error;
  });
  const outcome = outcomeOf(scope, linksLeft);
  if (request.dryRun) {
    return db.read(async (handle) => {
      await checkFree(handle, vault, scope);
      return request.answer(handle, outcome);
    });
  }
  const isLong = spool.isOnDisk || spool.heldBytes > SHORT_BYTES_MAX || changed > SHORT_MAX;
  // A short transaction may await only its handle.
  const held = isLong ? null : await Array.fromAsync(spool.values());
  // Awaited here, because the spool closes when this function returns.
  return await db.transact(
    async (handle) => {
      // Takes at least one seq if anything moves, so that clients reload the tree even when only empty folders moved.
      const seqs = Math.max(changed, Math.min(scope.roots.length, 1));
      const first = await vaults.advance(handle, vault, { seqs, notes: 0, attachmentBytes });
      // The vault is locked now: every row still has the revision that its update was prepared from.
      if (first !== before + 1) throw new RevisionConflict();
      const [parentOf] = await Promise.all([
        relocate(deps.clock, handle, vault, scope),
        recordMove(deps, handle, context, scope, changed),
      ]);
      const parents = new Map(scope.roots.map((root) => [root.id, parentOf(root)]));
      let next = first;
      const write = async (batch: KindBatch) => {
        const rows = batch.rows.map((row) => {
          const parent = parents.get(row.id);
          return parent === undefined ? row : { ...row, parent_id: parent };
        });
        await writeRows(handle, vault, rows, next);
        await deps.handlerOf(batch.kind).applyMove(handle, vault, batch.rest);
        next = (next + rows.length) as Seq;
      };
      if (held !== null) for (const batch of held) await write(batch);
      else for await (const batch of spool.values()) await write(batch);
      const result = await request.answer(handle, outcome);
      await context.inTransaction?.(handle, result);
      handle.onCommit(() => void unused.move());
      return result;
    },
    isLong ? 'bulk' : 'normal',
  );
}

/** Records the requested items only: what is inside a folder moves with it. */
async function recordMove(
  { activity }: EntryDeps,
  handle: WriteHandle,
  { vault, actor, origin }: Pick<WriteContext, 'vault' | 'actor' | 'origin'>,
  { roots, moving }: MoveScope,
  changed: number,
): Promise<void> {
  if (roots.length === 0) return;
  const changes = roots.map(({ kind, id, from, to }) => ({ op: 'move' as const, kind, id, path: to, from }));
  const count = Math.max(moving.length, roots.length);
  const relinked = Math.max(0, changed - moving.length);
  await activity.append(handle, vault, [{ action: 'move', origin, actor, changes, count, relinked }]);
}

function outcomeOf({ named, moving }: MoveScope, linksLeft: LinksLeft[]): MoveOutcome {
  const [notes = 0, attachments = 0] = ITEM_KINDS.map((kind) => moving.filter((moved) => moved.kind === kind).length);
  return { named, notes, attachments, left: linksLeft.length === 0 ? {} : { links_left: linksLeft } };
}

/** Error codes that a concurrent write may cause. */
const UNREADABLE: ReadonlySet<string> = new Set(['note_unreadable', 'attachment_unreadable', 'internal']);

/** Resolves to the number of rows that change, the bytes by which attachments grow, and the links that cannot change. */
async function prepareBatches(
  { handlerOf }: EntryDeps,
  context: WriteContext,
  { moving }: MoveScope,
  { spool, unused }: { readonly spool: Spool<KindBatch>; readonly unused: AsyncDisposableStack },
): Promise<{ changed: number; attachmentBytes: number; linksLeft: LinksLeft[] }> {
  const yieldIfDue = createYield();
  const linksLeft: LinksLeft[] = [];
  let [changed, attachmentBytes] = [0, 0];
  for (const kind of ITEM_KINDS) {
    for await (const batch of handlerOf(kind).prepareMove(context, moving, unused, yieldIfDue)) {
      await spool.add({ ...batch, kind });
      changed += batch.rows.length;
      attachmentBytes += batch.attachmentBytes ?? 0;
      for (const left of batch.linksLeft) linksLeft.push(left);
    }
  }
  return { changed, attachmentBytes, linksLeft };
}

async function writeRows(handle: WriteHandle, vault: OpenVault, rows: readonly StoredEntry[], first: Seq) {
  for (let at = 0; at < rows.length; at += SLICE) {
    const slice = rows.slice(at, at + SLICE).map((row, index) => ({ ...row, seq: first + at + index }));
    if (!(await entryRows.overwrite(handle, vault.id, slice))) throw new RevisionConflict();
  }
}

/**
 * All entries whose path changes in a move. Its roots are the requested items that actually move: not those below another
 * requested one, nor those already at their target.
 */
interface MoveScope extends MovePlan, Pick<MoveOutcome, 'named'> {
  readonly moving: readonly MovingEntry[];
}

/** A folder moves with its contents, and an item below another requested folder moves with that folder. */
async function scopeOf(
  { db, handlerOf }: EntryDeps,
  vault: OpenVault,
  named: readonly MoveRoot[],
  trades: boolean,
): Promise<MoveScope> {
  if (named.length === 0) throw new TypeError('a move needs something to move');
  for (const root of named)
    if (root.kind === 'folder' && isInside(root.from, root.to)) throw new NotevaultError('cycle', { item_id: root.id });
  const leaving = new Set(trades ? named.filter(leavesItsName).map(({ id }) => id) : []);
  const placeAt = new Map<string, ResolvedPath>();
  for (const root of named) {
    const folder = folderOf(root.to);
    if (!placeAt.has(folder)) placeAt.set(folder, await placeOf(db, vault, root, leaving));
  }
  const places = new Map([...placeAt.values()].map((place) => [folderOf(place.path), place]));
  const targets = named.map((root) => {
    const folder = folderOf(placeAt.get(folderOf(root.to))?.path ?? root.to);
    return { ...root, to: joinPath(folder, fileName(root.to)) };
  });
  const roots = targets
    .filter((root) => !named.some((other) => other.kind === 'folder' && isInside(other.from, root.from)))
    .filter(({ from, to }) => from !== to);
  const entries = await Promise.all(
    roots.filter(({ kind }) => kind === 'folder').map(({ id }) => folderById(db, vault, id)),
  );
  const top = entries.filter((entry) => entry !== null);
  const folders = await foldersBelow(db, vault, top);
  const rootAt = new Map(roots.map((root) => [root.from, root]));
  const toOf = (path: string) => {
    const root = [path, ...ancestorsOf(path)].map((above) => rootAt.get(above)).find((found) => found !== undefined);
    return root === undefined ? path : root.to + path.slice(root.from.length);
  };
  const yieldIfDue = createYield();
  const moving: MovingEntry[] = [];
  for await (const row of rowsOf(db, vault, roots, folders)) {
    await yieldIfDue();
    const meta = handlerOf(row.kind).openMeta(vault, row);
    const to = toOf(meta.path);
    const toKey = pathKeyOf(vault, to);
    moving.push({ kind: row.kind, id: row.id, from: meta.path, to, toKey, row: withoutMeta(row), meta });
  }
  const items = [
    ...folders.map(({ id, path: from, pathKey: fromKey }) => {
      const to = toOf(from);
      return { kind: 'folder' as const, id, from, to, fromKey, toKey: pathKeyOf(vault, to) };
    }),
    ...moving.map(({ kind, id, from, to, toKey, row }) => ({ kind, id, from, to, fromKey: row.path_key, toKey })),
  ];
  return { places, named: targets, roots, items, folders, moving, parked: trades ? parkedRows(vault, moving) : null };
}

const leavesItsName = ({ from, to }: MoveRoot) => foldPath(from) !== foldPath(to);

/** Resolves the target of an item, where an item that leaves its name is not in the way. Throws `conflict`. */
async function placeOf(
  handle: ReadHandle,
  vault: OpenVault,
  { id, to }: MoveRoot,
  leaving: ReadonlySet<string>,
): Promise<ResolvedPath> {
  const resolved = await resolvePath(handle, vault, to, pathKeyOf(vault, to));
  const { blocked } = resolved;
  if (blocked === null) return resolved;
  if (!leaving.has(blocked.owner.id)) throw new NotevaultError('conflict', { item_id: id });
  const above = await resolvePath(handle, vault, blocked.path, pathKeyOf(vault, blocked.path));
  return { ...resolved, path: above.path + to.slice(blocked.path.length), nearest: above.nearest, blocked: null };
}

/** Returns the rows of items that leave their names, under keys that no path has: no path contains a NUL. */
function parkedRows(vault: OpenVault, moving: readonly MovingEntry[]): StoredEntry[] {
  const leaving = moving.filter(({ row, toKey }) => !row.path_key.equals(toKey));
  return leaving.map(({ row }) => ({ ...row, path_key: vault.key.blind('path', `\0${row.id}`) }));
}

/** Reads the notes and attachments that move: first those requested, then those in the folders; notes first. */
async function* rowsOf(
  db: EntryDeps['db'],
  vault: OpenVault,
  roots: readonly MoveRoot[],
  folders: readonly FolderEntry[],
): AsyncGenerator<StoredEntry> {
  const named = roots.filter(({ kind }) => kind !== 'folder').map(({ id }) => id);
  const rows = await entryRows.rowsById(db, vault.id, null, named);
  const inside = folders.map(({ id }) => id).sort();
  for (const kind of ITEM_KINDS) {
    yield* rows.filter((row) => row.kind === kind);
    for (let at = 0; at < inside.length; at += FOLDERS) {
      yield* await entryRows.rowsIn(db, vault.id, kind, inside.slice(at, at + FOLDERS));
    }
  }
}

const NOTHING = Buffer.alloc(0);

/**
 * The row as long as it waits for its move. Bytes from the database take several times their size outside of V8's heap,
 * and of a hundred thousand rows the C library's allocator would keep that space.
 */
function withoutMeta(row: StoredEntry): StoredEntry {
  const { path_key: pathKey, name_key: nameKey } = row;
  return { ...row, path_key: Buffer.from(pathKey), name_key: nameKey && Buffer.from(nameKey), meta: NOTHING };
}

/** Checks the new paths: no request could name an entry that is too deep, or at a path that its kind may not have. */
function checkPaths({ items }: MoveScope, field: string): void {
  for (const { kind, to } of items) pathFrom(to, field, kind === 'note' ? normalizeNotePath : normalizePath);
}
