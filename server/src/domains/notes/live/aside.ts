import { createHash } from 'node:crypto';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { type Work, writeNotes } from '../commit.ts';
import { emptySnapshot, snapshotOf, stateOf } from '../document.ts';
import { type Actor, EVERY_VERSION_MS, sealed } from '../meta.ts';
import { findVersion, insertVersion } from '../notes.store.ts';
import type { NoteParts } from '../parts.ts';
import { type KeptVersion, type Prepared, prepared } from '../prepare.ts';
import { documentOf, readWhole, type WholeNote } from './whole.ts';

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
      version = versionOf(parts, vault, id, whole.note.version + 1, text, actor);
      const { note } = whole;
      const spot = { path: note.meta.path, pathKey: note.path_key, anchor: null, blocked: null };
      const basis = { kind: 'live' as const, id, spot, note, doc: whole.doc };
      return { kind: 'write', basis, next: restored(parts, vault, basis, whole, actor) };
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

/** What the note says, as the version after the one put aside. */
function restored(
  parts: NoteParts,
  vault: OpenVault,
  basis: Parameters<typeof prepared>[2],
  whole: WholeNote,
  actor: Actor,
): Prepared {
  const { note } = whole;
  const doc = documentOf(vault, whole);
  const writing = { vault, actor };
  const next = prepared(parts, writing, basis, note, doc, snapshotOf(doc), note.content, 'restore');
  const version = next.version + 1;
  const content = sealed.content(vault, note.id, version, Buffer.from(note.content, 'utf8'));
  return { ...next, version, content, doc: sealed.doc(vault, note.id, version, stateOf(doc)) };
}

function versionOf(
  { clock }: NoteParts,
  vault: OpenVault,
  id: NoteId,
  version: number,
  text: string,
  actor: Actor,
): KeptVersion {
  const utf8 = Buffer.from(text, 'utf8');
  const now = clock.now();
  const hash = createHash('sha256').update(utf8).digest('hex');
  return {
    ...{ version, createdAt: now, size: utf8.length, guarded: 1, dueAt: now + EVERY_VERSION_MS },
    meta: sealed.version(vault, id, version, { hash, reason: 'edit', actor }),
    content: sealed.content(vault, id, version, utf8),
    // Of another document: edits that claim to come from this version cannot be mapped into ours, and are refused.
    snapshot: sealed.snapshot(vault, id, version, emptySnapshot()),
  };
}
