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
import type { WriteHandle } from '../../engines/database/database.ts';
import type { Spool } from '../../engines/spool/spool.ts';
import {
  type FolderEntry,
  type ItemKind,
  type KeyedRelocated,
  pathFrom,
  type Relocated,
  type Spot,
} from '../tree/tree.ts';
import { conflictOver } from './basis.ts';
import { Stale } from './commit.ts';
import { sealed } from './meta.ts';
import * as store from './notes.store.ts';
import type { HeldFile, MovedItem, NoteParts, PreparedLinks, Writing } from './parts.ts';
import { type MovingNote, type Revision, reviseNotes, writeRevisions } from './revise.ts';

/** Something a client asked to move, from where it is to where it should be (normalised). */
export type Top = Relocated;

/** What a move came to. */
export interface Outcome {
  /** What the caller named, each with the path it has now. */
  readonly named: readonly Top[];
  /** How many notes and attachments changed their path. */
  readonly notes: number;
  readonly attachments: number;
}

/** What to move, and what to answer. */
export interface Move<Result> {
  /** Says what moves, all of it into one folder; asked anew when the vault changed while the move was prepared. */
  find(): Promise<Top[]>;
  /** The field of the request that is to blame when a path would break the rules for paths. */
  readonly field: string;
  /** Makes the answer inside the transaction, from what it wrote. */
  answer(handle: WriteHandle, outcome: Outcome): Promise<Result> | Result;
}

/** Other processes may write to the vault while a move is prepared; in this one nobody does. */
const ROUNDS_MAX = 20;
/** Moves that touch more notes than this take the writer for themselves, in slices. */
const SHORT_MAX = 50;
/** As SHORT_MAX, of what is written. */
const SHORT_BYTES_MAX = 256 * 1024;

/** Everything that changes its path, worked out from what the caller named. */
interface Scope {
  readonly spot: Spot;
  /** What the caller named, with the paths they get. */
  readonly named: readonly Top[];
  /** Those of them that really move: no item below another named one, none that is there already. */
  readonly tops: readonly Top[];
  readonly items: readonly KeyedRelocated[];
  readonly folders: readonly FolderEntry[];
  readonly notes: readonly MovingNote[];
  readonly files: readonly { readonly file: HeldFile; readonly to: string }[];
}

export async function moveItems<Result>(
  parts: NoteParts,
  writing: Writing<Result>,
  move: Move<Result>,
): Promise<Result> {
  for (let round = 1; ; round++) {
    try {
      return await moveOnce(parts, writing, move);
    } catch (error) {
      if (!(error instanceof Stale)) throw error;
      if (round === ROUNDS_MAX) throw new NotevaultError('unavailable', {}, error);
    }
  }
}

/** As moveItems, for one thing: a refusal then says what is in the way of it, not which item it is. */
export async function moveOne<Result>(
  parts: NoteParts,
  writing: Writing<Result>,
  to: string,
  move: Move<Result>,
): Promise<Result> {
  try {
    return await moveItems(parts, writing, move);
  } catch (error) {
    if (!(error instanceof NotevaultError) || !('item_id' in error.details)) throw error;
    if (error.code === 'conflict') throw await conflictOver(parts, writing.vault, to);
    throw new NotevaultError(error.code);
  }
}

/** What a move writes of some notes: their rows, and of links. */
interface Batch {
  readonly revisions: readonly Revision[];
  readonly links: PreparedLinks;
}

async function moveOnce<Result>(parts: NoteParts, writing: Writing<Result>, move: Move<Result>): Promise<Result> {
  const { db, vaults, hooks, files } = parts;
  const { vault } = writing;
  const before = await vaults.currentSeq(db, vault);
  await using spool = parts.openSpool<Batch>();
  const prepare = async () => {
    const scope = await scopeOf(parts, writing, await move.find());
    checkPaths(scope, move.field);
    const revised = await prepareBatches(parts, writing, scope, spool);
    return { scope, revised, moved: files.prepareMove(vault, scope.files) };
  };
  const { scope, revised, moved } = await prepare().catch(async (error) => {
    // A row and a body read one after the other do not fit together when somebody wrote in between: that is no damage.
    const damaged = !(error instanceof NotevaultError) || UNREADABLE.has(error.code);
    throw damaged && (await vaults.currentSeq(db, vault)) !== before ? new Stale() : error;
  });
  const isLong = spool.isOnDisk || spool.heldBytes > SHORT_BYTES_MAX || revised + moved.count > SHORT_MAX;
  // A short body may await nothing but its handle.
  const held = isLong ? null : await Array.fromAsync(spool.values());
  return db.transact(
    async (handle) => {
      // At least one seq where anything moves, so that clients look at the tree again when only empty folders did.
      const seqs = Math.max(revised + moved.count, Math.min(scope.tops.length, 1));
      const first = await vaults.advance(handle, vault, { seqs, notes: 0 });
      // From here on nobody else writes to the vault: every row still is what it was prepared from.
      if (first !== before + 1) throw new Stale();
      const folder = await relocated(parts, handle, writing, scope);
      const tops = new Set(scope.tops.map(({ id }) => id));
      const folderOf = (id: string, old: string | null) => (tops.has(id) ? folder : old);
      let next = first;
      const write = async ({ revisions, links }: Batch) => {
        await writeRevisions(parts, handle, vault, revisions, next, ({ id, folder }) => folderOf(id, folder));
        await hooks.applyMove(handle, vault, links);
        next = (next + revisions.length) as Seq;
      };
      if (held !== null) for (const batch of held) await write(batch);
      else for await (const batch of spool.values()) await write(batch);
      if (!(await files.writeMove(handle, vault, moved, next, folderOf))) throw new Stale();
      const counts = { notes: scope.notes.length, attachments: moved.count };
      const result = await move.answer(handle, { named: scope.named, ...counts });
      await writing.finish?.(handle, result);
      return result;
    },
    isLong ? 'long' : 'short',
  );
}

/** Notes that are worked out together, and how much of them may be in memory at once. */
const BATCH_NOTES = 64;
const BATCH_BYTES = 2 * 1024 * 1024;

/** Works out what becomes of notes and links, a few at a time, and puts it aside; resolves to how many notes change. */
async function prepareBatches(parts: NoteParts, writing: Writing, scope: Scope, spool: Spool<Batch>): Promise<number> {
  const yieldIfDue = createYield();
  const moves = new Map(scope.notes.map((note) => [note.id, note]));
  const items = [...scope.notes, ...scope.files.map(movedFile)];
  const planner = await parts.hooks.planMove(parts.db, writing.vault, items, yieldIfDue);
  const all = [...moves.keys(), ...planner.sources.filter((id) => !moves.has(id))];
  let revised = 0;
  let size = 4;
  for (let at = 0; at < all.length; ) {
    const ids = all.slice(at, at + size);
    at += ids.length;
    const plan = await planner.plan(ids);
    const { revisions, rewritten } = await reviseNotes(parts, writing, ids, moves, plan, yieldIfDue);
    const links = await planner.prepare(plan, rewritten);
    const bytes = revisions.reduce((sum, { row, text }) => sum + row.size_bytes + (text?.doc?.length ?? 0), 0);
    await spool.add({ revisions, links });
    revised += revisions.length;
    // Notes differ: where these were large, the next are taken by fewer.
    size = bytes > BATCH_BYTES ? Math.max(1, Math.floor(size / 4)) : Math.min(BATCH_NOTES, size * 2);
  }
  return revised;
}

/** What another's write in between may look like. */
const UNREADABLE: ReadonlySet<string> = new Set(['note_unreadable', 'attachment_unreadable']);

function movedFile({ file, to }: Scope['files'][number]): MovedItem {
  return { kind: 'attachment', id: file.id, from: file.path, to, aliases: [] };
}

/** Works out what moves: folders bring all below them, and what is below another named folder moves with that one. */
async function scopeOf({ db, tree, files }: NoteParts, { vault }: Writing, named: readonly Top[]): Promise<Scope> {
  const [first] = named;
  if (first === undefined) throw new TypeError('a move needs something to move');
  const spot = await tree.spot(db, vault, first.to, tree.pathKey(vault, first.to));
  for (const top of named)
    if (top.kind === 'folder' && isInside(top.from, top.to)) throw new NotevaultError('cycle', { item_id: top.id });
  if (spot.blocked !== null) throw new NotevaultError('conflict', { item_id: first.id });
  const folder = folderOf(spot.path);
  const placed = named.map((top) => ({ ...top, to: joinPath(folder, fileName(top.to)) }));
  const tops = placed
    .filter((top) => !named.some((other) => other.kind === 'folder' && isInside(other.from, top.from)))
    .filter(({ from, to }) => from !== to);
  const entries = await Promise.all(
    tops.filter(({ kind }) => kind === 'folder').map(({ id }) => tree.folderById(db, vault, id)),
  );
  const folders = await tree.foldersBelow(
    db,
    vault,
    entries.filter((entry) => entry !== null),
  );
  const topAt = new Map(tops.map((top) => [top.from, top]));
  const toOf = (path: string) => {
    const top = [path, ...ancestorsOf(path)].map((above) => topAt.get(above)).find((found) => found !== undefined);
    return top === undefined ? path : top.to + path.slice(top.from.length);
  };
  const rows = [
    ...(await db.allIn(
      store.findRows,
      { vault: vault.id },
      tops.filter(({ kind }) => kind === 'note').map(({ id }) => id),
    )),
    ...(await db.allIn(
      store.findRowsIn,
      { vault: vault.id },
      folders.map(({ id }) => id),
    )),
  ];
  const notes = rows.map((row) => {
    const meta = sealed.openMeta(vault, row.id, row.stamp, row.meta);
    const path = { from: meta.path, to: toOf(meta.path) };
    return { kind: 'note' as const, id: row.id as NoteId, ...path, aliases: meta.aliases, row, meta };
  });
  const held = await files.find(db, vault, {
    ids: tops.filter(({ kind }) => kind === 'attachment').map(({ id }) => id),
    folders: folders.map(({ id }) => id),
  });
  const keyed = (kind: ItemKind, id: string, from: string, fromKey: Buffer) => {
    const to = toOf(from);
    return { kind, id, from, to, fromKey, toKey: tree.pathKey(vault, to) };
  };
  const items = [
    ...folders.map(({ id, path, pathKey }) => keyed('folder', id, path, pathKey)),
    ...notes.map(({ id, from, row }) => keyed('note', id, from, row.path_key)),
    ...held.map(({ id, path, pathKey }) => keyed('attachment', id, path, pathKey)),
  ];
  const moved = held.map((file) => ({ file, to: toOf(file.path) }));
  return { spot, named: placed, tops, items, folders, notes, files: moved };
}

/** What lies deep in a folder may come to lie too deep, or where no note may lie: nobody could ask for it any more. */
function checkPaths({ items }: Scope, field: string): void {
  for (const { kind, to } of items) pathFrom(to, field, kind === 'note' ? normalizeNotePath : normalizePath);
}

/** Changes the names and folders; resolves to the folder that what the caller named lies in now. */
async function relocated({ tree }: NoteParts, handle: WriteHandle, { vault }: Writing, scope: Scope) {
  const { spot, items, folders, tops } = scope;
  if (tops.length === 0) return spot.anchor?.id ?? null;
  const done = await tree.relocate(handle, vault, { items, folders, tops, spot });
  if (done.ok) return done.folder;
  if (done.culprit === null) throw new Stale();
  // What stands in the way of something below a folder stands in the way of the folder.
  const culprit = items.find(({ id }) => id === done.culprit);
  const top = tops.find(({ id, from }) => id === culprit?.id || culprit?.from.startsWith(`${from}/`));
  throw new NotevaultError('conflict', { item_id: top?.id ?? done.culprit });
}
