import { foldPath } from '@notevault/note-text/paths.ts';
import type { VaultTree } from '@notevault/protocol/sync.ts';
import type { PathMove } from './moves.ts';
import type { TreeEntry } from './tree-index.ts';

/** Returns the tree after moves, as the server will have it: folders bring along what is below them. */
export function treeAfterMoves(tree: VaultTree, moves: readonly PathMove[]): VaultTree {
  const exact = new Map(moves.map(({ from, to }) => [from, to]));
  const folders = moves.filter(({ kind }) => kind === 'folder');
  const moved = (path: string) => {
    const own = exact.get(path);
    if (own !== undefined) return own;
    const above = folders.find(({ from }) => path.startsWith(`${from}/`));
    return above === undefined ? path : above.to + path.slice(above.from.length);
  };
  return {
    ...tree,
    folders: tree.folders.map((folder) => ({ ...folder, name: moved(folder.name) })),
    notes: tree.notes.map((note) => ({ ...note, path: moved(note.path) })),
    attachments: tree.attachments.map((attachment) => ({ ...attachment, path: moved(attachment.path) })),
  };
}

/** Returns the tree without entries, and without what is below them. */
export function treeWithout(tree: VaultTree, entries: readonly TreeEntry[]): VaultTree {
  const exact = new Set(entries.map(({ path }) => path));
  const folders = entries.filter(({ kind }) => kind === 'folder').map(({ path }) => `${path}/`);
  const stays = (path: string) => !exact.has(path) && !folders.some((folder) => path.startsWith(folder));
  return {
    ...tree,
    folders: tree.folders.filter(({ name }) => stays(name)),
    notes: tree.notes.filter(({ path }) => stays(path)),
    attachments: tree.attachments.filter(({ path }) => stays(path)),
  };
}

/** Returns the ids of all notes and attachments that entries are or contain. */
export function idsIn(tree: VaultTree, entries: readonly TreeEntry[]): string[] {
  const left = treeWithout(tree, entries);
  const staying = new Set([...left.notes, ...left.attachments].map(({ id }) => id));
  return [...tree.notes, ...tree.attachments].flatMap(({ id }) => (staying.has(id) ? [] : [id]));
}

/** Returns a name that nothing in a folder has yet: "Untitled", then "Untitled 2". */
export function freeName(tree: VaultTree, folder: string, name: string, ending: string): string {
  const prefix = folder === '' ? '' : `${folder}/`;
  const taken = new Set(
    [
      ...tree.notes.map(({ path }) => path),
      ...tree.attachments.map(({ path }) => path),
      ...tree.folders.map((f) => f.name),
    ].map((path) => foldPath(path)),
  );
  for (let count = 1; ; count++) {
    const path = `${prefix}${count === 1 ? name : `${name} ${count}`}${ending}`;
    if (!taken.has(foldPath(path))) return path;
  }
}
