import { noteQuery } from '../../data/queries.ts';
import { queryClient } from '../../data/query-client.ts';
import { deviceNoteQuery } from '../../device/device-note-query.ts';
import { draftOf } from '../../device/outbox/outbox-state.ts';

/** Waits for what a note is opened with: the copy on this device, else what the server has. */
export async function findNote(vaultId: string, noteId: string): Promise<void> {
  if (draftOf(noteId) !== null) return void (await queryClient.fetchQuery(deviceNoteQuery(noteId)));
  const read = queryClient.ensureQueryData(noteQuery(vaultId, noteId)).catch(() => undefined);
  const kept = await queryClient.fetchQuery(deviceNoteQuery(noteId));
  if (kept === null) await read;
}
