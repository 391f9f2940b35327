import type { VaultClient } from '@notevault/client/vault-client.ts';
import { folderOf, foldPath } from '@notevault/note-text/paths.ts';
import type { ToolContext } from './tool.ts';

const VALUES_MAX = 100;

/** Argument to complete: its name, the text typed so far, and the other arguments. */
export interface CompletionRequest {
  readonly argument: string;
  readonly value: string;
  readonly others: Readonly<Record<string, string>>;
}

export type Completion = { readonly values: string[]; readonly total: number; readonly hasMore: boolean };

/** Completes names of vaults, folders and paths; other arguments have no suggestions. */
export async function complete(
  { argument, value, others }: CompletionRequest,
  context: ToolContext,
): Promise<Completion> {
  if (argument === 'vault_id' || argument === 'vault') return completed(await vaultsLike(value, argument, context));
  if (argument !== 'path' && argument !== 'folder') return completed([]);
  const vault = await vaultOf(others.vault_id ?? others.vault, context);
  if (vault === null) return completed([]);
  return completed(argument === 'folder' ? await foldersLike(vault, value) : await pathsLike(vault, value));
}

async function vaultsLike(value: string, argument: string, { vaults }: ToolContext): Promise<string[]> {
  const all = await vaults();
  const found = all.filter(({ id, name }) => [id, name].some((text) => startsLike(text, value)));
  return found.map(({ id, name }) => (argument === 'vault' ? name : id));
}

/** Returns the vault that was named before, or the only one; null when it is not known yet. */
async function vaultOf(wanted: string | undefined, { client, vaults }: ToolContext): Promise<VaultClient | null> {
  const all = await vaults();
  const found = wanted === undefined ? all : all.filter(({ id, name }) => id === wanted || name === wanted);
  const [only] = found;
  return only === undefined || found.length > 1 ? null : client.vault(only.id);
}

async function foldersLike(vault: VaultClient, value: string): Promise<string[]> {
  const folders = await vault.folders();
  return folders.map(({ name }) => name).filter((name) => name !== '' && startsLike(name, value));
}

/** Returns the subfolders and notes of the folder that has been typed so far. */
async function pathsLike(vault: VaultClient, value: string): Promise<string[]> {
  const folder = value.includes('/') ? folderOf(value) : '';
  const [folders, notes] = await Promise.all([vault.folders(), vault.notesIn(folder)]);
  const inside = folders.filter(({ name }) => name !== '' && foldPath(folderOf(name)) === foldPath(folder));
  const paths = [...inside.map(({ name }) => `${name}/`), ...notes.map(({ path }) => path)];
  return paths.filter((path) => startsLike(path, value));
}

function startsLike(text: string, start: string): boolean {
  return foldPath(text).startsWith(foldPath(start));
}

function completed(all: readonly string[]): Completion {
  return { values: all.slice(0, VALUES_MAX), total: all.length, hasMore: all.length > VALUES_MAX };
}
