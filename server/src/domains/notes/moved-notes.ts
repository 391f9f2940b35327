import { deriveNote } from '@notevault/note-text/derive.ts';
import { noteNameKey } from '@notevault/note-text/links/resolve.ts';
import { fileStem } from '@notevault/note-text/paths.ts';
import type { NoteId, Seq } from '@notevault/protocol/ids.ts';
import type { YieldIfDue } from '../../concurrency/yield.ts';
import type { WriteHandle } from '../../ports/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import type { NoteRowDraft } from './build-note-row.ts';
import { RevisionConflict } from './commit.ts';
import type { LinkMove, MovedNote, RewrittenNote } from './moved-item.ts';
import type { NoteDeps } from './notes.deps.ts';
import * as store from './notes.store.ts';
import { offload } from './offload.ts';
import { type Rewrite, rewriteLinks } from './rewrite-links.ts';
import { type NoteMeta, sealed } from './sealed-note.ts';
import { isLarge, postVault, receiveDraft } from './task-transfer.ts';
import type { WriteContext } from './write-context.ts';

/** A note that moves, with its row as it was. */
export interface MovingNote extends MovedNote {
  readonly row: store.StoredRow;
  readonly meta: NoteMeta;
}

/** What becomes of a note in a move: a new place, rewritten links, or both; plain data and sealed bytes. */
export interface MovedNoteDraft {
  readonly id: NoteId;
  readonly row: Omit<store.OverwrittenNote, 'seq' | 'folder_id'>;
  /** The folder it lies in before the move. */
  readonly folder: string | null;
  /** The new version, where links were rewritten; null when only the place changes. */
  readonly text: Pick<NoteRowDraft, 'id' | 'content' | 'doc' | 'replaced'> | null;
}

/** Revisions of some notes, with what of their new texts links need. */
export interface Revised {
  readonly drafts: MovedNoteDraft[];
  readonly rewritten: Map<NoteId, RewrittenNote>;
}

type Body = { readonly content: Buffer; readonly doc: Buffer | null };

/** Works out the new rows of some notes that a move touches: those that move and those whose links must be rewritten. */
export async function buildMovedNotes(
  deps: NoteDeps,
  context: Pick<WriteContext, 'vault' | 'actor'>,
  ids: readonly NoteId[],
  moves: ReadonlyMap<NoteId, MovingNote>,
  plan: LinkMove,
  yieldIfDue: YieldIfDue,
): Promise<Revised> {
  const touched = ids.filter((id) => moves.has(id) || plan.rewrites.has(id));
  const needsText = (id: NoteId) => {
    const move = moves.get(id);
    return plan.rewrites.has(id) || (move !== undefined && mayChangeTitle(move));
  };
  const revised: Revised = { drafts: [], rewritten: new Map() };
  const { rows, bodyOf } = await readRowsAndBodies(deps, context.vault, touched, touched.filter(needsText));
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  for (const id of touched) {
    await yieldIfDue();
    const row = rowOf.get(id);
    const planned = moves.get(id);
    // Somebody wrote to it, or deleted it, since the move was planned.
    if (planned !== undefined && row?.revision !== planned.row.revision) throw new RevisionConflict();
    if (row === undefined) continue;
    const note = planned ?? unmovedNote(context.vault, row);
    await buildMovedNote(deps, context, note, bodyOf.get(id), plan, revised);
  }
  return revised;
}

/** Rows and bodies as they are at one moment: a body opens only with the version that its own row names. */
function readRowsAndBodies({ db }: NoteDeps, vault: OpenVault, ids: readonly NoteId[], withText: readonly NoteId[]) {
  return db.read(async (handle) => {
    const rows = await handle.allMany(store.findRows, { vault: vault.id }, ids);
    const bodies = await handle.allMany(store.findBodies, { vault: vault.id }, withText);
    return { rows, bodyOf: new Map<string, Body>(bodies.map((body) => [body.note_id, body])) };
  });
}

/** A note that stays where it is and has links rewritten. */
function unmovedNote(vault: OpenVault, row: store.StoredRow): MovingNote {
  const meta = sealed.openMeta(vault, row.id, row.revision, row.meta);
  return { kind: 'note', id: row.id as NoteId, from: meta.path, to: meta.path, aliases: meta.aliases, row, meta };
}

/** A title taken from the file name changes with it; only the text can tell whether it was. */
function mayChangeTitle({ from, to, meta }: MovingNote): boolean {
  return fileStem(from) !== fileStem(to) && meta.title === fileStem(from);
}

async function buildMovedNote(
  deps: NoteDeps,
  context: Pick<WriteContext, 'vault' | 'actor'>,
  note: MovingNote,
  body: Body | undefined,
  plan: LinkMove,
  into: Revised,
): Promise<void> {
  const { vault } = context;
  const { id, row, to } = note;
  const pathKey = deps.namespace.pathKey(vault, to);
  const rewrites = plan.rewrites.get(id);
  const content = body === undefined ? null : sealed.openContent(vault, id, row.version, body.content);
  const folder = row.folder_id;
  if (rewrites !== undefined && body !== undefined && content !== null) {
    const stored = { ...row, meta: note.meta, content, sealedContent: body.content };
    const next = await rewritten(deps, context, { note: stored, doc: body.doc, to, pathKey, rewrites });
    const { version, size, mtime, revision, nameKey, now, sealedMeta: meta, doc, replaced } = next;
    into.rewritten.set(id, { version, links: next.derived.links });
    into.drafts.push({
      id,
      folder,
      row: rowOf(row, { revision, pathKey, nameKey, now, meta, version, size, mtime }),
      text: { id: next.id, content: next.content, doc, replaced },
    });
    return;
  }
  const title = content === null ? note.meta.title : deriveNote(to, content).title;
  const revision = row.revision + 1;
  const nameKey = vault.key.blind('name', noteNameKey(to));
  const meta = sealed.meta(vault, id, revision, { ...note.meta, path: to, title });
  const same = { version: row.version, size: row.size_bytes, mtime: row.mtime };
  const place = { revision, pathKey, nameKey, now: deps.clock.now(), meta };
  into.drafts.push({ id, folder, row: rowOf(row, { ...place, ...same }), text: null });
}

/** What a note's row says after the move, but for its seq and folder. */
interface NextRow {
  readonly revision: number;
  readonly pathKey: Buffer;
  readonly nameKey: Buffer;
  readonly now: number;
  readonly meta: Buffer;
  readonly version: number;
  readonly size: number;
  readonly mtime: number;
}

function rowOf(old: store.StoredRow, { revision, pathKey, nameKey, now, meta, version, size, mtime }: NextRow) {
  return {
    id: old.id,
    revision,
    path_key: pathKey,
    name_key: nameKey,
    meta,
    version,
    size_bytes: size,
    mtime,
    created_at: old.created_at,
    updated_at: now,
  };
}

/** Values that a rewritten note is sealed into: text, document, meta, and the version before. */
const SEALS = 5;

/** The note's next version, in which links have their new targets; a large one is worked out on a worker thread. */
async function rewritten(deps: NoteDeps, { vault, actor }: Pick<WriteContext, 'vault' | 'actor'>, rewrite: Rewrite) {
  const { note, doc, rewrites } = rewrite;
  if (!isLarge(note, doc) && rewrites.length < LARGE_REWRITES) return rewriteLinks(deps, { vault, actor }, rewrite);
  const posted = { ...rewrite, note: { ...note, sealedContent: Buffer.alloc(0) } };
  const input = { now: deps.clock.now(), vault: postVault(vault, SEALS), actor, rewrite: posted };
  const bytes = 2 * note.content.length + 100 * rewrites.length;
  const draft = await offload(deps, vault, 'rewriteLinks', input, bytes, { patient: true });
  return receiveDraft(draft, null, note);
}

/** Rewrites that take some ten milliseconds, whatever the length of the text. */
const LARGE_REWRITES = 300;

/** Rows written between two looks at the clock: a long transaction lets others run only between its calls. */
const WRITE_SLICE = 256;

/**
 * Writes revisions over the rows they were prepared from, in the transaction that has found the vault unchanged since.
 *
 * @param first the seq of the first revision; the others follow in order.
 */
export async function writeMovedNotes(
  { live }: NoteDeps,
  handle: WriteHandle,
  vault: OpenVault,
  drafts: readonly MovedNoteDraft[],
  first: Seq,
  folderOf: (revision: MovedNoteDraft) => string | null,
): Promise<void> {
  for (let at = 0; at < drafts.length; at += WRITE_SLICE) {
    const slice = drafts.slice(at, at + WRITE_SLICE);
    const rows = slice.map((revision, index) => ({
      ...revision.row,
      seq: first + at + index,
      folder_id: folderOf(revision),
    }));
    await handle.runMany(store.overwriteNotes, { vault: vault.id }, rows);
    for (const { text } of slice) {
      if (text === null) continue;
      const { id, replaced } = text;
      if (replaced !== null) await handle.runMany(store.insertVersions, { vault: vault.id }, [{ id, ...replaced }]);
      await handle.runMany(store.overwriteBodies, { vault: vault.id }, [text]);
      handle.onCommit(() => live.changed(id));
    }
  }
}
