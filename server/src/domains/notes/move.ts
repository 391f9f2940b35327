import { fileName, folderOf, isInside, joinPath } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId, Seq } from '@notevault/protocol/ids.ts';
import type { WriteHandle } from '../../engines/database/database.ts';
import type { FolderEntry, Relocated, Spot } from '../tree/tree.ts';
import { breather } from './breather.ts';
import { Stale } from './commit.ts';
import { sealed } from './meta.ts';
import * as store from './notes.store.ts';
import type { NoteParts, Rewritten, Writing } from './parts.ts';
import { type MovingNote, reviseNotes, writeRevision } from './revise.ts';

/** Something a client asked to move, from where it is to where it should be (normalised). */
export type Top = Relocated;

/** What a move came to. */
export interface Outcome {
  /** What the caller named, each with the path it has now. */
  readonly named: readonly Top[];
  /** How many notes changed their path. */
  readonly notes: number;
}

/** Makes the answer inside the transaction, from what it wrote. */
export type Answer<Result> = (handle: WriteHandle, outcome: Outcome) => Promise<Result> | Result;

/** Other processes may write to the vault while a move is prepared; in this one nobody does. */
const ROUNDS_MAX = 20;
/** Moves that touch more notes than this take the writer for themselves, in slices. */
const SHORT_MAX = 50;

/** Everything that changes its path, worked out from what the caller named. */
interface Scope {
  readonly spot: Spot;
  /** What the caller named, with the paths they get. */
  readonly named: readonly Top[];
  /** Those of them that really move: no item below another named one, none that is there already. */
  readonly tops: readonly Top[];
  readonly items: readonly Relocated[];
  readonly folders: readonly FolderEntry[];
  readonly notes: readonly MovingNote[];
}

export async function moveItems<Result>(
  parts: NoteParts,
  writing: Writing<Result>,
  named: readonly Top[],
  answer: Answer<Result>,
): Promise<Result> {
  for (let round = 1; ; round++) {
    try {
      return await moveOnce(parts, writing, named, answer);
    } catch (error) {
      if (!(error instanceof Stale)) throw error;
      if (round === ROUNDS_MAX) throw new NotevaultError('unavailable', {}, error);
    }
  }
}

async function moveOnce<Result>(
  parts: NoteParts,
  writing: Writing<Result>,
  named: readonly Top[],
  answer: Answer<Result>,
): Promise<Result> {
  const { db, vaults, hooks } = parts;
  const { vault } = writing;
  const breathe = breather();
  const before = await vaults.currentSeq(db, vault);
  const scope = await scopeOf(parts, writing, named);
  const plan = await hooks.planMove(db, vault, scope.notes, breathe);
  const revisions = await reviseNotes(parts, writing, scope.notes, plan, breathe);
  const pace = revisions.length > SHORT_MAX ? 'long' : 'short';
  return db.transact(async (handle) => {
    const first = await vaults.advance(handle, vault, { seqs: revisions.length, notes: 0 });
    if (first !== before + 1) throw new Stale();
    const seqs = new Map(revisions.map(({ id }, index) => [id, (first + index) as Seq]));
    const folder = await relocated(parts, handle, writing, scope);
    const tops = new Set(scope.tops.map(({ id }) => id));
    const rewritten = new Map<NoteId, Rewritten>();
    for (const [index, revision] of revisions.entries()) {
      const { id, old, text } = revision;
      await writeRevision(handle, vault, revision, (first + index) as Seq, tops.has(id) ? folder : old.folder_id);
      if (text !== null) rewritten.set(id, { version: text.version, links: text.derived.links });
    }
    await hooks.applyMove(handle, vault, plan, rewritten, (id) => seqs.get(id) ?? first);
    const result = await answer(handle, { named: scope.named, notes: scope.notes.length });
    await writing.finish?.(handle, result);
    return result;
  }, pace);
}

/** Works out what moves: folders bring all below them, and what is below another named folder moves with that one. */
async function scopeOf({ db, tree }: NoteParts, { vault }: Writing, named: readonly Top[]): Promise<Scope> {
  const [first] = named;
  if (first === undefined) throw new TypeError('a move needs something to move');
  const spot = await tree.spot(db, vault, first.to, tree.pathKey(vault, first.to));
  if (spot.blocked !== null) throw new NotevaultError('conflict', { item_id: first.id });
  const folder = folderOf(spot.path);
  const placed = named.map((top) => ({ ...top, to: joinPath(folder, fileName(top.to)) }));
  const tops = placed
    .filter((top) => !named.some((other) => other.kind === 'folder' && isInside(other.from, top.from)))
    .filter(({ from, to }) => from !== to);
  for (const top of tops)
    if (top.kind === 'folder' && isInside(top.from, top.to)) throw new NotevaultError('cycle', { item_id: top.id });
  const entries = await Promise.all(
    tops.filter(({ kind }) => kind === 'folder').map(({ id }) => tree.folderById(db, vault, id)),
  );
  const folders = await tree.foldersBelow(
    db,
    vault,
    entries.filter((entry) => entry !== null),
  );
  const toOf = (path: string) => {
    const top = tops.find(({ from }) => path === from || path.startsWith(`${from}/`));
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
    return { id: row.id as NoteId, from: meta.path, to: toOf(meta.path), aliases: meta.aliases, row, meta };
  });
  const items = [
    ...folders.map(({ id, path }) => ({ kind: 'folder' as const, id, from: path, to: toOf(path) })),
    ...notes.map(({ id, from, to }) => ({ kind: 'note' as const, id, from, to })),
  ];
  return { spot, named: placed, tops, items, folders, notes };
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
