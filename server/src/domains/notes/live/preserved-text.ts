import { createHash } from 'node:crypto';
import type { Actor } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { emptySnapshot, snapshotOf, stateOf } from '../merge/document.ts';
import { KEEP_ALL_MS, sealed } from '../sealed-note.ts';
import { buildNoteRow, type Clocked } from '../writes/build-note-row.ts';
import type { NoteRowDraft, VersionDraft } from '../writes/write-plan.ts';
import { targetOf } from './fold.ts';
import { documentOf, type NoteState } from './note-state.ts';

/** A text as a version of a note, and the note's text as the version after it. */
export interface PreservedText {
  readonly version: VersionDraft;
  readonly next: NoteRowDraft;
}

export function preservedText(
  deps: Clocked,
  vault: OpenVault,
  state: NoteState,
  text: string,
  actor: Actor,
): PreservedText {
  const { id, version } = state.note;
  return {
    version: versionOf(deps, vault, id, version + 1, text, actor),
    next: restored(deps, vault, targetOf('live', state), state, actor),
  };
}

/** Builds the row with the note's text, as the version after the preserved one. */
function restored(
  deps: Clocked,
  vault: OpenVault,
  target: Parameters<typeof buildNoteRow>[2],
  state: NoteState,
  actor: Actor,
): NoteRowDraft {
  const { note } = state;
  const doc = documentOf(vault, state);
  const writing = { vault, actor };
  const next = buildNoteRow(deps, writing, target, note, doc, snapshotOf(doc), note.content, 'restore');
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
    version,
    createdAt: now,
    size: utf8.length,
    pinned: 1,
    dueAt: now + KEEP_ALL_MS,
    meta: sealed.version(vault, id, version, { hash, reason: 'edit', actor }),
    content: sealed.content(vault, id, version, utf8),
    // The text is of another document, so a write that is based on this version cannot be merged and is refused.
    snapshot: sealed.snapshot(vault, id, version, emptySnapshot()),
  };
}
