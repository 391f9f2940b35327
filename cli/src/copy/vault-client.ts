import { createReadStream, openAsBlob } from 'node:fs';
import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { tokensFrom } from '@notevault/client/tokens.ts';
import { Transport } from '@notevault/client/transport.ts';
import type { Attachment } from '@notevault/protocol/attachments.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Note } from '@notevault/protocol/notes.ts';
import type { Manifest, VaultTree } from '@notevault/protocol/sync.ts';
import type { App } from '@notevault/server/app.ts';
import { CliError } from '../error-messages.ts';

/** Paths and metadata of a vault's notes and attachments, without their content. */
export interface Contents {
  /** Paths of the notes. */
  readonly notes: readonly string[];
  readonly files: readonly Pick<Attachment, 'path' | 'content_hash' | 'size_bytes' | 'mtime'>[];
  /** Damaged items. Their paths cannot be decrypted, so `path` is the kind and id. */
  readonly damaged: readonly { readonly path: string; readonly why: string }[];
}

/** Operations on the vault of an import or export, in this process or over HTTP. */
export interface VaultClient {
  readonly name: string;
  upsert(note: { path: string; content: string; mtime: number }): Promise<Note>;
  /** Resolves to null if there is no such note. */
  read(path: string): Promise<Note | null>;
  /** Lists the vault's notes and attachments, and its damaged items. */
  list(): Promise<Contents>;
  /** Lists explicit folders, which exist even while they are empty. */
  listFolders(): Promise<string[]>;
  /** Uploads a file of this machine as an attachment. */
  upload(path: string, file: { at: string; size: number; mtime: number }): Promise<Attachment>;
  bytesOf(path: string): Promise<AsyncIterable<Uint8Array>>;
}

/** Name of a vault, and when to create it: never, if it is missing, or always, under a name that is free. */
export interface VaultChoice {
  readonly name: string;
  readonly make: 'never' | 'if-missing' | 'always';
}

/** Opens a vault of an account in this process. */
export async function localVaultClient(app: App, email: string | undefined, choice: VaultChoice): Promise<VaultClient> {
  const { token } = await app.accounts.openSession(email);
  const principal = await app.accounts.authenticate(`Bearer ${token}`);
  const vaults = await app.vaults.list(principal, { deleted: false });
  const { id, name } = await oneOf(vaults, choice, (name) => app.vaults.create(principal, { name }));
  const vault = await app.vaults.openVault(principal, id, 'write');
  const writing = { vault, actor: { kind: 'import', name: 'import' }, device: null };
  return {
    name,
    upsert: async (note) => (await app.notes.upsert(writing, note)).note,
    read: (path) =>
      app.notes.getByPath(vault, path).catch((error) => {
        if (error instanceof NotevaultError && error.code === 'note_not_found') return null;
        throw error;
      }),
    async list() {
      const manifest = await app.sync.manifest(vault, undefined, 'list');
      if ('unchanged' in manifest) throw new TypeError('a manifest that was not asked for by its seq');
      const tree = await app.sync.tree(vault, 'list');
      const parse = (json: readonly Buffer[]): unknown => JSON.parse(Buffer.concat(json).toString());
      return contentsOf(parse(manifest.json) as Manifest, parse(tree) as VaultTree);
    },
    listFolders: async () =>
      (await app.entries.folders.list(vault)).filter(({ id }) => id !== null).map(({ name }) => name),
    upload: (path, { at, size, mtime }) =>
      app.attachments.upload(writing, () => ({
        ...{ path: () => path, mtime: () => mtime, bytes: createReadStream(at), declaredBytes: size },
      })),
    async bytesOf(path) {
      const { attachment, bytes } = await app.attachments.open(vault, path);
      return bytes({ start: 0, end: attachment.size_bytes });
    },
  };
}

/** Opens a vault of an account through a running server. */
export async function remoteVaultClient(
  url: string,
  token: () => Promise<string>,
  choice: VaultChoice,
): Promise<VaultClient> {
  const client = new NotevaultClient(new Transport(url, tokensFrom(token)));
  const { id, name } = await oneOf(await client.vaults(), choice, (name) => client.createVault(name));
  const vault = client.vault(id);
  return {
    name,
    upsert: (note) => vault.upsertNote(note),
    read: (path) => vault.readNote(path),
    list: async () => contentsOf(await vault.manifest({ damage: 'list' }), await vault.tree()),
    listFolders: () => vault.explicitFolders(),
    async upload(path, { at, mtime }) {
      const blob = await openAsBlob(at);
      return vault.putAttachment(path, { bytes: () => blob, mtime });
    },
    async bytesOf(path) {
      const found = await vault.readAttachment(path);
      if (found === null) throw new CliError(`The attachment "${path}" was deleted during the copy.`);
      return found.bytes;
    },
  };
}

/** Converts a manifest and a tree. Throws if the manifest has no lists, because it would look like an empty vault. */
function contentsOf({ notes, attachments, unreadable = [] }: Manifest, tree: VaultTree): Contents {
  if (notes === undefined || attachments === undefined) throw new TypeError('a manifest without its lists');
  const hashes = new Map(attachments.map(({ id, content_hash }) => [id, content_hash]));
  return {
    notes: notes.map(({ path }) => path),
    // An attachment in only one of the lists was created or deleted between the two reads.
    files: tree.attachments.flatMap(({ id, ...file }) => {
      const content_hash = hashes.get(id);
      return content_hash === undefined ? [] : [{ ...file, content_hash }];
    }),
    damaged: unreadable.map(({ type, id }) => ({ path: `${type} ${id}`, why: 'is damaged on the server' })),
  };
}

interface NamedVault {
  readonly id: string;
  readonly name: string;
}

async function oneOf(
  vaults: readonly NamedVault[],
  { name, make }: VaultChoice,
  create: (name: string) => Promise<{ id: string }>,
): Promise<NamedVault> {
  const made = async (name: string) => ({ id: (await create(name)).id, name });
  if (make === 'always') return made(freeName(name, new Set(vaults.map((vault) => vault.name))));
  const named = vaults.filter((vault) => vault.name === name);
  if (named.length > 1) {
    throw new CliError(`There are ${named.length} vaults named "${name}": rename one, or choose another --vault.`);
  }
  const [only] = named;
  if (only !== undefined) return only;
  if (make === 'if-missing') return made(name);
  const names = vaults.map((vault) => `"${vault.name}"`).join(', ');
  throw new CliError(`There is no vault named "${name}"${names === '' ? '' : `; there are ${names}`}.`);
}

/** Returns a name that no vault has: `Diary (2026-11-29)`, then `Diary (2026-11-29, 2)`. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = name.replace(/\)$/, `, ${number})`);
  return free;
}
