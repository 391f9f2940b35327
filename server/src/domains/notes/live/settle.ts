import { deriveNote } from '@notevault/note-text/derive.ts';
import { noteNameKey } from '@notevault/note-text/resolve.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { Doc } from 'yjs';
import type { WriteHandle } from '../../../engines/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { Basis, KeptNote } from '../basis.ts';
import { type Plan, type Work, writeNotes } from '../commit.ts';
import { headOf, snapshotOf, stateOf, takeUpdates, textOf } from '../document.ts';
import { type Actor, sealed } from '../meta.ts';
import { insertVersion, updateBody } from '../notes.store.ts';
import type { NoteParts } from '../parts.ts';
import { type Prepared, prepared } from '../prepare.ts';
import * as store from './live.store.ts';
import type { LiveDocument } from './live-document.ts';
import { documentOf, readWhole, type WaitingUpdate, type WholeNote } from './whole.ts';

/** Socket edits of one person within this time share one kept version: the one they began from. */
const STRETCH_MS = 5 * 60 * 1000;

/** Not a live note with edits that wait: there is nothing to write as a note is written. */
class Otherwise extends Error {
  readonly whole: WholeNote | null;
  constructor(whole: WholeNote | null) {
    super('no live note with edits that wait');
    this.whole = whole;
  }
}

/** A note with its waiting edits folded in, ready to be written. */
interface Folded {
  readonly whole: WholeNote;
  readonly plan: Extract<Plan, { kind: 'write' }>;
  /** The document's snapshot now. */
  readonly snapshot: Uint8Array;
}

/**
 * Folds the waiting edits of a note into its row: text, title, tags, links, hash and head follow, a seq is taken. Edits
 * that come meanwhile go on waiting. Nothing happens when none waits.
 *
 * @param live the note's document in memory, if there is one: spares reading the stored one again.
 */
export async function settleNote(
  parts: NoteParts,
  vault: OpenVault,
  id: NoteId,
  live: LiveDocument | undefined,
): Promise<void> {
  let folded: Folded | undefined;
  const work: Work<void> = {
    async plan() {
      const whole = await readWhole(parts, vault, id);
      if (whole === null || whole.updates.length === 0 || whole.note.deleted_at !== null) throw new Otherwise(whole);
      folded = fold(parts, vault, whole, live);
      return folded.plan;
    },
    refuse(_index, error) {
      throw error;
    },
    async answer(handle) {
      if (folded === undefined) throw new TypeError('nothing was folded');
      const { whole, plan, snapshot } = folded;
      await dropUpdates(handle, vault, whole);
      const { stamp, meta } = plan.next;
      const updates = whole.updates.map(({ id: update }) => update);
      if (live?.isOf(whole)) handle.onCommit(() => live.settled({ stamp, head: meta.head, snapshot, updates }));
    },
  };
  try {
    await writeNotes(parts, { vault, actor: NOBODY, device: null }, 1, work);
  } catch (error) {
    if (!(error instanceof Otherwise)) throw error;
    if (error.whole !== null && error.whole.updates.length > 0) await settleTombstone(parts, vault, error.whole);
  }
}

/** Who writes is said by the edits. */
const NOBODY: Actor = { kind: 'none', name: '' };

function fold(parts: NoteParts, vault: OpenVault, whole: WholeNote, live: LiveDocument | undefined): Folded {
  const { note, doc: sealedDoc, updates } = whole;
  const { doc, before } = live?.upTo(whole) ?? freshlyFolded(vault, whole);
  const id = note.id as NoteId;
  const basis = {
    ...{ kind: 'live' as const, id, note, doc: sealedDoc },
    spot: { path: note.meta.path, pathKey: note.path_key, anchor: null, blocked: null },
  };
  const text = textOf(doc);
  const snapshot = snapshotOf(doc);
  const next =
    text === note.content
      ? sameText(parts, vault, note, doc, snapshot)
      : typed(parts, vault, basis, doc, before, text, lastActor(updates));
  return { whole, plan: { kind: 'write', basis, next }, snapshot };
}

function freshlyFolded(vault: OpenVault, whole: WholeNote): { doc: Doc; before: Uint8Array } {
  const doc = documentOf(vault, whole);
  const before = snapshotOf(doc);
  const updates = whole.updates.flatMap((row) => row.open().updates);
  // What was acknowledged had everything it leans on; a row of it is gone.
  if (!takeUpdates(doc, updates)) throw new NotevaultError('note_unreadable');
  return { doc, before };
}

/** The next version: what people typed. */
function typed(
  parts: NoteParts,
  vault: OpenVault,
  basis: Basis & { kind: 'live' | 'tombstone' },
  doc: Doc,
  before: Uint8Array,
  text: string,
  actor: Actor,
): Prepared {
  const now = parts.clock.now();
  const { typedSince, actor: last } = basis.note.meta;
  const goesOn =
    typedSince !== undefined && now - typedSince < STRETCH_MS && last.kind === actor.kind && last.name === actor.name;
  const typing = { since: goesOn ? typedSince : now, goesOn };
  return prepared(parts, { vault, actor }, basis, { mtime: now / 1000 }, doc, before, text, 'edit', typing);
}

/** Something was typed and taken back: the document has grown, the version stays. */
function sameText({ clock }: NoteParts, vault: OpenVault, note: KeptNote, doc: Doc, snapshot: Uint8Array): Prepared {
  const { id, version } = note;
  const { path, seed: _seed, ...rest } = note.meta;
  const stamp = note.stamp + 1;
  const meta = { ...rest, path, head: headOf(snapshot) };
  return {
    ...{ id: id as NoteId, path, text: note.content, version, stamp, meta, kept: null, now: clock.now() },
    ...{ size: note.size_bytes, mtime: note.mtime, createdAt: note.created_at, content: note.sealedContent },
    nameKey: vault.key.blind('name', noteNameKey(path)),
    derived: deriveNote(path, note.content),
    sealedMeta: sealed.meta(vault, id, stamp, meta),
    doc: sealed.doc(vault, id, version, stateOf(doc)),
  };
}

function lastActor(updates: readonly WaitingUpdate[]): Actor {
  return updates.at(-1)?.open().actor ?? NOBODY;
}

/**
 * Edits that were acknowledged while the note was being deleted: the deletion stands, and they become the tombstone's
 * text, so that its history has them and a revival goes on from them.
 */
async function settleTombstone(parts: NoteParts, vault: OpenVault, whole: WholeNote): Promise<void> {
  const { note, updates } = whole;
  const id = note.id as NoteId;
  const { doc, before } = freshlyFolded(vault, whole);
  const spot = { path: note.meta.path, pathKey: note.path_key, anchor: null, blocked: null };
  const basis = { kind: 'tombstone' as const, id, spot, note, doc: whole.doc };
  const next = typed(parts, vault, basis, doc, before, textOf(doc), lastActor(updates));
  const meta = sealed.meta(vault, id, next.stamp, { ...next.meta, deletedBy: note.meta.deletedBy ?? null });
  await parts.db.transact(async (handle) => {
    const seq = await parts.vaults.advance(handle, vault, { seqs: 1, notes: 0 });
    const { version, stamp, size, content } = next;
    const row = { vault: vault.id, id, seq, stamp, version, size, meta, was: note.stamp };
    // Somebody revived it, or was faster: what waits is found again.
    if ((await handle.run(store.updateTombstone, row)) === 0) return;
    if (next.kept !== null) await handle.run(insertVersion, { vault: vault.id, id, ...next.kept });
    await handle.run(updateBody, { vault: vault.id, id, content, doc: next.doc });
    await dropUpdates(handle, vault, whole);
  });
}

async function dropUpdates(handle: WriteHandle, vault: OpenVault, { note, updates }: WholeNote): Promise<void> {
  const ids = updates.map(({ id }) => id);
  await handle.runIn(store.deleteUpdates, { vault: vault.id, note: note.id as NoteId }, ids);
}
