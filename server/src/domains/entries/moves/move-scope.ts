import {
  ancestorsOf,
  fileName,
  folderOf,
  isInside,
  joinPath,
  normalizeNotePath,
  normalizePath,
} from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { EntryDeps, MovingEntry } from '../entries.deps.ts';
import { ITEM_KINDS } from '../entries.store.ts';
import type {
  FolderEntry,
  KeyedMovedPath,
  MovedPath as MoveRoot,
  Namespace,
  ResolvedPath,
} from '../namespace/namespace.ts';
import { pathFrom } from '../request-paths.ts';
import { entryRows } from '../rows.ts';

/** All entries whose path changes in a move. */
export interface MoveScope {
  readonly resolved: ResolvedPath;
  /** The requested items with their new paths. */
  readonly named: readonly MoveRoot[];
  /**
   * The requested items that actually move: not those below another requested one, nor those already at their target.
   */
  readonly roots: readonly MoveRoot[];
  readonly items: readonly KeyedMovedPath[];
  readonly folders: readonly FolderEntry[];
  readonly moving: readonly MovingEntry[];
}

/**
 * Returns what moves. A folder moves with its contents, and an item below another requested folder moves with that
 * folder.
 */
export async function scopeOf(
  { db, handlerOf }: EntryDeps,
  namespace: Namespace,
  vault: OpenVault,
  named: readonly MoveRoot[],
): Promise<MoveScope> {
  const [first] = named;
  if (first === undefined) throw new TypeError('a move needs something to move');
  const resolved = await namespace.resolve(db, vault, first.to, namespace.pathKey(vault, first.to));
  for (const root of named)
    if (root.kind === 'folder' && isInside(root.from, root.to)) throw new NotevaultError('cycle', { item_id: root.id });
  if (resolved.blocked !== null) throw new NotevaultError('conflict', { item_id: first.id });
  const folder = folderOf(resolved.path);
  const targets = named.map((root) => ({ ...root, to: joinPath(folder, fileName(root.to)) }));
  const roots = targets
    .filter((root) => !named.some((other) => other.kind === 'folder' && isInside(other.from, root.from)))
    .filter(({ from, to }) => from !== to);
  const entries = await Promise.all(
    roots.filter(({ kind }) => kind === 'folder').map(({ id }) => namespace.folderById(db, vault, id)),
  );
  const top = entries.filter((entry) => entry !== null);
  const folders = await namespace.foldersBelow(db, vault, top);
  const rootAt = new Map(roots.map((root) => [root.from, root]));
  const toOf = (path: string) => {
    const root = [path, ...ancestorsOf(path)].map((above) => rootAt.get(above)).find((found) => found !== undefined);
    return root === undefined ? path : root.to + path.slice(root.from.length);
  };
  const yieldIfDue = createYield();
  const moving: MovingEntry[] = [];
  for (const row of await rowsOf(db, vault, roots, folders)) {
    await yieldIfDue();
    const meta = handlerOf(row.kind).openMeta(vault, row);
    const to = toOf(meta.path);
    moving.push({ kind: row.kind, id: row.id, from: meta.path, to, toKey: namespace.pathKey(vault, to), row, meta });
  }
  const items = [
    ...folders.map(({ id, path: from, pathKey: fromKey }) => {
      const to = toOf(from);
      return { kind: 'folder' as const, id, from, to, fromKey, toKey: namespace.pathKey(vault, to) };
    }),
    ...moving.map(({ kind, id, from, to, toKey, row }) => ({ kind, id, from, to, fromKey: row.path_key, toKey })),
  ];
  return { resolved, named: targets, roots, items, folders, moving };
}

/** Returns the notes and attachments that move: first those requested, then those in the folders; notes first. */
async function rowsOf(
  db: EntryDeps['db'],
  vault: OpenVault,
  roots: readonly MoveRoot[],
  folders: readonly FolderEntry[],
) {
  const named = roots.filter(({ kind }) => kind !== 'folder').map(({ id }) => id);
  const rows = await entryRows.rowsById(db, vault.id, null, named);
  const inside = folders.map(({ id }) => id);
  const all = [];
  for (const kind of ITEM_KINDS) {
    all.push(...rows.filter((row) => row.kind === kind), ...(await entryRows.rowsIn(db, vault.id, kind, inside)));
  }
  return all;
}

/**
 * Refuses a move that would put an entry too deep or at a path that its kind may not have: no request could name it any
 * more.
 */
export function checkPaths({ items }: MoveScope, field: string): void {
  for (const { kind, to } of items) pathFrom(to, field, kind === 'note' ? normalizeNotePath : normalizePath);
}
