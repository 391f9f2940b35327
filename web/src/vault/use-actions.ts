import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ActionContext, DialogName, TabRequest } from '../commands/action.ts';
import { useShortcuts } from '../commands/use-shortcuts.ts';
import { api } from '../data/client.ts';
import { useTree } from '../data/use-tree.ts';
import { useRole } from '../data/use-vault.ts';
import { useLanguage, useTexts } from '../i18n/use-texts.ts';
import { importOrReload } from '../page/import-or-reload.ts';
import { within } from '../tree/model/moves.ts';
import { nameOf } from '../tree/model/tree-index.ts';
import { useTreeActions } from '../tree/use-tree-actions.ts';
import { useConfirm } from '../ui/dialogs/confirm.tsx';
import { dayOf } from '../ui/text/day-of.ts';
import { useFolders } from '../workspace/folders.ts';
import type { TabPlace } from '../workspace/tabs.ts';
import { useTabs } from '../workspace/use-tabs.ts';
import { workspace } from '../workspace/workspace.ts';
import { dailyPath } from './daily.ts';

/** What can be done on the page of a vault, by keys, the palette and buttons. */
export function useActions(vaultId: string, toggleSidebar: () => void) {
  const t = useTexts('vault');
  const navigate = useNavigate();
  const { noteId = null } = useParams({ strict: false });
  const { panel } = useSearch({ strict: false });
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const actions = useTreeActions(vaultId);
  const index = useTree(vaultId);
  const role = useRole(vaultId);
  const folders = useFolders();
  const language = useLanguage();
  const note = noteId === null ? null : workspace.note(noteId);
  const editor = () => note?.editor.get() ?? null;
  const tabs = useTabs(vaultId);
  const openNote = (id: string, place: TabPlace = 'here') => {
    const open = workspace.note(id);
    const there = open.editor.get();
    // What is shown beside takes the focus, and the address follows.
    if (there !== null) return there.focus();
    open.wantFocus('editor');
    tabs.open(id, place);
  };
  const create = async (folder: string, name?: string, content?: string, place?: TabPlace) => {
    const id = await actions.createNote(folder, name, content);
    if (id !== null) openNote(id, place);
  };
  const askTabs = async (request: TabRequest) => {
    const { answerTabs } = await import('./tab-requests.ts');
    const exists = (id: string) => index.byKey(id) !== undefined;
    answerTabs(request, {
      vaultId,
      noteId,
      exists,
      openNote,
      close: tabs.close,
      create: () => void create('', undefined, undefined, 'beside'),
    });
  };
  /** Opens the note of a day; a new one begins as the template does that is called like the folder. */
  const openDaily = async (now: Date) => {
    const day = dayOf(now);
    const notes = index.notes();
    const existing = notes.find(({ path }) => path === dailyPath(folders.daily, day));
    if (existing !== undefined) return openNote(existing.id);
    const template = notes.find(({ path }) => path === within(folders.templates, `${nameOf(folders.daily)}.md`));
    const begun =
      template === undefined
        ? null
        : await api
            .vault(vaultId)
            .readNoteById(template.id)
            .catch(() => null);
    const { fillTemplate } = await import('../commands/template.ts');
    await create(folders.daily, day, fillTemplate(begun?.content ?? '', { title: day, now, language }));
  };
  const confirm = useConfirm();
  /** Signs out; edits that only this device has are lost by that, so it asks first. */
  const leave = async () => {
    const [{ accountId, signOut }, { countUnsent }] = await Promise.all([
      importOrReload(() => import('../device/sign-out.ts')),
      importOrReload(() => import('../device/count-unsent.ts')),
    ]);
    const account = accountId();
    const count = account === undefined ? 0 : await countUnsent(account);
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
    role,
    noteId,
    open: setDialog,
    goTo(page) {
      if (page === 'settings') void navigate({ to: '/settings' });
      else if (page === 'recent') void navigate({ to: '/vaults/$vaultId', params: { vaultId } });
      else void navigate({ to: `/vaults/$vaultId/${page}`, params: { vaultId } });
    },
    createNote: () => void create(''),
    openDaily: () => void openDaily(new Date()),
    askTabs: (request) => void askTabs(request),
    toggleSidebar,
    togglePanel() {
      if (noteId === null) return;
      const search = { panel: panel === undefined ? ('outline' as const) : undefined };
      void navigate({ to: '/vaults/$vaultId/notes/$noteId', params: { vaultId, noteId }, search });
    },
    toggleMode: (mode) => note?.toggleMode(mode),
    askNote: (request) => note?.ask(request),
    print: () => void editor()?.print(),
    canRunInEditor: (command) => editor()?.canRun(command) ?? false,
    runInEditor: (command) => void editor()?.run(command),
    showPanel(name) {
      if (noteId === null) return;
      note?.wantFocus('panel');
      const search = { panel: name };
      void navigate({ to: '/vaults/$vaultId/notes/$noteId', params: { vaultId, noteId }, search });
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
    createNote: (name: string, place: TabPlace) => void create('', name, undefined, place),
  };
}
