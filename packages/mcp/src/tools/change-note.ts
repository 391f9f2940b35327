import { ApiError } from '@notevault/client/transport.ts';
import type { VaultClient } from '@notevault/client/vault-client.ts';
import { NOTE_BYTES_MAX, type Note } from '@notevault/protocol/notes.ts';
import { chooseNote, type NoteName } from '../choose-note.ts';
import { EditFailure } from '../edits/edit.ts';
import { type Answer, DATA_NOTICE, data, type Parts, ToolFailure } from '../text/answer.ts';
import { type UndoCall, withUndo } from '../text/undo-call.ts';
import type { ToolContext } from '../tool.ts';
import { editRefused } from './note-view.ts';

/** Maximum retries of an edit after concurrent writes. */
const TRIES = 8;

export interface ChangeOptions {
  /** The hash of the text that the caller has read; without it, the edit is made for the current text. */
  readonly base_hash?: string;
  readonly dry_run?: boolean;
}

/**
 * Changes the text of a note by a function of its current text. What others write between reading and writing is kept:
 * the edit is then made again for their text. Throws ToolFailure if the caller has read another text.
 */
export async function changeNote(
  client: VaultClient,
  name: NoteName,
  options: ChangeOptions,
  context: ToolContext,
  edit: (content: string) => string,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const note = await chooseNote(client, name);
    if (options.base_hash !== undefined && options.base_hash !== note.content_hash) {
      throw await staleText(client, note, options.base_hash, context);
    }
    const content = edited(note.content, edit);
    if (content === note.content) return unchanged(note);
    if (options.dry_run === true) {
      checkSize(content);
      return changed(note, content, null, context);
    }
    const written = await writeOver(client, note, content, context);
    if (written !== null) {
      const answer = await changed(note, written.content, written, context);
      return withUndo(client, answer, [undoOf(note, written)], written.path);
    }
    if (attempt >= TRIES)
      throw new ToolFailure('The note is being changed by others all the time; nothing was done. Try again later.');
  }
}

function edited(content: string, edit: (content: string) => string): string {
  try {
    return edit(content);
  } catch (error) {
    if (error instanceof EditFailure) throw editRefused(error);
    throw error;
  }
}

/** Writes a text over the one that was read; null if that is no longer the text of the note. */
export async function writeOver(
  client: VaultClient,
  note: Note,
  content: string,
  { now }: ToolContext,
): Promise<Note | null> {
  const mtime = now().getTime() / 1000;
  try {
    return await client.upsertNote({ id: note.id, path: note.path, content, base_hash: note.content_hash, mtime });
  } catch (error) {
    if (error instanceof ApiError && error.status === 409 && error.body.conflict === true) return null;
    throw error;
  }
}

/** Creates a note; null if there is one at the path already, which is never overwritten. */
export async function createAt(
  client: VaultClient,
  path: string,
  content: string,
  { now }: ToolContext,
): Promise<Note | null> {
  try {
    // Version 0 was never issued, so the server refuses it for a note that somebody has just created there.
    return await client.upsertNote({ path, content, version: 0, mtime: now().getTime() / 1000 });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'version_conflict') return null;
    throw error;
  }
}

/** Returns the refusal of a write by somebody who has read another text, with what has changed since. */
export async function staleText(
  client: VaultClient,
  note: Note,
  hash: string,
  { diff }: ToolContext,
): Promise<ToolFailure> {
  const known = (await client.versionsOf(note.id)).find(({ content_hash }) => content_hash === hash);
  const base = known === undefined ? null : await client.readVersion(note.id, known.version);
  const change = base === null ? null : await diff(base.content, note.content);
  return new ToolFailure(
    'The note does not have the text of your base_hash; nothing was changed.',
    ...(change === null ? [] : ['What has changed since you read it:', data(change)]),
    `Its hash is now ${note.content_hash}. ${change === null ? 'Read it again' : 'Check the change'}, then send that base_hash.`,
  );
}

function unchanged({ id, content_hash: hash }: Note): Answer {
  const structured = { id, hash, changed: false };
  return { parts: ['The note already has this text; nothing was changed.'], structured };
}

/** @param written null for a dry run. */
async function changed(before: Note, content: string, written: Note | null, context: ToolContext): Promise<Answer> {
  const diff = await context.diff(before.content, content);
  const [was, is] = [sizeOf(before.content), sizeOf(content)];
  const structured = {
    notice: DATA_NOTICE,
    ...{ id: before.id, path: before.path, changed: written !== null, dry_run: written === null },
    ...{ size_before: was, size_after: is, diff },
    ...(written === null
      ? { hash: before.content_hash }
      : { hash: written.content_hash, version: written.version, version_before: before.version }),
  };
  const lead =
    written === null
      ? `Dry run: nothing was changed. ${was} → ${is} bytes. The hash is still ${before.content_hash}.`
      : `Changed. ${was} → ${is} bytes, version ${written.version}, hash ${written.content_hash}.`;
  return { parts: [lead, ...shownDiff(before.path, diff)], structured };
}

/** Returns the call that gives a note its earlier text again, unless its text has changed since the write. */
export function undoOf(
  before: Pick<Note, 'id' | 'version'>,
  { content_hash: hash }: Pick<Note, 'content_hash'>,
): UndoCall {
  return { tool: 'restore_note', arguments: { id: before.id, version: before.version, base_hash: hash } };
}

/** Returns the call that deletes a created note, unless its text has changed since. */
export function undoOfCreated({ id, content_hash: hash }: Note): UndoCall {
  return { tool: 'delete_note', arguments: { id, base_hash: hash } };
}

/** Returns the path of a note and a difference, as parts of an answer. */
export function shownDiff(path: string, diff: string | null): Parts {
  return diff === null ? [data(path), 'The difference could not be made.'] : [data([path, diff].join('\n'))];
}

/** Throws ToolFailure for a text that a write would refuse. */
export function checkSize(content: string): void {
  if (content.length > NOTE_BYTES_MAX || sizeOf(content) > NOTE_BYTES_MAX) {
    throw new ToolFailure('The note would be over 10 MB, so the write would fail; nothing was done.');
  }
}

export function sizeOf(content: string): number {
  return new TextEncoder().encode(content).length;
}
