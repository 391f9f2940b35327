import type { NoteId } from '@notevault/protocol/ids.ts';
import type { WriteHandle } from '../../../engines/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { type Plan, type Work, writeNotes } from '../commit.ts';
import { textOf } from '../document.ts';
import { sealed } from '../meta.ts';
import { insertVersion, updateBody } from '../notes.store.ts';
import { offload } from '../offload.ts';
import type { NoteParts } from '../parts.ts';
import { areLarge, isLarge, postVault, receiveDraft } from '../posted.ts';
import { basisOf, type FoldedRow, foldUpdates, freshlyFolded, lastActor, NOBODY, typed } from './fold.ts';
import * as store from './live.store.ts';
import type { LiveDocument } from './live-document.ts';
import { postWhole, readWhole, type WholeNote } from './whole.ts';

/** Not a live note with edits that wait: there is nothing to write as a note is written. */
class Otherwise extends Error {
  readonly whole: WholeNote | null;
  constructor(whole: WholeNote | null) {
    super('no live note with edits that wait');
    this.whole = whole;
  }
}

/** Values that a fold seals: content, document, meta, and of the version written over meta and snapshot. */
const SEALS = 5;

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
      const { next, snapshot } = await fold(parts, vault, whole, live);
      folded = { whole, snapshot, plan: { kind: 'write', basis: basisOf('live', whole), next } };
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

async function fold(
  parts: NoteParts,
  vault: OpenVault,
  whole: WholeNote,
  live: LiveDocument | undefined,
): Promise<FoldedRow> {
  const { note, doc, updates } = whole;
  if (isLarge(note, doc) || areLarge(updates)) {
    live?.folded();
    const input = { now: parts.clock.now(), vault: postVault(vault, SEALS), whole: postWhole(whole) };
    const folded = await offload(parts, vault, 'foldNote', input, 2 * note.content.length);
    return { next: receiveDraft(folded.next, note.content, note), snapshot: folded.snapshot };
  }
  const open = live?.upTo(whole);
  const folded = foldUpdates(parts, vault, whole, open);
  // The document may hold edits that are still on their way to the log: the row must not outlive them if they fail.
  if (open !== undefined) await live?.durable();
  return folded;
}

/**
 * Edits that were acknowledged while the note was being deleted: the deletion stands, and they become the tombstone's
 * text, so that its history has them and a revival goes on from them.
 */
async function settleTombstone(parts: NoteParts, vault: OpenVault, whole: WholeNote): Promise<void> {
  const { note, updates } = whole;
  const id = note.id as NoteId;
  const { doc, before } = freshlyFolded(vault, whole);
  const next = typed(parts, vault, basisOf('tombstone', whole), doc, before, textOf(doc), lastActor(updates));
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
