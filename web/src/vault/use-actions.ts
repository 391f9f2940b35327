import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ActionContext, DialogName } from '../commands/actions.ts';
import { useShortcuts } from '../commands/use-shortcuts.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { signOut } from '../session/sign-out.ts';
import { unsentNotes } from '../session/unsent.ts';
import { useTree } from '../tree/use-tree.ts';
import { useTreeActions } from '../tree/use-tree-actions.ts';
import { useConfirm } from '../ui/confirm.tsx';
import { dailyPath, dayOf } from './daily.ts';

/** What can be done on the page of a vault, by keys, the palette and buttons. */
export function useActions(vaultId: string, toggleSidebar: () => void) {
  const t = useTexts('vault');
  const navigate = useNavigate();
  const { noteId = null } = useParams({ strict: false });
  const { panel } = useSearch({ strict: false });
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const actions = useTreeActions(vaultId);
  const index = useTree(vaultId);
  const openNote = (id: string) =>
    void navigate({ to: '/vaults/$vaultId/notes/$noteId', params: { vaultId, noteId: id } });
  const create = async (folder: string, name?: string, content?: string) => {
    const id = await actions.createNote(folder, name, content);
    if (id !== null) openNote(id);
  };
  const confirm = useConfirm();
  /** Signs out; edits that only this device has are lost by that, so it asks first. */
  const leave = async () => {
    const count = await unsentNotes();
    if (count === 0) return signOut();
    confirm.ask({
      title: t('unsent.title'),
      text: t('unsent.text', { count }),
      yes: t('nav.signOut'),
      run: () => void signOut(),
    });
  };
  const context: ActionContext = {
    vaultId,
    noteId,
    open: setDialog,
    goTo(page) {
      if (page === 'settings') void navigate({ to: '/settings' });
      else if (page === 'recent') void navigate({ to: '/vaults/$vaultId', params: { vaultId } });
      else void navigate({ to: `/vaults/$vaultId/${page}`, params: { vaultId } });
    },
    createNote: () => void create(''),
    openDaily() {
      const path = dailyPath(t('daily.folder'), dayOf(new Date()));
      const existing = index.notes().find((note) => note.path === path);
      if (existing === undefined) void create(t('daily.folder'), dayOf(new Date()));
      else openNote(existing.id);
    },
    toggleSidebar,
    togglePanel() {
      if (noteId === null) return;
      const search = panel === undefined ? { panel: 'outline' as const } : {};
      void navigate({ to: '/vaults/$vaultId/notes/$noteId', params: { vaultId, noteId }, search, replace: true });
    },
    focusTree: () => document.querySelector<HTMLElement>('[role=tree]')?.focus(),
    signOut: () => void leave(),
  };
  useShortcuts(context);
  return {
    context,
    dialog,
    question: confirm.dialog,
    closeDialog: () => setDialog(null),
    openNote,
    createNote: (name: string) => void create('', name),
  };
}
