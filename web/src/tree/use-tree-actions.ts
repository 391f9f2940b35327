import type { VaultTree } from '@notevault/protocol/sync.ts';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { api } from '../data/client.ts';
import { keys } from '../data/keys.ts';
import { newNote } from '../data/new-note.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { errorText } from '../ui/feedback/error-text.ts';
import { showToast } from '../ui/feedback/toast.ts';
import { type PathMove, reversed } from './model/moves.ts';
import { freeName, treeAfterMoves, treeWithout } from './model/tree-edit.ts';
import { nameOf, parentOf, type TreeEntry } from './model/tree-index.ts';
import { deleteOnServer, moveOnServer, restoreOnServer } from './tree-operations.ts';

/** What can be done to the entries of a vault. Each change is shown at once, and taken back if the server refuses. */
export function useTreeActions(vault: string) {
  const queries = useQueryClient();
  const t = useTexts('vault');
  const tree = () => queries.getQueryData<VaultTree>(keys.tree(vault));
  const failed = (error: unknown) => showToast({ kind: 'danger', text: errorText(t, error) });

  const move = async (moves: readonly PathMove[], isUndo = false): Promise<void> => {
    const before = tree();
    if (before === undefined || moves.length === 0) return;
    const [first] = moves;
    await optimistically(queries, vault, treeAfterMoves(before, moves), failed, async () => {
      await moveOnServer(vault, before, moves);
      const target = parentOf(first?.to ?? '') || t('tree.root');
      const isRename = moves.length === 1 && parentOf(first?.from ?? '') === parentOf(first?.to ?? '');
      const name = nameOf(first?.to ?? '');
      showToast({
        kind: 'plain',
        text: isRename ? t('tree.renamed', { name }) : t('tree.moved', { count: moves.length, name, target }),
        ...(isUndo ? {} : { action: { label: t('undo'), run: () => void move(reversed(moves), true) } }),
      });
    });
  };

  const remove = async (entries: readonly TreeEntry[]): Promise<void> => {
    const before = tree();
    if (before === undefined || entries.length === 0) return;
    await optimistically(queries, vault, treeWithout(before, entries), failed, async () => {
      const ids = await deleteOnServer(vault, before, entries);
      showToast({
        kind: 'plain',
        text: t('tree.deleted', { count: entries.length, name: entries[0]?.name }),
        action: { label: t('undo'), run: () => void restore(ids) },
      });
    });
  };

  const restore = async (ids: readonly string[]): Promise<void> => {
    const count = await restoreOnServer(vault, ids);
    await queries.invalidateQueries({ queryKey: keys.vault(vault) });
    if (count > 0) showToast({ kind: 'danger', text: t('trash.failed', { count }) });
  };

  /** Makes an empty note in a folder; returns its id, or null if that failed. */
  const createNote = async (folder: string, name = t('tree.untitled'), content = ''): Promise<string | null> => {
    const before = tree();
    const path = freeName(before ?? EMPTY, folder, name, '.md');
    try {
      const note = await api.vault(vault).upsertNote(newNote(path, content, Date.now() / 1000));
      const { id, created_at, updated_at } = note;
      queries.setQueryData<VaultTree>(keys.tree(vault), (now) =>
        now === undefined || now.notes.some((one) => one.id === id)
          ? now
          : { ...now, notes: [...now.notes, { id, path: note.path, created_at, updated_at }] },
      );
      queries.setQueryData(keys.note(vault, id), note);
      return id;
    } catch (error) {
      failed(error);
      return null;
    }
  };

  /** Makes a folder in another; returns its path, or null if that failed. */
  const createFolder = async (parent: string): Promise<string | null> => {
    const path = freeName(tree() ?? EMPTY, parent, t('tree.newFolderName'), '');
    try {
      const folder = await api.vault(vault).createFolder(path);
      queries.setQueryData<VaultTree>(keys.tree(vault), (now) =>
        now === undefined ? now : { ...now, folders: [...now.folders, folder] },
      );
      return folder.name;
    } catch (error) {
      failed(error);
      return null;
    }
  };

  return { move, remove, restore, createNote, createFolder };
}

export type TreeActions = ReturnType<typeof useTreeActions>;

const EMPTY: VaultTree = { change_seq: 0, folders: [], notes: [], attachments: [] };

/** Shows a tree before the server has answered; whatever the answer, the tree is then read again. */
async function optimistically(
  queries: QueryClient,
  vault: string,
  expected: VaultTree,
  failed: (error: unknown) => void,
  act: () => Promise<void>,
): Promise<void> {
  await queries.cancelQueries({ queryKey: keys.tree(vault) });
  queries.setQueryData(keys.tree(vault), expected);
  try {
    await act();
  } catch (error) {
    failed(error);
  }
  await queries.invalidateQueries({ queryKey: keys.vault(vault) });
}
