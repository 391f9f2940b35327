import { RestClient } from '@notevault/client/rest.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { App } from '@notevault/server/app.ts';
import { CliError } from '../explain.ts';

/** What an import learns of a note it wrote or read. */
export interface Imported {
  readonly content_hash: string;
  readonly version: number;
  readonly parse_status: 'ok' | 'degraded';
  readonly links: readonly { readonly dangling: boolean }[];
}

/** Where an import goes: the same verbs, in this process or over HTTP. */
export interface Door {
  upsert(note: { path: string; content: string; mtime: number }): Promise<Imported>;
  read(path: string): Promise<Imported | null>;
}

/** Into the vault of that name of an account, made when there is none; in this process. */
export async function localDoor(app: App, email: string | undefined, vaultName: string): Promise<Door> {
  const { token } = await app.accounts.openSession(email);
  const principal = await app.accounts.authenticate(`Bearer ${token}`);
  const vaults = await app.vaults.list(principal, { deleted: false });
  const named = vaults.filter(({ name }) => name === vaultName);
  const id = oneOf(named, vaultName) ?? (await app.vaults.create(principal, { name: vaultName })).id;
  const vault = await app.vaults.openVault(principal, id, 'write');
  const writing = { vault, actor: { kind: 'import', name: 'import' }, device: null };
  return {
    upsert: (note) => app.notes.upsert(writing, note),
    read: (path) =>
      app.notes.getByPath(vault, path).catch((error) => {
        if (error instanceof NotevaultError && error.code === 'note_not_found') return null;
        throw error;
      }),
  };
}

/** As localDoor, through a running server. */
export async function remoteDoor(url: string, token: () => Promise<string>, vaultName: string): Promise<Door> {
  const client = new RestClient(url, token);
  const named = (await client.listVaults()).filter(({ name }) => name === vaultName);
  const id = oneOf(named, vaultName) ?? (await client.createVault(vaultName)).id;
  return { upsert: (note) => client.upsertNote(id, note), read: (path) => client.getNote(id, path) };
}

function oneOf(vaults: readonly { id: string }[], name: string): string | null {
  if (vaults.length > 1) {
    throw new CliError(`There are ${vaults.length} vaults named "${name}": rename one, or give another --vault.`);
  }
  return vaults[0]?.id ?? null;
}
