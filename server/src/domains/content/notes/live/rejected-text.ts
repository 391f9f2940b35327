import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../../ports/database/database.ts';
import type { Actor } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { findVersion, insertVersion, type VersionDraft } from '../notes.store.ts';
import { sealed } from '../sealed-note.ts';
import { offload } from '../writes/offload/offload.ts';
import { isLarge, postVault, receiveDraft, withBuffers } from '../writes/offload/task-transfer.ts';
import { targetOf, type WritePlan } from '../writes/write-target.ts';
import { type NoteState, postState, readNoteState } from './note-state.ts';
import { preservedText } from './preserved-text.ts';

/** The text is that of the note or of its last version, or the note is deleted: there is nothing to preserve. */
class NothingToPreserve extends Error {}

/**
 * Stores a text that cannot be merged into a note's document as a version of the note; the version after it has the
 * note's text again. Does nothing when the note or its last version has this text.
 */
export async function preserveRejectedText(deps: NoteDeps, vault: OpenVault, id: NoteId, text: string, actor: Actor) {
  let version: VersionDraft | undefined;
  const plan = async (): Promise<WritePlan> => {
    const state = await readNoteState(deps, vault, id);
    if (state === null || (await isPreserved(deps, vault, state, text))) throw new NothingToPreserve();
    const preserved = await preserveOnPool(deps, vault, state, text, actor);
    version = preserved.version;
    return { kind: 'write', target: targetOf('live', state), next: preserved.next };
  };
  const apply = async (handle: WriteHandle) => {
    if (version !== undefined) await handle.run(insertVersion, { vault: vault.id, id, ...version });
  };
  await deps.writer.enqueueOne<void>({ vault, actor, device: null }, plan, apply).catch((error) => {
    if (!(error instanceof NothingToPreserve)) throw error;
  });
}

async function isPreserved({ db }: NoteDeps, vault: OpenVault, { note }: NoteState, text: string): Promise<boolean> {
  const id = note.id as NoteId;
  if (note.deleted_at !== null || text.trim() === '' || text === note.content) return true;
  const last = await db.get(findVersion, { vault_id: vault.id, note_id: id, version: note.version - 1 });
  return last !== undefined && sealed.openContent(vault, id, note.version - 1, last.content) === text;
}

/** The values that preserveText seals: content, meta and snapshot of both versions, and the document and its row. */
const SEALS = 8;

async function preserveOnPool(deps: NoteDeps, vault: OpenVault, state: NoteState, text: string, actor: Actor) {
  const { note, doc } = state;
  if (!isLarge(note, doc, text.length)) return preservedText(deps.clock.now(), vault, state, text, actor);
  const input = { now: deps.clock.now(), vault: postVault(vault, SEALS), state: postState(state), text, actor };
  const bytes = 2 * (note.content.length + text.length);
  const { version, next } = await offload(deps, vault, 'preserveText', input, bytes);
  return { version: withBuffers(version), next: receiveDraft(next, note.content, note) };
}
