import { deriveNote } from '@notevault/note-text/derive.ts';
import type { ParsedLink } from '@notevault/note-text/links/parsed-link.ts';
import type { LinkChange } from '@notevault/note-text/links/relink.ts';
import { noteNameKey } from '@notevault/note-text/links/resolve.ts';
import { fileStem } from '@notevault/note-text/paths.ts';
import type { LinksLeft } from '@notevault/protocol/links.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { slicesBySize } from '../../../../concurrency/slices.ts';
import type { YieldIfDue } from '../../../../concurrency/yield.ts';
import type { WriteHandle } from '../../../../ports/database/database.ts';
import type { MoveBatch, MovingEntry, StoredEntry, WriteContext } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { NoteDeps } from '../notes.deps.ts';
import * as store from '../notes.store.ts';
import { type NoteMeta, sealed } from '../sealed-note.ts';
import { offload } from '../writes/offload/offload.ts';
import { DRAFT_SEALS, isLarge, postVault, receiveDraft } from '../writes/offload/task-transfer.ts';
import type { NoteRowDraft } from '../writes/write-target.ts';
import { type Rewrite, rewriteLinks } from './rewrite-links.ts';

/** The effect of a move on links: the texts that must change so that every link keeps its target. */
export interface LinkMove {
  /** New targets by note and position among its links. */
  readonly rewrites: ReadonlyMap<NoteId, readonly LinkChange[]>;
  /** Links that keep their text and get another target. */
  readonly retargets: { readonly length: number };
}

export interface RewrittenNote {
  readonly version: number;
  readonly links: readonly ParsedLink[];
}

/** The changes of a move to links. Only the links that it cannot rewrite are visible outside the links domain. */
export interface PreparedLinks {
  readonly links: 'prepared';
  readonly linksLeft: readonly LinksLeft[];
}

/** A note that moves, or one that stays and gets rewritten links. */
type MovingNote = Omit<MovingEntry<NoteMeta>, 'row'> & { readonly row: store.StoredRow };

type MovedText = Pick<NoteRowDraft, 'id' | 'content' | 'doc' | 'replaced'>;

/** The data of a batch that only notes and links read. */
interface MovedTexts {
  /** New versions of notes whose links were rewritten. */
  readonly texts: MovedText[];
  readonly links: PreparedLinks;
}

interface MovedNotes {
  readonly rows: StoredEntry[];
  readonly texts: MovedText[];
  readonly rewritten: Map<NoteId, RewrittenNote>;
}

/** Number of notes processed per batch, and the size of a batch in memory. */
const BATCH_NOTES = 64;
const BATCH_BYTES = 2 * MB;
/** Bytes of new texts that one call writes. */
const SLICE_BYTES = 256 * 1024;
/** Some 10 MB in memory: each edge is an object with two keys. */
const BATCH_LINKS = 20_000;

/** Prepares a move's changes in batches: to the moving notes, and to notes that link to moving entries. */
export async function* prepareMove(
  deps: NoteDeps,
  context: Pick<WriteContext, 'vault' | 'actor'>,
  moving: readonly MovingEntry[],
  yieldIfDue: YieldIfDue,
): AsyncGenerator<MoveBatch> {
  const moves = new Map(
    moving.filter(({ kind }) => kind === 'note').map((note) => [note.id as NoteId, note as MovingNote]),
  );
  const planner = await deps.hooks.planMove(deps.db, context.vault, moving, yieldIfDue);
  const all = [...moves.keys(), ...planner.sources.filter((id) => !moves.has(id))];
  let size = 1;
  for (let at = 0; at < all.length; ) {
    const ids = all.slice(at, at + size);
    at += ids.length;
    const plan = await planner.plan(ids);
    const { rows, texts, rewritten } = await buildMovedNotes(deps, context, ids, moves, plan, yieldIfDue);
    const links = await planner.prepare(plan, rewritten);
    const rest: MovedTexts = { texts, links };
    yield { rows, rest, linksLeft: links.linksLeft };
    const changed = new Map(rows.map((row) => [row.id, row.size_bytes]));
    const bytes = texts.reduce((sum, { id, doc }) => sum + (changed.get(id) ?? 0) + (doc?.length ?? 0), 0);
    const rewrites = ids.reduce((sum, id) => sum + (plan.rewrites.get(id)?.length ?? 0), 0);
    const many = bytes > BATCH_BYTES || rewrites + plan.retargets.length >= BATCH_LINKS;
    // Sizes differ: if these notes were large, the next batch takes fewer.
    size = many ? Math.max(1, Math.floor(size / 4)) : Math.min(BATCH_NOTES, size * 2);
  }
}

/** Writes the new versions of a batch and updates the edges. */
export async function applyMove({ hooks, live }: NoteDeps, handle: WriteHandle, vault: OpenVault, rest: unknown) {
  // Only prepareMove makes them.
  const { texts, links } = rest as MovedTexts;
  // Slices of a few statements each, which are short enough for SQLite to block the event loop.
  for (const slice of slicesBySize(texts, { bytes: SLICE_BYTES }, bytesOf)) {
    const versions = slice.flatMap(({ id, replaced }) => (replaced === null ? [] : [{ id, ...replaced }]));
    await handle.runMany(store.insertVersions, { vault: vault.id }, versions);
    await handle.runMany(store.overwriteBodies, { vault: vault.id }, slice);
    for (const { id } of slice) handle.onCommit(() => live.changed(id));
  }
  await hooks.applyMove(handle, vault, links);
}

function bytesOf({ content, doc, replaced }: MovedText): number {
  return content.length + (doc?.length ?? 0) + (replaced?.content.length ?? 0);
}

type Body = { readonly content: Buffer; readonly doc: Buffer | null };

/** Prepares the new rows of some notes that a move touches: those that move and those whose links must be rewritten. */
async function buildMovedNotes(
  deps: NoteDeps,
  context: Pick<WriteContext, 'vault' | 'actor'>,
  ids: readonly NoteId[],
  moves: ReadonlyMap<NoteId, MovingNote>,
  plan: LinkMove,
  yieldIfDue: YieldIfDue,
): Promise<MovedNotes> {
  const touched = ids.filter((id) => moves.has(id) || plan.rewrites.has(id));
  const needsText = (id: NoteId) => {
    const move = moves.get(id);
    return plan.rewrites.has(id) || (move !== undefined && mayChangeTitle(move));
  };
  const moved: MovedNotes = { rows: [], texts: [], rewritten: new Map() };
  const unmoved = touched.filter((id) => !moves.has(id));
  const { rows, bodyOf } = await readRowsAndBodies(deps, context.vault, unmoved, touched.filter(needsText));
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  for (const id of touched) {
    await yieldIfDue();
    const row = rowOf.get(id);
    const note = moves.get(id) ?? (row && unmovedNote(context.vault, row));
    if (note !== undefined) await buildMovedNote(deps, context, note, bodyOf.get(id), plan, moved);
  }
  return moved;
}

/** Reads rows and bodies from one snapshot: a row has the version with which its body was sealed. */
function readRowsAndBodies(
  { db, entries }: NoteDeps,
  vault: OpenVault,
  ids: readonly NoteId[],
  withText: readonly NoteId[],
) {
  return db.read(async (handle) => {
    const rows = (await entries.rowsById(handle, vault.id, 'note', ids)) as store.StoredRow[];
    const bodies = await handle.allMany(store.findBodies, { vault_id: vault.id }, withText);
    return { rows, bodyOf: new Map<string, Body>(bodies.map((body) => [body.note_id, body])) };
  });
}

/** A note that stays at its path and gets rewritten links. */
function unmovedNote(vault: OpenVault, row: store.StoredRow): MovingNote {
  const meta = sealed.openMeta(vault, row.id, row.revision, row.meta);
  return { kind: 'note', id: row.id, from: meta.path, to: meta.path, toKey: row.path_key, row, meta };
}

/** A title derived from the file name changes with it; only the text can tell whether it was. */
function mayChangeTitle({ from, to, meta }: MovingNote): boolean {
  return fileStem(from) !== fileStem(to) && meta.title === fileStem(from);
}

async function buildMovedNote(
  deps: NoteDeps,
  context: Pick<WriteContext, 'vault' | 'actor'>,
  note: MovingNote,
  body: Body | undefined,
  plan: LinkMove,
  into: MovedNotes,
): Promise<void> {
  const { vault, actor: movedActor } = context;
  const { row, to, toKey } = note;
  const id = row.id as NoteId;
  const rewrites = plan.rewrites.get(id);
  const content = body === undefined ? null : sealed.openContent(vault, id, row.version, body.content);
  if (rewrites !== undefined && body !== undefined && content !== null) {
    const stored = { ...row, meta: note.meta, content, sealedContent: body.content };
    const next = await rewritten(deps, context, { note: stored, doc: body.doc, to, pathKey: toKey, rewrites });
    const { version, size, mtime, revision, nameKey, now, sealedMeta: meta, doc, replaced } = next;
    into.rewritten.set(id, { version, links: next.derived.links });
    into.rows.push({
      ...row,
      revision,
      version,
      path_key: toKey,
      name_key: nameKey,
      size_bytes: size,
      mtime,
      updated_at: now,
      meta,
    });
    into.texts.push({ id: next.id, content: next.content, doc, replaced });
    return;
  }
  const title = content === null ? note.meta.title : deriveNote(to, content).title;
  const revision = row.revision + 1;
  into.rows.push({
    ...row,
    revision,
    path_key: toKey,
    name_key: noteNameKey(to) === noteNameKey(note.from) ? row.name_key : vault.key.blind('name', noteNameKey(to)),
    updated_at: deps.clock.now(),
    meta: sealed.meta(vault, id, revision, { ...note.meta, path: to, title, movedActor }),
  });
}

/** Builds the note's next version with new link targets; on a worker thread for a large note. */
async function rewritten(deps: NoteDeps, { vault, actor }: Pick<WriteContext, 'vault' | 'actor'>, rewrite: Rewrite) {
  const { note, doc, rewrites } = rewrite;
  if (!isLarge(note, doc) && rewrites.length < LARGE_REWRITES)
    return rewriteLinks(deps.clock.now(), { vault, actor }, rewrite);
  // Copy only the fields that a rewrite reads to the thread, not the targets.
  const places = rewrites.map(({ ord, was, form, target }) => ({ ord, was, form, target }));
  const posted = { ...rewrite, rewrites: places, note: { ...note, sealedContent: Buffer.alloc(0) } };
  const input = { now: deps.clock.now(), vault: postVault(vault, DRAFT_SEALS), actor, rewrite: posted };
  const bytes = 2 * note.content.length + 100 * rewrites.length;
  const draft = await offload(deps, vault, 'rewriteLinks', input, bytes, { patient: true });
  return receiveDraft(draft, null, note);
}

/** Number of rewrites that take about ten milliseconds, regardless of the text's length. */
const LARGE_REWRITES = 300;
