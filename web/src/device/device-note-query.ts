import { queryOptions } from '@tanstack/react-query';
import { keys } from '../data/keys.ts';
import { meQuery } from '../data/queries.ts';
import type { DeviceNote } from '../editor/device.ts';
import { deviceStore } from './device-store.ts';
import { draftId, draftOf } from './outbox/outbox-state.ts';

/** Whether this device has a copy of a note, so that it can be opened without the server. */
export function deviceNoteQuery(note: string) {
  return queryOptions({
    queryKey: keys.deviceNote(note),
    queryFn: async ({ client }): Promise<DeviceNote | null> => {
      try {
        const { id } = await client.ensureQueryData(meQuery);
        const { openDraft, currentOutbox } = await import('./outbox/current-outbox.ts');
        await currentOutbox();
        if (draftOf(note) === null) return await deviceStore(id).find(note);
        await openDraft(note);
        return await deviceStore(id).find(draftId(note));
      } catch {
        return null;
      }
    },
    staleTime: 0,
  });
}
