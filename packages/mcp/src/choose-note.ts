import type { VaultClient } from '@notevault/client/vault-client.ts';
import { fileStem } from '@notevault/note-text/paths.ts';
import type { Note } from '@notevault/protocol/notes.ts';
import { data, ToolFailure } from './text/answer.ts';
import { trashLine } from './text/trash-line.ts';

/** Arguments that name a note; a call gives one of them. */
export interface NoteName {
  readonly path?: string;
  readonly id?: string;
}

const SUGGESTIONS = 5;

/** Reads the note that a call names. Throws ToolFailure with the nearest notes when there is none. */
export async function chooseNote(vault: VaultClient, name: NoteName): Promise<Note> {
  if ((name.path === undefined) === (name.id === undefined)) throw new ToolFailure('Send either `path` or `id`.');
  const note = await readNote(vault, name);
  if (note !== null) return note;
  throw await noSuchNote(vault, name.path ?? null);
}

/** Reads a note; null when there is none. A path may lack its `.md`. */
export async function readNote(vault: VaultClient, { path, id }: NoteName): Promise<Note | null> {
  if (id !== undefined) return vault.readNoteById(id);
  if (path === undefined) return null;
  return vault.readNote(withExtension(path));
}

/** Returns the refusal of a call that names no existing note. */
export async function noSuchNote(vault: VaultClient, path: string | null): Promise<ToolFailure> {
  if (path === null) return new ToolFailure('No note has this id. Nothing was done. search_notes finds notes.');
  const [near, deleted] = await Promise.all([suggestions(vault, path), deletedAt(vault, path)]);
  const lead = 'There is no note at this path; nothing was done.';
  const trash =
    deleted.length === 0 ? [] : ['In the trash; restore_note with its id brings it back:', data(deleted.join('\n'))];
  if (near.length === 0) return new ToolFailure(`${lead} search_notes and list_folder find notes.`, ...trash);
  return new ToolFailure(`${lead} Did you mean one of these?`, data(near.join('\n')), ...trash);
}

/** Returns a line for each deleted note that had a path; none if the caller may not read the trash. */
async function deletedAt(vault: VaultClient, path: string): Promise<string[]> {
  const { items } = await vault.trash(null, withExtension(path)).catch(() => ({ items: [] }));
  return items
    .filter(({ type }) => type === 'note')
    .slice(0, SUGGESTIONS)
    .map(trashLine);
}

/** Returns the path of a note that a call may name without its `.md`. */
export function withExtension(path: string): string {
  return /\.md$/i.test(path) ? path : `${path}.md`;
}

/** Paths of notes that a search finds by the words of a file name. */
async function suggestions(vault: VaultClient, path: string): Promise<string[]> {
  const words =
    fileStem(path)
      .match(/[\p{L}\p{N}]+/gu)
      ?.slice(0, 8) ?? [];
  if (words.length === 0) return [];
  const { results } = await vault.search({ query: words.join(' '), mode: 'keyword', limit: SUGGESTIONS });
  return results.map((result) => result.path);
}
