import type { LinksLeft } from '@notevault/protocol/links.ts';
import type { VaultTree } from '@notevault/protocol/sync.ts';
import { useQueryClient } from '@tanstack/react-query';
import { keys } from '../../data/keys.ts';
import { type PathMove, reversed } from '../../data/tree/moves.ts';
import { freeName, idsIn } from '../../data/tree/tree-edit.ts';
import { nameOf, parentOf, type TreeEntry } from '../../data/tree/tree-index.ts';
import { isEdit, seenOf } from '../../device/outbox/entry-facts.ts';
import type { Deletion, Operation } from '../../device/outbox/operation.ts';
import { draftOf, outboxState } from '../../device/outbox/outbox-state.ts';
import { problemText } from '../../device/outbox/problem-text.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { errorText } from '../../ui/feedback/error-text.ts';
import { showToast, type Toast } from '../../ui/feedback/toast.ts';

/** Returns the actions on a vault's entries. Each change is shown at once, and undone if the server refuses. */
export function useTreeActions(vault: string) {
  const queries = useQueryClient();
  const t = useTexts('vault');
  const tree = () => queries.getQueryData<VaultTree>(keys.tree(vault));
  const run = useRun(vault);

  const move = async (moves: readonly PathMove[], isUndo = false): Promise<void> => {
    const before = tree();
    if (before === undefined || moves.length === 0) return;
    const [first] = moves;
    const target = parentOf(first?.to ?? '') || t('tree.root');
    const isRename = moves.length === 1 && parentOf(first?.from ?? '') === parentOf(first?.to ?? '');
    const name = nameOf(first?.to ?? '');
    await run({ kind: 'move', moves: moves.map((one) => ({ ...one, id: idOf(before, one) })) }, (isDone, left) => {
      const text = isRename ? t('tree.renamed', { name }) : t('tree.moved', { count: moves.length, name, target });
      const count = left.reduce((sum, note) => sum + note.count, 0);
      const paths = left.slice(0, NAMED_MAX).map(({ path }) => path);
      const links = t('tree.linksLeft', {
        count,
        paths: [...paths, ...(left.length > NAMED_MAX ? ['…'] : [])].join(', '),
      });
      return {
        text: isDone ? `${text}${count > 0 ? `. ${links}` : ''}` : `${text} ${t('unsent.later')}`,
        ...(isUndo ? {} : { action: { label: t('undo'), run: () => void move(reversed(moves), true) } }),
      };
    });
  };

  const remove = async (entries: readonly TreeEntry[]): Promise<void> => {
    const before = tree();
    if (before === undefined || entries.length === 0) return;
    const { isChangedLocally } = await outboxModule();
    const drafts = await draftsIn(idsIn(before, entries));
    const deleted = entries.map((entry) => deletionOf(before, entry, isChangedLocally));
    const ids = idsIn(before, entries).filter((id) => !drafts.some(({ noteId }) => noteId === id));
    await run({ kind: 'delete', deleted }, (isDone) => {
      const text = t('tree.deleted', { count: entries.length, name: entries[0]?.name });
      const undo = async () => {
        for (const draft of drafts) await run({ ...draft, attempt: null, sent: null }, () => null);
        if (ids.length > 0) await restore(ids);
      };
      return {
        text: isDone ? text : `${text} ${t('unsent.later')}`,
        action: { label: t('undo'), run: () => void undo() },
      };
    });
    const { forgetDraft } = await outboxModule();
    for (const { noteId } of drafts) await forgetDraft(noteId);
  };

  /** Undoes a deletion; `path` names an entry that the trash restores by itself, to tell the user. */
  const restore = async (ids: readonly string[], path = ''): Promise<void> => {
    const waiting = outboxState
      .get()
      .entries.find(({ operation, isTried }) => operation.kind === 'delete' && !isTried && isAbout(operation, ids));
    const { currentOutbox } = await outboxModule();
    if (waiting !== undefined) return (await currentOutbox()).discard(waiting.id);
    await run({ kind: 'restore', ids, path }, (isDone) => {
      const text = t('trash.restored', { path });
      return path === '' ? null : { text: isDone ? text : `${text} ${t('unsent.later')}` };
    });
    await queries.invalidateQueries({ queryKey: keys.vault(vault) });
  };

  /** Makes a note in a folder; returns its id, or null if that failed. Without an answer for a while, it is a draft. */
  const createNote = async (folder: string, name = t('tree.untitled'), content = ''): Promise<string | null> => {
    const path = freeName(tree() ?? EMPTY, folder, name, '.md');
    const noteId = crypto.randomUUID();
    const made = run({ kind: 'note', noteId, path, content, attempt: null, sent: null }, () => null);
    const late = new Promise<true>((resolve) => setTimeout(() => resolve(true), DRAFT_MS));
    return (await Promise.race([made, late])) ? noteId : null;
  };

  /** Makes a folder in another; returns its path, or null if that failed. */
  const createFolder = async (parent: string): Promise<string | null> => {
    const path = freeName(tree() ?? EMPTY, parent, t('tree.newFolderName'), '');
    return (await run({ kind: 'folder', path }, () => null)) ? path : null;
  };

  return { move, remove, restore, createNote, createFolder };
}

/** Does something in a vault, and says how that went. */
function useRun(vault: string) {
  const t = useTexts('vault');
  const failed = (error: unknown) => showToast({ kind: 'danger', text: errorText(t, error) });

  /**
   * Runs an operation now or when the server is reached; resolves to whether it was accepted. A refused operation is
   * undone, unless it holds a text.
   */
  return async (
    operation: Operation,
    said: (isDone: boolean, linksLeft: readonly LinksLeft[]) => Omit<Toast, 'id' | 'kind'> | null,
  ): Promise<boolean> => {
    const { doInVault, currentOutbox } = await outboxModule();
    const id = crypto.randomUUID();
    const result = await doInVault(vault, operation, id).catch((error: unknown) => {
      failed(error);
      return null;
    });
    if (result === null) return false;
    if (result.type === 'problem') {
      showToast({ kind: 'danger', text: problemText(t, result.problem) });
      if (!(operation.kind === 'note' && operation.content !== '')) await (await currentOutbox()).discard(id);
      return false;
    }
    const toast = said(result.type === 'done', (result.type === 'done' && result.linksLeft) || []);
    if (toast !== null) showToast({ kind: 'plain', ...toast });
    return true;
  };
}

export type TreeActions = ReturnType<typeof useTreeActions>;

const EMPTY: VaultTree = { change_seq: 0, folders: [], notes: [], attachments: [] };

/** Notes named in a message, at most. */
const NAMED_MAX = 3;

/** A server that takes longer to make a note is not waited for. */
const DRAFT_MS = 1_500;

const outboxModule = () => import('../../device/outbox/current-outbox.ts');

function idOf(tree: VaultTree, { kind, from }: PathMove): string | null {
  const rows = kind === 'note' ? tree.notes : kind === 'attachment' ? tree.attachments : [];
  return rows.find(({ path }) => path === from)?.id ?? null;
}

/**
 * Returns the deletion of an entry, with its current content. Entries with pending changes will differ on the server.
 */
function deletionOf(tree: VaultTree, entry: TreeEntry, isChanged: (id: string) => boolean): Deletion {
  const inside = new Set(idsIn(tree, [entry]));
  const rows = [...tree.notes, ...tree.attachments].filter(({ id }) => inside.has(id));
  const known = Object.fromEntries(rows.map((row) => [row.id, isChanged(row.id) ? null : seenOf(row)]));
  return { kind: entry.kind, id: entry.kind === 'folder' ? null : entry.id, path: entry.path, known };
}

function isAbout({ deleted }: Extract<Operation, { kind: 'delete' }>, ids: readonly string[]): boolean {
  const known = new Set(deleted.flatMap((one) => Object.keys(one.known)));
  return ids.every((id) => known.has(id));
}

/** The drafts among notes, with their texts as they are now. */
async function draftsIn(ids: readonly string[]) {
  const { draftText } = await outboxModule();
  const drafts = ids.map(draftOf).filter((entry) => entry !== null);
  return Promise.all(
    drafts.flatMap((entry) =>
      entry.operation.kind === 'note' && !entry.isTried && !isEdit(entry.operation)
        ? [
            draftText(entry).then(
              (content) => ({ ...entry.operation, content }) as Extract<Operation, { kind: 'note' }>,
            ),
          ]
        : [],
    ),
  );
}
