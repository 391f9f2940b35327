import { hash } from 'node:crypto';
import type { Actor } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { emptySnapshot, snapshotOf, stateOf } from '../merge/document.ts';
import type { VersionDraft } from '../notes.store.ts';
import { KEEP_ALL_MS, sealed } from '../sealed-note.ts';
import { buildNoteRow, currentDocument } from '../writes/build-note-row.ts';
import { targetOf } from '../writes/write-target.ts';
import type { NoteState } from './note-state.ts';

/** A text as a version of a note, and the note's text as the version after it. */
export function preservedText(now: number, vault: OpenVault, state: NoteState, text: string, actor: Actor) {
  const { note } = state;
  const doc = currentDocument(vault, state);
  const [writing, target] = [{ vault, actor }, targetOf('live', state)];
  const next = buildNoteRow(now, writing, target, note, doc, snapshotOf(doc), note.content, 'restore');
  const version = next.version + 1;
  const content = sealed.content(vault, note.id, version, Buffer.from(note.content, 'utf8'));
  return {
    version: versionOf(now, vault, note.id, note.version + 1, text, actor),
    next: { ...next, version, content, doc: sealed.doc(vault, note.id, version, stateOf(doc)) },
  };
}

function versionOf(
  now: number,
  vault: OpenVault,
  id: string,
  version: number,
  text: string,
  actor: Actor,
): VersionDraft {
  const utf8 = Buffer.from(text, 'utf8');
  return {
    version,
    created_at: now,
    size_bytes: utf8.length,
    pinned: 1,
    due_at: now + KEEP_ALL_MS,
    meta: sealed.version(vault, id, version, { hash: hash('sha256', utf8, 'hex'), reason: 'edit', actor }),
    content: sealed.content(vault, id, version, utf8),
    // The text is of another document, so a write that is based on this version cannot be merged and is refused.
    snapshot: sealed.snapshot(vault, id, version, emptySnapshot()),
  };
}
