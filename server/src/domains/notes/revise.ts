import { deriveNote } from '@notevault/note-text/derive.ts';
import { applyEdits } from '@notevault/note-text/diff.ts';
import { fileStem } from '@notevault/note-text/paths.ts';
import { relink } from '@notevault/note-text/relink.ts';
import { noteNameKey } from '@notevault/note-text/resolve.ts';
import type { NoteId, Seq } from '@notevault/protocol/ids.ts';
import type { WriteHandle } from '../../engines/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { Stale } from './commit.ts';
import { editDocument, snapshotOf } from './document.ts';
import { type NoteMeta, sealed } from './meta.ts';
import * as store from './notes.store.ts';
import type { LinkMove, MovedNote, NoteParts, Writing } from './parts.ts';
import { clientIdOf, openDocument, type Prepared, prepared } from './prepare.ts';
import type { OpenedNote } from './view.ts';

/** A note that moves, with its row as it was. */
export interface MovingNote extends MovedNote {
  readonly row: store.StoredRow;
  readonly meta: NoteMeta;
}

/** What becomes of a note in a move: a new place, rewritten links, or both; sealed and ready to be written. */
export interface Revision {
  readonly id: NoteId;
  readonly old: store.StoredRow;
  readonly stamp: number;
  readonly pathKey: Buffer;
  readonly nameKey: Buffer;
  readonly now: number;
  readonly meta: Buffer;
  /** The new version, where links were rewritten; null when only the place changes. */
  readonly text: Prepared | null;
}

type Body = { readonly content: Buffer; readonly doc: Buffer | null };
const SLICE = 100;

/** Works out the new rows of all notes that a move touches: those that move and those whose links must be rewritten. */
export async function reviseNotes(
  parts: NoteParts,
  writing: Pick<Writing, 'vault' | 'actor'>,
  moving: readonly MovingNote[],
  plan: LinkMove,
  yieldIfDue: () => Promise<void>,
): Promise<Revision[]> {
  const moves = new Map(moving.map((note) => [note.id, note]));
  const all = [...moves.keys(), ...[...plan.rewrites.keys()].filter((id) => !moves.has(id))];
  const asksText = (id: NoteId) => {
    const move = moves.get(id);
    return plan.rewrites.has(id) || (move !== undefined && mayChangeTitle(move));
  };
  const revisions: Revision[] = [];
  for (let at = 0; at < all.length; at += SLICE) {
    const slice = all.slice(at, at + SLICE);
    const { rows, bodyOf } = await snapshotOfNotes(parts, writing.vault, slice, slice.filter(asksText));
    const rowOf = new Map(rows.map((row) => [row.id, row]));
    for (const id of slice) {
      await yieldIfDue();
      const row = rowOf.get(id);
      const planned = moves.get(id);
      // Somebody wrote to it, or deleted it, since the move was planned.
      if (planned !== undefined && row?.stamp !== planned.row.stamp) throw new Stale();
      if (row === undefined) continue;
      const note = planned ?? stayingNote(writing.vault, row);
      revisions.push(revise(parts, writing, note, bodyOf.get(id), plan));
    }
  }
  return revisions;
}

/** Rows and bodies as they are at one moment: a body opens only with the version that its own row names. */
function snapshotOfNotes({ db }: NoteParts, vault: OpenVault, ids: readonly NoteId[], withText: readonly NoteId[]) {
  return db.read(async (handle) => {
    const rows = await handle.allIn(store.findRows, { vault: vault.id }, ids);
    const bodies = await handle.allIn(store.findBodies, { vault: vault.id }, withText);
    return { rows, bodyOf: new Map<string, Body>(bodies.map((body) => [body.note_id, body])) };
  });
}

/** A note that stays where it is and has links rewritten. */
function stayingNote(vault: OpenVault, row: store.StoredRow): MovingNote {
  const meta = sealed.openMeta(vault, row.id, row.stamp, row.meta);
  return { kind: 'note', id: row.id as NoteId, from: meta.path, to: meta.path, aliases: meta.aliases, row, meta };
}

/** A title taken from the file name changes with it; only the text can tell whether it was. */
function mayChangeTitle({ from, to, meta }: MovingNote): boolean {
  return fileStem(from) !== fileStem(to) && meta.title === fileStem(from);
}

function revise(
  parts: NoteParts,
  writing: Pick<Writing, 'vault' | 'actor'>,
  note: MovingNote,
  body: Body | undefined,
  plan: LinkMove,
): Revision {
  const { vault } = writing;
  const { id, row, to } = note;
  const pathKey = parts.tree.pathKey(vault, to);
  const rewrites = plan.rewrites.get(id);
  const content = body === undefined ? null : sealed.openContent(vault, id, row.version, body.content);
  if (rewrites !== undefined && body !== undefined && content !== null) {
    const stored = { ...row, meta: note.meta, content, sealedContent: body.content };
    const text = rewritten(parts, writing, stored, { body, to, pathKey, rewrites });
    return { ...{ id, old: row, pathKey }, ...text, meta: text.sealedMeta, text };
  }
  const title = content === null ? note.meta.title : deriveNote(to, content).title;
  const stamp = row.stamp + 1;
  return {
    ...{ id, old: row, stamp, pathKey, nameKey: vault.key.blind('name', noteNameKey(to)), now: parts.clock.now() },
    meta: sealed.meta(vault, id, stamp, { ...note.meta, path: to, title }),
    text: null,
  };
}

/** The note's next version, in which links have their new targets: an edit of the document, so that typing goes on in it. */
function rewritten(
  parts: NoteParts,
  writing: Pick<Writing, 'vault' | 'actor'>,
  note: OpenedNote & { readonly sealedContent: Buffer },
  to: { body: Body; to: string; pathKey: Buffer; rewrites: readonly { ord: number; target: string }[] },
): Prepared {
  const { vault } = writing;
  const id = note.id as NoteId;
  const edits = relink(note.meta.path, note.content, to.rewrites);
  const doc = openDocument(vault, note, to.body.doc);
  const before = snapshotOf(doc);
  editDocument(doc, clientIdOf(vault, note), edits);
  const text = applyEdits(note.content, edits);
  const spot = { path: to.to, pathKey: to.pathKey, anchor: null, blocked: null };
  const basis = { kind: 'live' as const, id, spot, note, doc: to.body.doc };
  return prepared(parts, writing, basis, { mtime: parts.clock.now() / 1000 }, doc, before, text, 'link_rewrite');
}

/** Rows written between two looks at the clock: a long transaction lets others run only between its calls. */
const WRITE_SLICE = 256;

/**
 * Writes revisions over the rows they were prepared from, in the transaction that has found the vault unchanged since.
 *
 * @param first the seq of the first revision; the others follow in order.
 */
export async function writeRevisions(
  { live }: NoteParts,
  handle: WriteHandle,
  vault: OpenVault,
  revisions: readonly Revision[],
  first: Seq,
  folderOf: (revision: Revision) => string | null,
): Promise<void> {
  for (let at = 0; at < revisions.length; at += WRITE_SLICE) {
    const slice = revisions.slice(at, at + WRITE_SLICE);
    const rows = slice.map((revision, index) => rowOf(revision, first + at + index, folderOf(revision)));
    await handle.runIn(store.overwriteNotes, { vault: vault.id }, rows);
    const texts = slice.flatMap(({ text }) => (text === null ? [] : [text]));
    const kept = texts.flatMap(({ id, kept: version }) => (version === null ? [] : [{ id, ...version }]));
    await handle.runIn(store.insertVersions, { vault: vault.id }, kept);
    await handle.runIn(store.overwriteBodies, { vault: vault.id }, texts);
    handle.onCommit(() => {
      for (const { id } of texts) live.changed(id);
    });
  }
}

function rowOf({ id, old, stamp, pathKey, nameKey, now, meta, text }: Revision, seq: number, folder: string | null) {
  return {
    ...{ id, seq, stamp, folder_id: folder, path_key: pathKey, name_key: nameKey, meta },
    version: text?.version ?? old.version,
    size_bytes: text?.size ?? old.size_bytes,
    mtime: text?.mtime ?? old.mtime,
    created_at: old.created_at,
    updated_at: now,
  };
}
