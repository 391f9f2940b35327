import { noteQuery } from '../../data/queries.ts';
import { queryClient } from '../../data/query-client.ts';
import { deviceNoteQuery } from '../../device/device-note-query.ts';
import { draftOf } from '../../device/outbox/outbox-state.ts';

/** Loads the data to open a note with: the copy on this device, else the server's note. */
export async function findNote(vaultId: string, noteId: string): Promise<void> {
  if (draftOf(noteId) !== null) return void (await queryClient.fetchQuery(deviceNoteQuery(noteId)));
  const read = queryClient.ensureQueryData(noteQuery(vaultId, noteId)).catch(() => undefined);
  const kept = await queryClient.fetchQuery(deviceNoteQuery(noteId));
  if (kept === null) await read;
}
