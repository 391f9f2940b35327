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
    attachmentUrl: (path) => attachmentUrl(vault, path),
    upload: (path, file, onProgress, signal) => uploadFile(vault, path, file, onProgress, signal),
  };
}
