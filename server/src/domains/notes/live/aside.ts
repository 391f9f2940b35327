import type { NoteId } from '@notevault/protocol/ids.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { type Work, writeNotes } from '../commit.ts';
import { type Actor, sealed } from '../meta.ts';
import { findVersion, insertVersion } from '../notes.store.ts';
import { offload } from '../offload.ts';
import type { NoteParts } from '../parts.ts';
import { bytesOf, isLarge, postVault, receiveDraft, receiveVersion } from '../posted.ts';
import type { KeptVersion } from '../prepare.ts';
import { basisOf } from './fold.ts';
import { type PreservedText, preservedText } from './preserved-text.ts';
import { postWhole, readWhole, type WholeNote } from './whole.ts';

/** The text is what the note says or said last, or the note is gone: there is nothing to keep. */
class Needless extends Error {}

/**
 * Keeps a text that cannot be merged into a note's document as a version of its history: one version holds the text, and
 * the next one is again what the note said. Nothing happens when the note says it already, or its last version did.
 */
export async function keepAside(
  parts: NoteParts,
  vault: OpenVault,
  id: NoteId,
  text: string,
  actor: Actor,
): Promise<void> {
  let version: KeptVersion | undefined;
  const work: Work<void> = {
    async plan() {
      const whole = await readWhole(parts, vault, id);
      if (whole === null || (await isKept(parts, vault, whole, text))) throw new Needless();
      const preserved = await preserveAnywhere(parts, vault, whole, text, actor);
      version = preserved.version;
      return { kind: 'write', basis: basisOf('live', whole), next: preserved.next };
    },
    refuse(_index, error) {
      throw error;
    },
    async answer(handle) {
      if (version !== undefined) await handle.run(insertVersion, { vault: vault.id, id, ...version });
    },
  };
  await writeNotes(parts, { vault, actor, device: null }, 1, work).catch((error) => {
    if (!(error instanceof Needless)) throw error;
  });
}

async function isKept({ db }: NoteParts, vault: OpenVault, { note }: WholeNote, text: string): Promise<boolean> {
  const id = note.id as NoteId;
  if (note.deleted_at !== null || text.trim() === '' || text === note.content) return true;
  const last = await db.get(findVersion, { vault: vault.id, id, version: note.version - 1 });
  return last !== undefined && sealed.openContent(vault, id, note.version - 1, last.content) === text;
}

/** Values that it seals: of the text content, meta and snapshot, and of the next version content, document and meta. */
const SEALS = 8;

async function preserveAnywhere(
  parts: NoteParts,
  vault: OpenVault,
  whole: WholeNote,
  text: string,
  actor: Actor,
): Promise<PreservedText> {
  const { note, doc } = whole;
  if (!isLarge(note, doc, text.length)) return preservedText(parts, vault, whole, text, actor);
  const input = { now: parts.clock.now(), vault: postVault(vault, SEALS), whole: postWhole(whole), text, actor };
  const bytes = 2 * (note.content.length + text.length);
  const { version, next } = await offload(parts, vault, 'preserveText', input, bytes);
  const received = { ...receiveVersion(version), content: bytesOf(version.content) };
  return { version: received, next: receiveDraft(next, note.content, note) };
}
