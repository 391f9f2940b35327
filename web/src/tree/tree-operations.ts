import type { VaultTree } from '@notevault/protocol/sync.ts';
import { api } from '../data/client.ts';
import type { PathMove } from './model/moves.ts';
import { idsIn } from './model/tree-edit.ts';
import { parentOf, type TreeEntry } from './model/tree-index.ts';

/** The server takes so many ids at once. */
const BATCH = 1000;
/** Requests under way at once. */
const PARALLEL = 6;

/** Carries moves out on the server: notes that keep their names in batches, everything else one by one. */
export async function moveOnServer(vault: string, tree: VaultTree, moves: readonly PathMove[]): Promise<void> {
  const client = api.vault(vault);
  const idOf = new Map(tree.notes.map(({ id, path }) => [path, id]));
  const batches = new Map<string, string[]>();
  const single: PathMove[] = [];
  for (const move of moves) {
    const id = idOf.get(move.from);
    const keepsName = move.from.slice(parentOf(move.from).length) === move.to.slice(parentOf(move.to).length);
    if (move.kind !== 'note' || id === undefined || moves.length === 1 || !keepsName) single.push(move);
    else batches.set(parentOf(move.to), [...(batches.get(parentOf(move.to)) ?? []), id]);
  }
  for (const [folder, ids] of batches) {
    for (let at = 0; at < ids.length; at += BATCH) await client.moveNotes(ids.slice(at, at + BATCH), folder);
  }
  // One after the other: a folder may move into one that moves too.
  for (const { kind, from, to } of single) {
    if (kind === 'note') await client.renameNote(from, to);
    else if (kind === 'folder') await client.renameFolder(from, to);
    else await client.renameAttachment(from, to);
  }
}

/** Moves entries to the trash; returns the ids of the notes and attachments that are there then. */
export async function deleteOnServer(
  vault: string,
  tree: VaultTree,
  entries: readonly TreeEntry[],
): Promise<readonly string[]> {
  const client = api.vault(vault);
  const ids = idsIn(tree, entries);
  const notes = entries.flatMap((entry) => (entry.kind === 'note' ? [entry.id] : []));
  for (let at = 0; at < notes.length; at += BATCH) await client.deleteNotes(notes.slice(at, at + BATCH));
  for (const { kind, path } of entries) {
    if (kind === 'attachment') await client.deleteAttachment(path);
    // A folder that was in another deleted one is gone already, which the server answers like success.
    else if (kind === 'folder') await client.deleteFolder(path, { recursive: true });
  }
  return ids;
}

/** Brings deleted notes and attachments back to where they were; returns how many could not be. */
export async function restoreOnServer(vault: string, ids: readonly string[]): Promise<number> {
  const client = api.vault(vault);
  const left = [...ids];
  let failed = 0;
  const work = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      await client.restoreFromTrash(id).catch(() => {
        failed += 1;
      });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return failed;
}
