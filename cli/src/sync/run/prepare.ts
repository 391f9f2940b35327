import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VaultClient } from '@notevault/client/vault-client.ts';
import { processEnvironment } from '../../environment.ts';
import { CliError } from '../../error-messages.ts';
import { type ConnectFlags, chooseVault, type Known, type VaultAccess, vaultClientOf } from '../account/connect.ts';
import { SETTINGS, type Setting } from '../disk/settings-files.ts';
import { type FoundFolder, findFolder, requireFolder } from '../state/find-folder.ts';
import { newFolderId, writeMarker } from '../state/folder-marker.ts';
import { type FolderRecord, FolderRegistry } from '../state/folder-registry.ts';

export interface PrepareFlags extends ConnectFlags {
  /** Groups of settings, separated by commas. */
  readonly settings?: string;
}

/** A folder with its vault, ready to be opened. */
export interface PreparedFolder {
  readonly record: FolderRecord;
  readonly registry: FolderRegistry;
  /** Where its state is. */
  readonly place: string;
  readonly access: VaultAccess;
  readonly vault: VaultClient;
  /** Whether it was never synced by this machine. */
  readonly isNew: boolean;
}

/**
 * Finds a folder's state and vault; those of a folder that was never synced are the ones that the flags choose. Throws
 * ServerUnreachable when only the server could say which vault that is.
 */
export async function prepareFolder(dir: string, flags: PrepareFlags): Promise<PreparedFolder> {
  const settings = flags.settings === undefined ? null : parseSettings(flags.settings);
  const environment = processEnvironment();
  const root = await requireFolder(dir, environment.stateFolder);
  const registry = new FolderRegistry(environment.stateFolder);
  const found = await findFolder(registry, root);
  const before = found.kind === 'known' ? found.record : null;
  if (before !== null && flags.vault !== undefined && ![before.vaultId, before.vaultName].includes(flags.vault))
    throw new CliError(
      `${root} is synced with the vault "${before.vaultName}" already: to sync it with another, remove its .notevault folder.`,
    );
  const access = await chooseVault(flags, environment, knownOf(found));
  const record: FolderRecord = {
    folderId: before?.folderId ?? newFolderId(),
    root,
    url: access.url,
    vaultId: access.vaultId,
    vaultName: access.vaultName,
    settings: settings ?? before?.settings ?? [],
    isPaused: before?.isPaused ?? false,
  };
  const vault = vaultClientOf(access, record.folderId);
  return { record, registry, place: registry.stateOf(record), access, vault, isNew: before === null };
}

/** The vault with which a folder was synced before, here or where it was copied from. */
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

/** Remembers a prepared folder, and marks it as the one that is synced. */
export async function registerFolder({ record, registry, isNew }: PreparedFolder): Promise<void> {
  // A folder with a record and no marker would look like one that was emptied.
  if (isNew) await writeMarker(record.root, record);
  await registry.save(record);
}

/** A place for the state of a dry run of a folder that was never synced. */
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
