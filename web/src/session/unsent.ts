import { importOrReload } from '../app/import-or-reload.ts';

/** Returns how many notes have edits on this device that the server has not acknowledged. */
export async function unsentNotes(): Promise<number> {
  const databases = await indexedDB.databases().catch(() => []);
  if (databases.length === 0) return 0;
  const { openDeviceStore } = await importOrReload(() => import('../editor/index.ts'));
  const notes = await openDeviceStore(indexedDB, () => Date.now())
    .unsentNotes()
    .catch(() => []);
  return notes.length;
}
