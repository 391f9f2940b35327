import { fileName, joinPath } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Folder, FolderRenamed } from '@notevault/protocol/folders.ts';
import { itemIds } from '@notevault/protocol/values/batch-ids.ts';
import { parseUuid } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle, WriteHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { DeleteOperations } from '../deletion/delete.ts';
import type { EntryDeps, WriteContext } from '../entries.deps.ts';
import type { MoveOperations, MoveRoot } from '../moves/move.ts';
import type { FolderEntry, Namespace, PathOwner, ResolvedPath, TargetInput } from '../namespace/namespace.ts';
import { conflictWithOwner } from '../path-conflict.ts';
import { folderPathFrom } from '../request-paths.ts';
import { entryRows } from '../rows.ts';

/** Explicit folders, and folders that exist because they contain something. */
export class Folders {
  readonly #deps: EntryDeps;
  readonly #namespace: Namespace;
  readonly #moves: MoveOperations;
  readonly #deletes: DeleteOperations;

  constructor(deps: EntryDeps, namespace: Namespace, moves: MoveOperations, deletes: DeleteOperations) {
    this.#deps = deps;
    this.#namespace = namespace;
    this.#moves = moves;
    this.#deletes = deletes;
  }

  /** Returns every folder and the root (`""`), ordered by path. */
  list(vault: OpenVault): Promise<Folder[]> {
    return this.#deps.db.read((handle) => this.listAt(handle, vault));
  }

  /** Like `list`, in a snapshot. */
  async listAt(handle: ReadHandle, vault: OpenVault): Promise<Folder[]> {
    const entries = await this.#namespace.allFolders(handle, vault);
    const notesAtRoot = await entryRows.countAtRoot(handle, vault.id, 'note');
    const explicit = new Set<string>(entries.filter((entry) => entry.explicit).map(({ id }) => id));
    const folders = entries.map((entry) => toFolder(entry, (id) => explicit.has(id)));
    return [toRoot(notesAtRoot), ...folders].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Returns the folder at a path, explicit or not; null when there is none. */
  at(vault: OpenVault, path: string): Promise<FolderEntry | null> {
    return this.#namespace.folderAt(this.#deps.db, vault, path);
  }

  /** Returns an explicit folder by id. Throws `bad_folder_id`, `folder_id_not_found`. */
  async byId(vault: OpenVault, sent: string): Promise<FolderEntry> {
    const id = parseUuid(sent);
    if (id === null) throw new NotevaultError('bad_folder_id');
    const entry = await this.#namespace.folderById(this.#deps.db, vault, id);
    if (entry === null || !entry.explicit) throw new NotevaultError('folder_id_not_found');
    return entry;
  }

  /** Creates the folder and its ancestors, or returns the existing one. Throws `folder_empty`, `conflict`. */
  async create(context: WriteContext<Folder>, sent: unknown): Promise<Folder> {
    const path = typeof sent === 'string' ? folderPathFrom(sent, 'folder') : '';
    if (path === '') throw new NotevaultError('folder_empty');
    return createFolder(this.#deps, this.#namespace, context, path);
  }

  /**
   * Makes the folder no longer explicit, which deletes it if it is empty; with `recursive`, deletes it with its
   * contents. A path without a folder is not an error. Throws `folder_empty`.
   */
  async remove(context: WriteContext<void>, path: string, recursive: boolean): Promise<void> {
    if (path === '') throw new NotevaultError('folder_empty');
    if (!recursive) return this.#removeExplicit(context, path);
    const find = async () => [await this.at(context.vault, path)].filter((entry) => entry !== null);
    return this.#deletes.deleteFolders<void>(context, find, () => undefined);
  }

  async #removeExplicit({ vault, inTransaction }: WriteContext<void>, path: string): Promise<void> {
    const { db, vaults } = this.#deps;
    // Runs a transaction even if there is nothing to delete, because the deletion by another request may not be on disk
    // yet.
    await db.transact(async (handle) => {
      await vaults.advance(handle, vault, { seqs: 0, notes: 0 });
      const entry = await this.#namespace.folderAt(handle, vault, path);
      if (entry?.explicit) {
        await vaults.advance(handle, vault, { seqs: 1, notes: 0 });
        await this.#namespace.setExplicit(handle, vault, entry, false);
      }
      await inTransaction?.(handle, undefined);
    });
  }

  /** Throws `folder_not_found`, `conflict`, `cycle`. */
  async rename(
    context: WriteContext<FolderRenamed>,
    sent: { readonly old_path: string; readonly new_path: string },
  ): Promise<FolderRenamed> {
    const { vault } = context;
    const [from, to] = [folderPathFrom(sent.old_path, 'old_path'), folderPathFrom(sent.new_path, 'new_path')];
    if (from === '') throw new NotevaultError('folder_not_found');
    if (to === '') throw new NotevaultError('conflict');
    const find = async (): Promise<MoveRoot[]> => {
      const entry = await this.at(vault, from);
      if (entry === null) throw new NotevaultError('folder_not_found');
      return [{ kind: 'folder', id: entry.id, from: entry.path, to }];
    };
    return this.#moves.moveOne(context, to, {
      find,
      field: 'new_path',
      answer: (_handle, { named: [folder], notes: count, attachments }) => ({
        renamed: true,
        old_path: folder?.from ?? from,
        new_path: folder?.to ?? to,
        count,
        attachments,
      }),
    });
  }

  /**
   * Moves folders with their contents, all or none; resolves to the number requested. Throws the errors of batch
   * requests.
   */
  async moveMany(context: WriteContext<number>, sent: unknown, target: TargetInput): Promise<number> {
    const { vault } = context;
    const ids = itemIds(sent);
    const find = async (): Promise<MoveRoot[]> => {
      const folder = await this.#namespace.targetPath(this.#deps.db, vault, target, 'target_parent');
      return (await this.#explicitFolders(vault, ids)).map(({ id, path }) => ({
        kind: 'folder',
        id,
        from: path,
        to: joinPath(folder, fileName(path)),
      }));
    };
    return this.#moves.move(context, { find, field: 'target_parent', answer: () => ids.length });
  }

  /** Deletes folders with their contents, all or none; resolves to the number requested. */
  async deleteMany(context: WriteContext<number>, sent: unknown): Promise<number> {
    const ids = itemIds(sent);
    const find = () => this.#explicitFolders(context.vault, ids);
    return this.#deletes.deleteFolders(context, find, () => ids.length);
  }

  /** Returns explicit folders by id, in the same order. Throws `item_not_found`. */
  async #explicitFolders(vault: OpenVault, ids: readonly string[]): Promise<FolderEntry[]> {
    const entries = await Promise.all(ids.map((id) => this.#namespace.folderById(this.#deps.db, vault, id)));
    return entries.map((entry, index) => {
      if (entry === null || !entry.explicit) throw new NotevaultError('item_not_found', { item_id: ids[index] });
      return entry;
    });
  }
}

/** Creates the folder or makes the existing one explicit; retries when another writer was faster. */
async function createFolder(
  deps: EntryDeps,
  namespace: Namespace,
  context: WriteContext<Folder>,
  path: string,
): Promise<Folder> {
  const { db } = deps;
  const { vault } = context;
  for (;;) {
    const resolved = await namespace.resolve(db, vault, path, namespace.pathKey(vault, path));
    const { blocked } = resolved;
    if (blocked !== null) throw await conflictWithOwner(deps, namespace, vault, blocked.owner, blocked.path);
    const result = await db
      .transact((handle) => createOnce(deps, namespace, handle, context, resolved, path))
      .catch(ownerOfTakenPath);
    if (result === null) continue;
    if ('kind' in result) throw await conflictWithOwner(deps, namespace, vault, result, path);
    return result;
  }
}

async function createOnce(
  { vaults }: EntryDeps,
  namespace: Namespace,
  handle: WriteHandle,
  { vault, inTransaction }: WriteContext<Folder>,
  resolved: ResolvedPath,
  path: string,
): Promise<Folder> {
  await vaults.advance(handle, vault, { seqs: 0, notes: 0 });
  const existing = await namespace.folderAt(handle, vault, path);
  // An existing explicit folder is no change: no client has to reload.
  if (!existing?.explicit) await vaults.advance(handle, vault, { seqs: 1, notes: 0 });
  if (existing?.explicit === false) await namespace.setExplicit(handle, vault, existing, true);
  else if (existing === null) {
    const claimed = await namespace.makeFolder(handle, vault, resolved);
    // Rolls back a creation that failed halfway.
    if (!claimed.ok) throw new PathTaken(claimed.owner);
  }
  const folder = await readFolder(namespace, handle, vault, path);
  await inTransaction?.(handle, folder);
  return folder;
}

async function readFolder(namespace: Namespace, handle: ReadHandle, vault: OpenVault, path: string): Promise<Folder> {
  const entry = await namespace.folderAt(handle, vault, path);
  if (entry === null) throw new Error('a folder vanished in the transaction that made it');
  const parent = entry.parentId === null ? null : await namespace.folderById(handle, vault, entry.parentId);
  return toFolder(entry, () => parent?.explicit === true);
}

/** Thrown when the path of a new folder was taken meanwhile (by `owner`), or the folders above it changed (null). */
class PathTaken extends Error {
  readonly owner: PathOwner | null;
  constructor(owner: PathOwner | null) {
    super('the folder cannot be made');
    this.owner = owner;
  }
}

function ownerOfTakenPath(error: unknown): PathOwner | null {
  if (error instanceof PathTaken) return error.owner;
  throw error;
}

/** The root as it is sent: it has no entry of its own. */
function toRoot(notes: number): Folder {
  return { name: '', id: null, parent_id: null, count: notes };
}

/**
 * Maps a folder to the wire. A folder that is not explicit has no id there.
 *
 * @param isExplicit whether the folder with an id is explicit; called with the parent's.
 */
function toFolder(entry: FolderEntry, isExplicit: (id: string) => boolean): Folder {
  const { parentId } = entry;
  return {
    name: entry.path,
    id: entry.explicit ? entry.id : null,
    parent_id: parentId !== null && isExplicit(parentId) ? parentId : null,
    count: entry.notes,
  };
}
