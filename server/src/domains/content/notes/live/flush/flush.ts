import type { NoteId, VaultId } from '@notevault/protocol/values/ids.ts';
import { type Clock, latestPlausible } from '../../../../../ports/clock/clock.ts';
import { type Database, pagesOf, type WriteHandle } from '../../../../../ports/database/database.ts';
import type { OpenVault } from '../../../vaults/vaults.ts';
import { textOf } from '../../merge/document.ts';
import type { NoteDeps } from '../../notes.deps.ts';
import { insertVersion, updateBody } from '../../notes.store.ts';
import { sealed } from '../../sealed-note.ts';
import { offload } from '../../writes/offload/offload.ts';
import { areLarge, FOLD_SEALS, isLarge, postVault, receiveDraft } from '../../writes/offload/task-transfer.ts';
import { type RowWrite, targetOf } from '../../writes/write-target.ts';
import { foldUpdates, foldWaiting, lastActor, NOBODY, openUpdates, typedDraft } from '../fold.ts';
import * as store from '../live.store.ts';
import type { LiveDocument } from '../live-document.ts';
import { type NoteState, postState, readNoteState } from '../note-state.ts';

/** The note is not live, or has no edits in the log: there is no row to write. */
class ChangedMeanwhile extends Error {
  readonly state: NoteState | null;
  constructor(state: NoteState | null) {
    super('no live note with edits that wait');
    this.state = state;
  }
}

/** A note with its waiting edits folded in, ready to be written. */
interface FoldedNote {
  readonly state: NoteState;
  readonly plan: RowWrite;
  readonly snapshot: Uint8Array;
}

/**
 * Folds the edits in a note's log into its row: text, title, tags, links, hash, head and seq; those stored meanwhile
 * stay. @param live the note's document in memory, if there is one.
 */
export async function flushNote(deps: NoteDeps, vault: OpenVault, id: NoteId, live: LiveDocument | undefined) {
  let folded: FoldedNote | undefined;
  const plan = async () => {
    const state = await readNoteState(deps, vault, id);
    if (state === null || state.updates.length === 0 || state.note.deleted_at !== null)
      throw new ChangedMeanwhile(state);
    const { next, snapshot } = await fold(deps, vault, state, live);
    folded = { state, snapshot, plan: { kind: 'write', target: targetOf('live', state), next } };
    return folded.plan;
  };
  const apply = async (handle: WriteHandle) => {
    if (folded === undefined) throw new TypeError('nothing was folded');
    const { state, plan, snapshot } = folded;
    await deleteUpdates(handle, vault, state);
    const { revision, meta } = plan.next;
    const updates = state.updates.map(({ id: update }) => update);
    if (live?.isOf(state)) handle.onCommit(() => live.flushed({ revision, head: meta.head, snapshot, updates }));
  };
  try {
    await deps.writer.enqueueOne<void>({ vault, actor: NOBODY, device: null }, plan, apply);
  } catch (error) {
    if (!(error instanceof ChangedMeanwhile)) throw error;
    if (error.state === null) {
      await deps.db.transact((handle) => handle.run(store.deleteUpdatesOfEnded, { vault: vault.id, note: id }));
    } else if (error.state.updates.length > 0) await flushTombstone(deps, vault, error.state);
  }
}

async function fold(deps: NoteDeps, vault: OpenVault, state: NoteState, live: LiveDocument | undefined) {
  const { note, doc, updates } = state;
  if (isLarge(note, doc) || areLarge(updates)) {
    live?.flushBegins();
    const input = { now: deps.clock.now(), vault: postVault(vault, FOLD_SEALS), state: postState(state) };
    const folded = await offload(deps, vault, 'foldNote', input, 2 * note.content.length);
    return { next: receiveDraft(folded.next, note.content, note), snapshot: folded.snapshot };
  }
  const open = live?.readForFlush(state);
  const folded = foldUpdates(deps.clock.now(), vault, state, open);
  // The document may contain edits that are not in the log yet: if storing them fails, the row must not contain them.
  if (open !== undefined) await live?.durable();
  return folded;
}

/**
 * Folds edits that were acknowledged while the note was being deleted into its tombstone: the note stays deleted, but its
 * history has them, and a revival continues from them.
 */
async function flushTombstone(deps: NoteDeps, vault: OpenVault, state: NoteState): Promise<void> {
  const { note } = state;
  const id = note.id as NoteId;
  const typed = openUpdates(state);
  const { doc, before } = foldWaiting(vault, state, typed);
  const next = typedDraft(
    deps.clock.now(),
    vault,
    targetOf('tombstone', state),
    doc,
    before,
    textOf(doc),
    lastActor(typed),
  );
  const { deletedBy = null, deletedActor } = note.meta;
  const deletion = deletedActor === undefined ? { deletedBy } : { deletedBy, deletedActor };
  const meta = sealed.meta(vault, id, next.revision, { ...next.meta, ...deletion });
  await deps.db.transact(async (handle) => {
    const seq = await deps.vaults.advance(handle, vault, { seqs: 1, notes: 0 });
    const { version, revision, size, content } = next;
    const row = { vault: vault.id, id, seq, revision, version, size, meta, was: note.revision };
    // It was revived or ended, or another process was faster: the next flush finds the edits in the log again.
    if ((await handle.run(store.updateTombstone, row)) === 0) return;
    const trash = { notes: 0, textBytes: size - note.size_bytes, attachmentBytes: 0 };
    await deps.vaults.advance(handle, vault, { seqs: 0, notes: 0, trash });
    if (next.replaced !== null) await handle.run(insertVersion, { vault: vault.id, id, ...next.replaced });
    await handle.run(updateBody, { vault: vault.id, id, content, doc: next.doc });
    await deleteUpdates(handle, vault, state);
  });
}

async function deleteUpdates(handle: WriteHandle, vault: OpenVault, { note, updates }: NoteState): Promise<void> {
  const ids = updates.map(({ id }) => id);
  await handle.runMany(store.deleteUpdates, { vault_id: vault.id, note_id: note.id }, ids);
}

/** Age of overdue edits: they were left by a process that has ended, or by a failed flush. */
const OVERDUE_MS = 10_000;
const SLICE = 200;
const MAX_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The notes of any vault with edits that have been waiting for long, in slices by the time of their edits. */
export async function* overdueNotes(db: Database, clock: Clock): AsyncGenerator<ReadonlyMap<NoteId, VaultId>> {
  const now = clock.now();
  const ranges = [
    { from: uuidFloor(0), before: uuidFloor(now - OVERDUE_MS) },
    { from: uuidFloor(latestPlausible(now)), before: MAX_UUID },
  ];
  for (const { from, before } of ranges) {
    // Continues after the edits of notes that could not be flushed, too.
    const after = (last?: { id: string }) => ({ after: last?.id ?? from, before, limit: SLICE });
    for await (const rows of pagesOf(db, store.findWaitingBetween, after)) {
      yield new Map(rows.map((row) => [row.note_id as NoteId, row.vault_id as VaultId]));
    }
  }
}

/** Returns the smallest UUIDv7 of a moment: all earlier ids are smaller. */
function uuidFloor(ms: number): string {
  const hex = Math.max(0, Math.trunc(ms)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}
