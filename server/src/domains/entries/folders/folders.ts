import { fileName, joinPath } from '@notevault/note-text/paths.ts';
import { itemIds } from '@notevault/protocol/batch-ids.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Folder, FolderRenamed } from '@notevault/protocol/folders.ts';
import { parseUuid } from '@notevault/protocol/ids.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { DeleteOperations } from '../deletion/delete.ts';
import type { EntryDeps } from '../entries.deps.ts';
import type { MoveOperations, MoveRoot } from '../moves/move.ts';
import type { FolderEntry, Namespace, PathOwner, TargetInput } from '../namespace/namespace.ts';
import { folderPathFrom } from '../request-paths.ts';
import { entryRows } from '../rows.ts';
import type { WriteContext } from '../write-context.ts';

/** Explicit folders, and folders that exist because they contain something. */
export interface Folders {
  /** Returns every folder and the root (`""`), ordered by path. */
  list(vault: OpenVault): Promise<Folder[]>;
  /** Like `list`, in a snapshot. */
  listAt(handle: ReadHandle, vault: OpenVault): Promise<Folder[]>;
  /** Returns the folder at a path, explicit or not; null when there is none. */
  at(vault: OpenVault, path: string): Promise<FolderEntry | null>;
  /** Returns an explicit folder by id. Throws `bad_folder_id`, `folder_id_not_found`. */
  byId(vault: OpenVault, id: string): Promise<FolderEntry>;
  /** Creates the folder and its ancestors, or returns the existing one. Throws `folder_empty`, `conflict`. */
  create(context: WriteContext<Folder>, folder: unknown): Promise<Folder>;
  /**
   * Makes the folder no longer explicit, which deletes it if it is empty; with `recursive`, deletes it with its
   * contents. A path without a folder is not an error.
   */
  remove(context: WriteContext<void>, path: string, recursive: boolean): Promise<void>;
  /** Throws `folder_not_found`, `conflict`, `cycle`. */
  rename(context: WriteContext<FolderRenamed>, paths: { old_path: string; new_path: string }): Promise<FolderRenamed>;
  /**
   * Moves folders with their contents, all or none; resolves to the number requested. Throws the errors of batch
   * requests.
   */
  moveMany(context: WriteContext<number>, ids: unknown, target: TargetInput): Promise<number>;
  /** Deletes folders with their contents, all or none; resolves to the number requested. */
  deleteMany(context: WriteContext<number>, ids: unknown): Promise<number>;
}

/** The other parts of the domain that folders use. */
interface EntryOperations extends MoveOperations, DeleteOperations {
  conflictWith(vault: OpenVault, owner: PathOwner, path: string): Promise<NotevaultError>;
}

export function createFolders({ db, vaults }: EntryDeps, namespace: Namespace, entries: EntryOperations): Folders {
  async function marked(vault: OpenVault, ids: readonly string[]): Promise<FolderEntry[]> {
    const found = await Promise.all(ids.map((id) => namespace.folderById(db, vault, id)));
    return found.map((entry, index) => {
      if (entry === null || !entry.explicit) throw new NotevaultError('item_not_found', { item_id: ids[index] });
      return entry;
    });
  }

  /** Creates the folder or makes the existing one explicit; retries when another writer was faster. */
  async function create(context: WriteContext<Folder>, path: string): Promise<Folder> {
    const { vault } = context;
    for (;;) {
      const resolved = await namespace.resolve(db, vault, path, namespace.pathKey(vault, path));
      const blocked = resolved.blocked;
      if (blocked !== null) throw await entries.conflictWith(vault, blocked.owner, blocked.path);
      const made = await db
        .transact(async (handle): Promise<Folder | PathOwner | null> => {
          await vaults.advance(handle, vault, { seqs: 0, notes: 0 });
          const there = await namespace.folderAt(handle, vault, path);
          // An existing explicit folder is no change: no client has to reload.
          if (!there?.explicit) await vaults.advance(handle, vault, { seqs: 1, notes: 0 });
          if (there?.explicit === false) await namespace.setExplicit(handle, vault, there, true);
          else if (there === null) {
            const claimed = await namespace.makeFolder(handle, vault, resolved);
            // Rolls back a creation that failed halfway.
            if (!claimed.ok) throw new PathTaken(claimed.owner);
          }
          const folder = await entryAt(handle, vault, path);
          await context.inTransaction?.(handle, folder);
          return folder;
        })
        .catch((error) => {
          if (error instanceof PathTaken) return error.owner;
          throw error;
        });
      if (made !== null && 'kind' in made) throw await entries.conflictWith(vault, made, path);
      if (made !== null) return made;
    }
  }

  async function entryAt(handle: ReadHandle, vault: OpenVault, path: string): Promise<Folder> {
    const entry = await namespace.folderAt(handle, vault, path);
    if (entry === null) throw new Error('a folder vanished in the transaction that made it');
    const parent = entry.parentId === null ? null : await namespace.folderById(handle, vault, entry.parentId);
    return toFolder(entry, () => (parent?.explicit ? parent.id : null));
  }

  async function list(handle: ReadHandle, vault: OpenVault): Promise<Folder[]> {
    const found = await namespace.allFolders(handle, vault);
    const count = await entryRows.countAtRoot(handle, vault.id, 'note');
    const shown = new Set<string>(found.filter((entry) => entry.explicit).map((entry) => entry.id));
    const folders = found.map((entry) => toFolder(entry, (id) => (shown.has(id) ? id : null)));
    const all = [{ name: '', id: null, parent_id: null, count }, ...folders];
    return all.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  return {
    list: (vault) => db.read((handle) => list(handle, vault)),
    listAt: list,
    at: (vault, path) => namespace.folderAt(db, vault, path),
    async byId(vault, sent) {
      const id = parseUuid(sent);
      if (id === null) throw new NotevaultError('bad_folder_id');
      const entry = await namespace.folderById(db, vault, id);
      if (entry === null || !entry.explicit) throw new NotevaultError('folder_id_not_found');
      return entry;
    },
    async create(context, sent) {
      const path = typeof sent === 'string' ? folderPathFrom(sent, 'folder') : '';
      if (path === '') throw new NotevaultError('folder_empty');
      return create(context, path);
    },
    async remove(context, path, recursive) {
      if (path === '') throw new NotevaultError('folder_empty');
      const { vault } = context;
      const find = async () => [await namespace.folderAt(db, vault, path)].filter((entry) => entry !== null);
      if (recursive) return entries.deleteFolders<void>(context, find, () => undefined);
      // Runs a transaction even if there is nothing to delete, because the deletion by another request may not be on
      // disk yet.
      await db.transact(async (handle) => {
        await vaults.advance(handle, vault, { seqs: 0, notes: 0 });
        const entry = await namespace.folderAt(handle, vault, path);
        if (!entry?.explicit) return;
        await vaults.advance(handle, vault, { seqs: 1, notes: 0 });
        await namespace.setExplicit(handle, vault, entry, false);
      });
    },
    async rename(context, sent) {
      const { vault } = context;
      const [from, to] = [folderPathFrom(sent.old_path, 'old_path'), folderPathFrom(sent.new_path, 'new_path')];
      if (from === '') throw new NotevaultError('folder_not_found');
      if (to === '') throw new NotevaultError('conflict');
      const top = async (): Promise<MoveRoot[]> => {
        const entry = await namespace.folderAt(db, vault, from);
        if (entry === null) throw new NotevaultError('folder_not_found');
        return [{ kind: 'folder', id: entry.id, from: entry.path, to }];
      };
      return entries.moveOne(context, to, {
        find: top,
        field: 'new_path',
        answer: (_handle, { named: [folder], notes: count, attachments }) => ({
          renamed: true,
          old_path: folder?.from ?? from,
          new_path: folder?.to ?? to,
          count,
          attachments,
        }),
      });
    },
    async moveMany(context, sent, target) {
      const { vault } = context;
      const ids = itemIds(sent);
      const find = async (): Promise<MoveRoot[]> => {
        const folder = await namespace.targetPath(db, vault, target, 'target_parent');
        return (await marked(vault, ids)).map(({ id, path }) => ({
          kind: 'folder',
          id,
          from: path,
          to: joinPath(folder, fileName(path)),
        }));
      };
      return entries.move(context, { find, field: 'target_parent', answer: () => ids.length });
    },
    async deleteMany(context, sent) {
      const ids = itemIds(sent);
      return entries.deleteFolders(
        context,
        () => marked(context.vault, ids),
        () => ids.length,
      );
    },
  };
}

/** Thrown when the path of a new folder was taken meanwhile (by `owner`), or the folders above it changed (null). */
class PathTaken extends Error {
  readonly owner: PathOwner | null;
  constructor(owner: PathOwner | null) {
    super('the folder cannot be made');
    this.owner = owner;
  }
}

/** Maps a folder to the wire; a folder that is not explicit has no id. */
function toFolder(entry: FolderEntry, shown: (id: string) => string | null): Folder {
  return {
    name: entry.path,
    id: entry.explicit ? entry.id : null,
    parent_id: entry.parentId === null ? null : shown(entry.parentId),
    count: entry.notes,
  };
}
