import { ApiError } from '@notevault/client/transport.ts';
import type { QueryClient } from '@tanstack/react-query';
import { api } from '../../data/client.ts';
import { newNote } from '../../data/new-note.ts';
import { noteQuery, tagsQuery, treeQuery } from '../../data/queries.ts';
import { attachmentUrl, uploadFile } from '../../media/attachment-urls.ts';
import type { NoteServer } from './note-services.ts';

/** A note that an excerpt is taken from may be as old as this. */
const FRESH_MS = 10_000;

/** A vault on the server, read through the queries of the app. */
export function noteServer(vault: string, queries: QueryClient): NoteServer {
  return {
    tree: () => queries.ensureQueryData(treeQuery(vault)),
    tags: () => queries.ensureQueryData(tagsQuery(vault)),
    note: (id) => queries.fetchQuery({ ...noteQuery(vault, id), staleTime: FRESH_MS }),
    makeNote: (path) => api.vault(vault).upsertNote(newNote(path, '', Date.now() / 1000)),
    change: (id, edit) => changeNote(vault, queries, id, edit),
    attachmentUrl: (path) => attachmentUrl(vault, path),
    upload: (path, file, onProgress, signal) => uploadFile(vault, path, file, onProgress, signal),
  };
}

/** How often a note is read again that somebody else writes. */
const TRIES = 4;

async function changeNote(
  vault: string,
  queries: QueryClient,
  id: string,
  edit: (text: string) => string | null,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { queryKey } = noteQuery(vault, id);
    const note = await queries.fetchQuery({ ...noteQuery(vault, id), staleTime: 0 });
    const content = note === null ? null : edit(note.content);
    if (note === null || content === null || content === note.content) return;
    try {
      const base = { path: note.path, base_hash: note.content_hash, mtime: Date.now() / 1000 };
      queries.setQueryData(queryKey, await api.vault(vault).upsertNote({ ...base, content }));
      return;
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 409 && tries < TRIES)) throw error;
    }
  }
}
