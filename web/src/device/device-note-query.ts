import { queryOptions } from '@tanstack/react-query';
import { keys } from '../data/keys.ts';
import { meQuery } from '../data/queries.ts';
import type { DeviceNote } from '../editor/device.ts';
import { deviceStore } from './device-store.ts';

/** Whether this device has a copy of a note, so that it can be opened without the server. */
export function deviceNoteQuery(note: string) {
  return queryOptions({
    queryKey: keys.deviceNote(note),
    queryFn: async ({ client }): Promise<DeviceNote | null> => {
      try {
        const { id } = await client.ensureQueryData(meQuery);
        return await deviceStore(id).find(note);
      } catch {
        return null;
      }
    },
    staleTime: 0,
  });
}
