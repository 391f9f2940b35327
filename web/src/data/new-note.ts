import type { UpsertNote } from '@notevault/protocol/notes.ts';

/**
 * The request that makes a note. Somebody else may have made one at the path since this tab read the tree, so it never
 * replaces a text: without content, the server answers with the note that is there; with content, it refuses, because
 * there never was a version 0.
 */
export function newNote(path: string, content: string, mtime: number): UpsertNote {
  return content === '' ? { path, mtime } : { path, mtime, content, version: 0 };
}
