import { createHash } from 'node:crypto';
import type { Actor } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { emptySnapshot, snapshotOf, stateOf } from '../merge/document.ts';
import { KEEP_ALL_MS, sealed } from '../sealed-note.ts';
import { buildNoteRow, type Clocked, type NoteRowDraft, type VersionDraft } from '../writes/build-note-row.ts';
import { targetOf } from './fold.ts';
import { documentOf, type NoteState } from './note-state.ts';

/** A text as a version of a note, and what the note says as the version after it. */
export interface PreservedText {
  readonly version: VersionDraft;
  readonly next: NoteRowDraft;
}

export function preservedText(
  parts: Clocked,
  vault: OpenVault,
  state: NoteState,
  text: string,
  actor: Actor,
): PreservedText {
  const { id, version } = state.note;
  return {
    version: versionOf(parts, vault, id, version + 1, text, actor),
    next: restored(parts, vault, targetOf('live', state), state, actor),
  };
}

/** What the note says, as the version after the one put aside. */
function restored(
  parts: Clocked,
  vault: OpenVault,
  target: Parameters<typeof buildNoteRow>[2],
  state: NoteState,
  actor: Actor,
): NoteRowDraft {
  const { note } = state;
  const doc = documentOf(vault, state);
  const writing = { vault, actor };
  const next = buildNoteRow(parts, writing, target, note, doc, snapshotOf(doc), note.content, 'restore');
  const version = next.version + 1;
  const content = sealed.content(vault, note.id, version, Buffer.from(note.content, 'utf8'));
  return { ...next, version, content, doc: sealed.doc(vault, note.id, version, stateOf(doc)) };
}

function versionOf(
  { clock }: Clocked,
  vault: OpenVault,
  id: string,
  version: number,
  text: string,
  actor: Actor,
): VersionDraft {
  const utf8 = Buffer.from(text, 'utf8');
  const now = clock.now();
  const hash = createHash('sha256').update(utf8).digest('hex');
  return {
    ...{ version, createdAt: now, size: utf8.length, pinned: 1, dueAt: now + KEEP_ALL_MS },
    meta: sealed.version(vault, id, version, { hash, reason: 'edit', actor }),
    content: sealed.content(vault, id, version, utf8),
    // Of another document: edits that claim to come from this version cannot be mapped into ours, and are refused.
    snapshot: sealed.snapshot(vault, id, version, emptySnapshot()),
  };
}
