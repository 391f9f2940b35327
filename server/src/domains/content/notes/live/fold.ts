import { deriveNote } from '@notevault/note-text/derive.ts';
import { noteNameKey } from '@notevault/note-text/links/resolve.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { Doc } from 'yjs';
import type { Actor } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { applyUpdates, headOf, snapshotOf, stateOf, structsOf, textOf } from '../merge/document.ts';
import { sealed } from '../sealed-note.ts';
import { buildNoteRow, currentDocument } from '../writes/build-note-row.ts';
import { type ExistingTarget, type NoteRowDraft, type StoredNoteContent, targetOf } from '../writes/write-target.ts';
import type { NoteState } from './note-state.ts';
import { partsOf, peopleOf } from './people-parts.ts';

/** Socket edits of one person within this time keep one version: the one before the first of them. */
const TYPING_SPAN_MS = 5 * 60 * 1000;

/** The actor of a flush; the actors of the edits are in the log. */
export const NOBODY: Actor = { kind: 'none', name: '' };

/**
 * Folds the edits of a live note's log into its row.
 *
 * @param open the note's document with all of the edits, and its snapshot without them; undefined to load it.
 */
export function foldUpdates(
  now: number,
  vault: OpenVault,
  state: NoteState,
  open?: { readonly doc: Doc; readonly before: Uint8Array },
) {
  const { note } = state;
  const typed = open === undefined ? openUpdates(state) : openReadable(state);
  // The document in memory has the edits of damaged rows too, which nobody can tell apart.
  if (typed.length === state.updates.length && peopleOf(typed).length > 1) return foldPeople(now, vault, state, typed);
  const { doc, before } = open ?? foldWaiting(vault, state, typed);
  const text = textOf(doc);
  const snapshot = snapshotOf(doc);
  const next =
    text === note.content
      ? sameText(now, vault, note, doc, snapshot)
      : typedDraft(now, vault, targetOf('live', state), doc, before, text, lastActor(typed));
  return { next, snapshot };
}

/** Edits of one person that were stored together. */
export interface TypedEdits {
  readonly actor: Actor;
  readonly updates: readonly Uint8Array[];
}

/** Throws `note_unreadable`. */
export function openUpdates({ updates }: Pick<NoteState, 'updates'>): TypedEdits[] {
  return updates.map((row) => row.open());
}

/** Opens those rows of the log that are not damaged. */
function openReadable({ updates }: Pick<NoteState, 'updates'>): TypedEdits[] {
  return updates.flatMap((row) => {
    try {
      return [row.open()];
    } catch (error) {
      if (error instanceof NotevaultError) return [];
      throw error;
    }
  });
}

/** Loads the stored document and applies the edits in the log; `before` is its snapshot without them. */
export function foldWaiting(
  vault: OpenVault,
  state: NoteState,
  typed: readonly TypedEdits[],
): { doc: Doc; before: Uint8Array } {
  const doc = currentDocument(vault, state);
  const before = snapshotOf(doc);
  const updates = typed.flatMap((edits) => edits.updates);
  // Acknowledged edits had everything on which they depend: a row of the log is missing.
  if (!applyUpdates(doc, updates)) throw new NotevaultError('note_unreadable');
  return { doc, before };
}

/** Builds the row of the next version, with the text that was typed. */
export function typedDraft(
  now: number,
  vault: OpenVault,
  target: ExistingTarget,
  doc: Doc,
  before: Uint8Array,
  text: string,
  actor: Actor,
): NoteRowDraft {
  const { typingSince, actor: last } = target.note.meta;
  const continues =
    typingSince !== undefined &&
    now - typingSince < TYPING_SPAN_MS &&
    last.kind === actor.kind &&
    last.userId === actor.userId &&
    last.name === actor.name;
  const typing = { since: continues ? typingSince : now, continues };
  return buildNoteRow(now, { vault, actor }, target, { mtime: now / 1000 }, doc, before, text, 'edit', typing);
}

/** Builds the row after edits that cancelled each other out: the document has grown, the version is the same. */
function sameText(
  now: number,
  vault: OpenVault,
  note: StoredNoteContent,
  doc: Doc,
  snapshot: Uint8Array,
): NoteRowDraft {
  const { id, version } = note;
  const { path, seed: _seed, ...rest } = note.meta;
  const revision = note.revision + 1;
  const meta = { ...rest, path, head: headOf(snapshot), structs: structsOf(doc) };
  return {
    id: id as NoteId,
    path,
    text: note.content,
    version,
    revision,
    meta,
    inserted: null,
    replaced: null,
    now,
    size: note.size_bytes,
    mtime: note.mtime,
    createdAt: note.created_at,
    content: note.sealedContent,
    nameKey: vault.key.blind('name', noteNameKey(path)),
    derived: deriveNote(path, note.content),
    sealedMeta: sealed.meta(vault, id, revision, meta),
    doc: sealed.doc(vault, id, version, stateOf(doc)),
  };
}

export function lastActor(typed: readonly TypedEdits[]): Actor {
  return typed.at(-1)?.actor ?? NOBODY;
}

/** The version that some people made from the one before it, with the document’s snapshot before it. */
interface TypedStep {
  readonly actors: readonly Actor[];
  readonly before: Uint8Array;
  readonly text: string;
}

/** Like foldUpdates, for edits of several people: one version for each, as far as they can be told apart. */
function foldPeople(now: number, vault: OpenVault, state: NoteState, typed: readonly TypedEdits[]) {
  const { note } = state;
  const doc = currentDocument(vault, state);
  const steps: TypedStep[] = [];
  for (const { actors, updates } of partsOf(doc, typed, note.meta.actor)) {
    const before = snapshotOf(doc);
    if (!applyUpdates(doc, updates)) throw new NotevaultError('note_unreadable');
    const text = textOf(doc);
    if (text !== (steps.at(-1)?.text ?? note.content)) steps.push({ actors, before, text });
  }
  const snapshot = snapshotOf(doc);
  const drafts: NoteRowDraft[] = [];
  let target = targetOf('live', state);
  for (const { actors, before, text } of steps) {
    // The document has all edits by now, so that the last draft seals all of them; the others only make versions.
    const draft = typedDraft(now, vault, target, doc, before, text, actors.at(-1) ?? NOBODY);
    const { version, meta, content: sealedContent, size: size_bytes } = draft;
    drafts.push(draft);
    target = { ...target, note: { ...target.note, version, meta, size_bytes, sealedContent, content: text } };
  }
  const [first] = drafts;
  const next = drafts.at(-1);
  if (first === undefined || next === undefined) return { next: sameText(now, vault, note, doc, snapshot), snapshot };
  const between = drafts.slice(1).flatMap(({ replaced }) => replaced ?? []);
  const authors = steps.map(({ actors }, at) => ({
    actors,
    before: note.version + at,
    version: note.version + at + 1,
  }));
  return { next: { ...next, replaced: first.replaced, between, authors }, snapshot };
}
