import { FolderGone } from '@notevault/sync/engine/ports.ts';
import type { App, DataAdapter } from 'obsidian';
import { reason } from '../texts/reasons/en.ts';
import { OWN_FOLDER } from './kept-copies.ts';

const MARKER = `${OWN_FOLDER}/folder.json`;
const DEVICE = 'notevault-device';

/** Marker file that identifies a synced vault; a copy of the vault contains it too. */
export interface Marker {
  readonly vaultId: string;
  readonly folderId: string;
}

/** Reads the marker; null when there is none that says a vault. */
export async function readMarker(adapter: DataAdapter): Promise<Marker | null> {
  if (!(await adapter.exists(MARKER))) return null;
  try {
    const marker: unknown = JSON.parse(await adapter.read(MARKER));
    const { vault_id: vaultId, folder_id: folderId } = marker as Record<string, unknown>;
    return typeof vaultId === 'string' && typeof folderId === 'string' ? { vaultId, folderId } : null;
  } catch {
    return null;
  }
}

/** Writes the marker, as `notevault sync` does, whose folder keeps its own. */
export async function writeMarker(adapter: DataAdapter, { vaultId, folderId }: Marker): Promise<void> {
  if ((await readMarker(adapter))?.vaultId === vaultId) return;
  await adapter.mkdir(OWN_FOLDER);
  await adapter.write(MARKER, `${JSON.stringify({ vault_id: vaultId, folder_id: folderId }, null, 2)}\n`);
}

export async function removeMarker(adapter: DataAdapter): Promise<void> {
  if (await adapter.exists(MARKER)) await adapter.remove(MARKER);
}

/** Throws FolderGone unless the vault still says that it is synced with this one. */
export async function checkMarker(adapter: DataAdapter, vaultId: string): Promise<void> {
  const marker = await readMarker(adapter);
  if (marker?.vaultId === vaultId) return;
  throw new FolderGone(marker === null ? reason('noMarker', { file: MARKER }) : reason('otherVault'));
}

/**
 * Returns the id of this device for this vault. It does not travel with the vault, so a copy has another one; where the
 * system removed what the app stores, the device is a new one too, which sends nothing before a person has seen what.
 */
export function deviceId(app: Pick<App, 'loadLocalStorage' | 'saveLocalStorage'>): string {
  const stored: unknown = app.loadLocalStorage(DEVICE);
  if (typeof stored === 'string' && /^[0-9a-f]{32}$/.test(stored)) return stored;
  const fresh = crypto.randomUUID().replaceAll('-', '');
  app.saveLocalStorage(DEVICE, fresh);
  return fresh;
}
