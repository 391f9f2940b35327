import { createHash } from 'node:crypto';
import type { OpenVault } from '../../vaults/vaults.ts';
import { emptySnapshot, snapshotOf, stateOf } from '../document.ts';
import { type Actor, EVERY_VERSION_MS, sealed } from '../meta.ts';
import { type Clocked, type KeptVersion, type Prepared, prepared } from '../prepare.ts';
import { basisOf } from './fold.ts';
import { documentOf, type WholeNote } from './whole.ts';

/** A text as a version of a note, and what the note says as the version after it. */
export interface PreservedText {
  readonly version: KeptVersion;
  readonly next: Prepared;
}

export function preservedText(
  parts: Clocked,
  vault: OpenVault,
  whole: WholeNote,
  text: string,
  actor: Actor,
): PreservedText {
  const { id, version } = whole.note;
  return {
    version: versionOf(parts, vault, id, version + 1, text, actor),
    next: restored(parts, vault, basisOf('live', whole), whole, actor),
  };
}

/** What the note says, as the version after the one put aside. */
function restored(
  parts: Clocked,
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
  { clock }: Clocked,
  vault: OpenVault,
  id: string,
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
