import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NO_STATUS, type SyncStatus } from '@notevault/sync/run/sync-status.ts';
import { replaceFile } from './folder-registry.ts';

const NAME = 'status.json';

/**
 * Returns the status that the engine of a folder has written, for `notevault sync status`; null before its first run.
 */
export async function readStatus(place: string): Promise<SyncStatus | null> {
  try {
    return { ...NO_STATUS, ...(JSON.parse(await readFile(join(place, NAME), 'utf8')) as SyncStatus) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

export async function writeStatus(place: string, status: SyncStatus): Promise<void> {
  await replaceFile(join(place, NAME), `${JSON.stringify(status, null, 2)}\n`);
}
