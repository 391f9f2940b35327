import { fileName, joinPath } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { parseUuid } from '@notevault/protocol/ids.ts';
import { itemIds } from '@notevault/protocol/items.ts';
import type { Database, ReadHandle } from '../../engines/database/database.ts';
import type { Notes, Top, Writing } from '../notes/notes.ts';
import { type FolderEntry, folderPathFrom, type Holder, type SentTarget, type Tree } from '../tree/tree.ts';
import type { OpenVault, VaultWriting } from '../vaults/vaults.ts';
import type { Folder, FolderRenamed } from './folders.schema.ts';
import * as store from './folders.store.ts';

/** Folders: the ones somebody made, and the ones that exist because something lies in them. */
export interface Folders {
  /** Every folder with the root (`""`), by path. */
  list(vault: OpenVault): Promise<Folder[]>;
  /** As `list`, in a snapshot. */
  listAt(handle: ReadHandle, vault: OpenVault): Promise<Folder[]>;
  /** The folder at a path, made or derived; null when there is none. */
  at(vault: OpenVault, path: string): Promise<FolderEntry | null>;
  /** A folder somebody made. Throws `bad_folder_id`, `folder_id_not_found`. */
  byId(vault: OpenVault, id: string): Promise<FolderEntry>;
  /** Makes the folder and those above it, or keeps the one there. Throws `folder_empty`, `conflict`. */
  create(writing: Writing<Folder>, folder: unknown): Promise<Folder>;
  /** Lets the folder go when it is empty; with `recursive`, all in it is deleted too. A path without a folder is no error. */
  remove(writing: Writing<void>, path: string, recursive: boolean): Promise<void>;
  /** Throws `folder_not_found`, `conflict`, `cycle`. */
  rename(writing: Writing<FolderRenamed>, paths: { old_path: string; new_path: string }): Promise<FolderRenamed>;
  /** Moves folders with all in them, all or none; resolves to how many were named. Throws contract section 8's errors. */
  moveMany(writing: Writing<number>, ids: unknown, target: SentTarget): Promise<number>;
  /** Deletes folders with all in them, all or none; resolves to how many were named. */
  deleteMany(writing: Writing<number>, ids: unknown): Promise<number>;
}

export interface FolderParts {
  readonly db: Database;
  readonly tree: Tree;
  readonly vaults: VaultWriting;
  readonly notes: Notes;
}

export function createFolders({ db, tree, vaults, notes }: FolderParts): Folders {
  async function marked(vault: OpenVault, ids: readonly string[]): Promise<FolderEntry[]> {
    const entries = await Promise.all(ids.map((id) => tree.folderById(db, vault, id)));
    return entries.map((entry, index) => {
      if (entry === null || !entry.marked) throw new NotevaultError('item_not_found', { item_id: ids[index] });
      return entry;
    });
  }

  /** Makes the folder or marks the one that exists; looks again when another writer was faster. */
  async function create(writing: Writing<Folder>, path: string): Promise<Folder> {
    const { vault } = writing;
    for (;;) {
      const spot = await tree.spot(db, vault, path, tree.pathKey(vault, path));
      const blocked = spot.blocked;
      if (blocked !== null) throw await notes.conflictAt(vault, blocked.holder, blocked.path);
      const made = await db
        .transact(async (handle): Promise<Folder | Holder | null> => {
          await vaults.advance(handle, vault, { seqs: 0, notes: 0 });
          const there = await tree.folderAt(handle, vault, path);
          // What is there already is no change, and nobody needs to look again.
          if (!there?.marked) await vaults.advance(handle, vault, { seqs: 1, notes: 0 });
          if (there?.marked === false) await tree.mark(handle, vault, there, true);
          else if (there === null) {
            const claimed = await tree.makeFolder(handle, vault, spot);
            // Nothing may be kept of a claim that failed half way.
            if (!claimed.ok) throw new Refused(claimed.holder);
          }
          const folder = await entryAt(handle, vault, path);
          await writing.finish?.(handle, folder);
          return folder;
        })
        .catch((error) => {
          if (error instanceof Refused) return error.holder;
          throw error;
        });
      if (made !== null && 'kind' in made) throw await notes.conflictAt(vault, made, path);
      if (made !== null) return made;
    }
  }

  async function entryAt(handle: ReadHandle, vault: OpenVault, path: string): Promise<Folder> {
    const entry = await tree.folderAt(handle, vault, path);
    if (entry === null) throw new Error('a folder vanished in the transaction that made it');
    const parent = entry.parentId === null ? null : await tree.folderById(handle, vault, entry.parentId);
    return toFolder(entry, () => (parent?.marked ? parent.id : null));
  }

  async function list(handle: ReadHandle, vault: OpenVault): Promise<Folder[]> {
    const entries = await tree.folders(handle, vault);
    const root = await handle.get(store.countAtRoot, { vault: vault.id });
    const shown = new Set<string>(entries.filter((entry) => entry.marked).map((entry) => entry.id));
    const folders = entries.map((entry) => toFolder(entry, (id) => (shown.has(id) ? id : null)));
    const all = [{ name: '', id: null, parent_id: null, count: root?.notes ?? 0 }, ...folders];
    return all.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  return {
    list: (vault) => db.read((handle) => list(handle, vault)),
    listAt: list,
    at: (vault, path) => tree.folderAt(db, vault, path),
    async byId(vault, sent) {
      const id = parseUuid(sent);
      if (id === null) throw new NotevaultError('bad_folder_id');
      const entry = await tree.folderById(db, vault, id);
      if (entry === null || !entry.marked) throw new NotevaultError('folder_id_not_found');
      return entry;
    },
    async create(writing, sent) {
      const path = typeof sent === 'string' ? folderPathFrom(sent, 'folder') : '';
      if (path === '') throw new NotevaultError('folder_empty');
      return create(writing, path);
    },
    async remove(writing, path, recursive) {
      if (path === '') throw new NotevaultError('folder_empty');
      const { vault } = writing;
      const find = async () => [await tree.folderAt(db, vault, path)].filter((entry) => entry !== null);
      if (recursive) return notes.deleteFolders<void>(writing, find, () => undefined);
      // A transaction also where nothing is there: whoever took it away may not be on disk yet.
      await db.transact(async (handle) => {
        await vaults.advance(handle, vault, { seqs: 0, notes: 0 });
        const entry = await tree.folderAt(handle, vault, path);
        if (!entry?.marked) return;
        await vaults.advance(handle, vault, { seqs: 1, notes: 0 });
        await tree.mark(handle, vault, entry, false);
      });
    },
    async rename(writing, sent) {
      const { vault } = writing;
      const [from, to] = [folderPathFrom(sent.old_path, 'old_path'), folderPathFrom(sent.new_path, 'new_path')];
      if (from === '') throw new NotevaultError('folder_not_found');
      if (to === '') throw new NotevaultError('conflict');
      const top = async (): Promise<Top[]> => {
        const entry = await tree.folderAt(db, vault, from);
        if (entry === null) throw new NotevaultError('folder_not_found');
        return [{ kind: 'folder', id: entry.id, from: entry.path, to }];
      };
      return notes.moveOne(writing, to, {
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
    async moveMany(writing, sent, target) {
      const { vault } = writing;
      const ids = itemIds(sent);
      const find = async (): Promise<Top[]> => {
        const folder = await tree.targetPath(db, vault, target, 'target_parent');
        const entries = await marked(vault, ids);
        return entries.map(({ id, path }) => ({
          kind: 'folder',
          id,
          from: path,
          to: joinPath(folder, fileName(path)),
        }));
      };
      return notes.move(writing, { find, field: 'target_parent', answer: () => ids.length });
    },
    async deleteMany(writing, sent) {
      const ids = itemIds(sent);
      return notes.deleteFolders(
        writing,
        () => marked(writing.vault, ids),
        () => ids.length,
      );
    },
  };
}

/** The path of a folder to be made was taken meanwhile (by `holder`), or the folders above changed (null). */
class Refused extends Error {
  readonly holder: Holder | null;
  constructor(holder: Holder | null) {
    super('the folder cannot be made');
    this.holder = holder;
  }
}

/** A folder as clients see it: one that nobody made has no id. */
function toFolder(entry: FolderEntry, shown: (id: string) => string | null): Folder {
  return {
    name: entry.path,
    id: entry.marked ? entry.id : null,
    parent_id: entry.parentId === null ? null : shown(entry.parentId),
    count: entry.notes,
  };
}
