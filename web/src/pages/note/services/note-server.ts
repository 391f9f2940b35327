import { ApiError } from '@notevault/client/transport.ts';
import type { QueryClient } from '@tanstack/react-query';
import { api } from '../../../data/client.ts';
import { noteQuery, tagsQuery, treeQuery } from '../../../data/queries.ts';
import { currentOutbox, doInVault } from '../../../device/outbox/current-outbox.ts';
import { fileUrl, uploadOrKeep } from '../../../device/outbox/files.ts';
import type { NoteServer } from './note-services.ts';

/** A note that an excerpt is taken from may be as old as this. */
const FRESH_MS = 10_000;

/** A vault on the server, read through the queries of the app. */
export function noteServer(vault: string, queries: QueryClient): NoteServer {
  return {
    tree: () => queries.ensureQueryData(treeQuery(vault)),
    tags: () => queries.ensureQueryData(tagsQuery(vault)),
    note: (id) => queries.fetchQuery({ ...noteQuery(vault, id), staleTime: FRESH_MS }),
    makeNote: (path) => makeNote(vault, path),
    change: (id, edit) => changeNote(vault, queries, id, edit),
    attachmentUrl: (path) => fileUrl(vault, path),
    upload: (path, file, onProgress, signal) => uploadOrKeep(vault, path, file, onProgress, signal),
  };
}

/** A server that takes longer to make a note is not waited for. */
const DRAFT_MS = 1_500;

/** Makes an empty note, which is a draft until the server has it; resolves to its id, or that of the note at the path. */
async function makeNote(vault: string, path: string): Promise<string> {
  const noteId = crypto.randomUUID();
  const made = doInVault(vault, { kind: 'note', noteId, path, content: '', attempt: null, sent: null }, noteId);
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), DRAFT_MS));
  const result = await Promise.race([made, late]);
  if (result?.type === 'done') return result.id ?? noteId;
  if (result?.type !== 'problem') return noteId;
  await (await currentOutbox()).discard(noteId);
  const { problem } = result;
  const there = problem.reason === 'taken' ? await api.vault(vault).readNote(path) : null;
  if (there !== null) return there.id;
  if (problem.reason === 'refused') throw new ApiError(problem.status, problem.body, null);
  throw new ApiError(409, { error: 'conflict' }, null);
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
