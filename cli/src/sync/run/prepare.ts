import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VaultClient } from '@notevault/client/vault-client.ts';
import { SETTINGS, type Setting } from '@notevault/sync/rules/settings-files.ts';
import { processEnvironment } from '../../environment.ts';
import { CliError } from '../../error-messages.ts';
import { ask } from '../account/ask.ts';
import { type ConnectFlags, chooseVault, type Known, type VaultAccess, vaultClientOf } from '../account/connect.ts';
import { type FoundFolder, findFolder, requireFolder } from '../state/find-folder.ts';
import { FolderEnded } from '../state/folder-ended.ts';
import { newFolderId, writeMarker } from '../state/folder-marker.ts';
import { type FolderRecord, FolderRegistry } from '../state/folder-registry.ts';
import { readStatus } from '../state/status-file.ts';

export interface PrepareFlags extends ConnectFlags {
  /** Groups of settings, separated by commas. */
  readonly settings?: string;
}

/** A folder with its vault, ready to be opened. */
export interface PreparedFolder {
  readonly record: FolderRecord;
  readonly registry: FolderRegistry;
  /** Folder that stores its sync state. */
  readonly place: string;
  readonly access: VaultAccess;
  readonly vault: VaultClient;
  /** Whether this machine syncs it for the first time, or again from scratch. */
  readonly isNew: boolean;
  /** Record of an ended sync that the new one replaces. */
  readonly ended: FolderRecord | null;
}

/**
 * Finds a folder's state and vault; for a new folder the flags choose them. Throws ServerUnreachable if only the server
 * can tell the vault, and FolderEnded if the folder's vault was deleted, unless the flags or the user ask to sync it
 * again.
 */
export async function prepareFolder(dir: string, flags: PrepareFlags): Promise<PreparedFolder> {
  const settings = flags.settings === undefined ? null : parseSettings(flags.settings);
  const environment = processEnvironment();
  const root = await requireFolder(dir, environment.stateFolder);
  const registry = new FolderRegistry(environment.stateFolder);
  const found = await findFolder(registry, root);
  const known = found.kind === 'known' ? found.record : null;
  if (known !== null && flags.vault !== undefined && ![known.vaultId, known.vaultName].includes(flags.vault))
    throw new CliError(
      `${root} is synced with the vault "${known.vaultName}" already. To sync it with another vault, first remove its .notevault folder.`,
    );
  const ended = known !== null && (await isToBeginAnew(registry, known, flags)) ? known : null;
  const before = ended === null ? known : null;
  const access = await chooseVault(flags, environment, knownOf(found));
  const record: FolderRecord = {
    folderId: before?.folderId ?? newFolderId(),
    root,
    url: access.url,
    vaultId: access.vaultId,
    vaultName: access.vaultName,
    settings: settings ?? known?.settings ?? [],
    isPaused: before?.isPaused ?? false,
  };
  const vault = vaultClientOf(access, record.folderId);
  return { record, registry, place: registry.stateOf(record), access, vault, isNew: before === null, ended };
}

/**
 * Returns whether to sync a folder from scratch because its sync has ended; false if it has not. Throws FolderEnded if
 * the user declines.
 */
async function isToBeginAnew(registry: FolderRegistry, known: FolderRecord, flags: PrepareFlags): Promise<boolean> {
  const status = await readStatus(registry.stateOf(known));
  if (status?.state !== 'ended') return false;
  if (flags.vault !== undefined) return true;
  const error = new FolderEnded(known.root, status.message ?? 'its vault is gone');
  if (!process.stdin.isTTY) throw error;
  const question = `${error.message}\nSync it with the vault "${known.vaultName}" now?`;
  if ((await ask(question, ['compare all files and sync', 'cancel'], '--vault')) === 1) throw error;
  return true;
}

/** Returns the vault that a folder, or the folder that it was copied from, was synced with. */
function knownOf(found: FoundFolder): Known | null {
  switch (found.kind) {
    case 'known':
      return found.record;
    case 'copied':
      return { vaultId: found.vaultId };
    case 'new':
      return null;
  }
}

/** Stores the record of a prepared folder, and writes the folder's marker if it is new. */
export async function registerFolder({ record, registry, isNew, ended }: PreparedFolder): Promise<void> {
  if (ended !== null) await registry.save({ ...ended, root: '' });
  // The marker comes first: a folder with a record but no marker counts as emptied.
  if (isNew) await writeMarker(record.root, record);
  await registry.save(record);
}

/** Creates a temporary folder for the state of a dry run of a new folder. */
export async function temporaryPlace(): Promise<AsyncDisposable & { readonly place: string }> {
  const place = await mkdtemp(join(tmpdir(), 'notevault-dry-run-'));
  return { place, [Symbol.asyncDispose]: () => rm(place, { recursive: true, force: true }) };
}

function parseSettings(text: string): Setting[] {
  const names = text.split(',').filter((name) => name !== '');
  const unknown = names.filter((name) => !(SETTINGS as readonly string[]).includes(name));
  if (unknown.length > 0)
    throw new CliError(
      `--settings does not know ${unknown.join(', ')}: it takes ${SETTINGS.join(', ')}, or "" for none.`,
    );
  return names as Setting[];
}
