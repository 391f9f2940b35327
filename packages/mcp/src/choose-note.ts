import type { VaultClient } from '@notevault/client/vault-client.ts';
import { fileStem } from '@notevault/note-text/paths.ts';
import type { Note } from '@notevault/protocol/notes.ts';
import { data, ToolFailure } from './text/answer.ts';

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
  return /\.md$/i.test(path) ? vault.readNote(path) : ((await vault.readNote(`${path}.md`)) ?? null);
}

/** The refusal of a call that names no existing note. */
export async function noSuchNote(vault: VaultClient, path: string | null): Promise<ToolFailure> {
  if (path === null) return new ToolFailure('No note has this id. Nothing was done. search_notes finds notes.');
  const near = await suggestions(vault, path);
  if (near.length === 0)
    return new ToolFailure('There is no note at this path; nothing was done. search_notes and list_folder find notes.');
  return new ToolFailure(
    'There is no note at this path; nothing was done. Did you mean one of these?',
    data(near.join('\n')),
  );
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
