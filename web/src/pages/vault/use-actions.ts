import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTree } from '../../data/use-tree.ts';
import { useRole } from '../../data/use-vault.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { importOrReload } from '../../page/import-or-reload.ts';
import { useConfirm } from '../../ui/dialogs/confirm.tsx';
import { dayOf } from '../../ui/text/day-of.ts';
import type { FocusTarget, OpenNote } from '../../workspace/open-note.ts';
import type { TabPlace } from '../../workspace/tabs.ts';
import { useTabs } from '../../workspace/use-tabs.ts';
import { workspace } from '../../workspace/workspace.ts';
import type { ActionContext, DialogName, TabRequest } from '../commands/action.ts';
import { useShortcuts } from '../commands/use-shortcuts.ts';
import { useTreeActions } from '../tree/use-tree-actions.ts';
import type { DailyDeps } from './daily-notes.ts';

/** Returns the actions of a vault's page for keys, palette and buttons. */
export function useActions(vaultId: string, toggleSidebar: () => void) {
  const { noteId = null } = useParams({ strict: false });
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const actions = useTreeActions(vaultId);
  const index = useTree(vaultId);
  const role = useRole(vaultId);
  const queries = useQueryClient();
  const note = noteId === null ? null : workspace.note(noteId);
  const pages = usePages(vaultId, note);
  const tabs = useTabs(vaultId);
  const openNote = (id: string, place: TabPlace = 'here', heading = '', focus: FocusTarget = 'editor') => {
    const open = workspace.note(id);
    const there = open.editor.get();
    // The other pane takes the focus, and the address follows.
    if (there !== null) {
      there.focus();
      return void open.goToAnchor(heading);
    }
    open.wantFocus(focus);
    tabs.open(id, place, heading);
  };
  const create = async (folder: string, name?: string, content?: string, place?: TabPlace, cursor?: number) => {
    const id = await actions.createNote(folder, name, content);
    if (id === null) return;
    if (cursor !== undefined) workspace.note(id).wantCursor(cursor);
    // A note without a name of its own is named first.
    openNote(id, place, '', name === undefined ? 'title' : 'editor');
  };
  /** New notes come beside the open one. */
  const here = index.byKey(noteId ?? '')?.parent ?? '';
  const askTabs = async (request: TabRequest) => {
    const { answerTabs } = await import('./tab-requests.ts');
    const exists = (id: string) => index.byKey(id) !== undefined;
    answerTabs(request, {
      vaultId,
      noteId,
      exists,
      openNote,
      close: tabs.close,
      create: () => void create(here, undefined, undefined, 'beside'),
    });
  };
  const daily = async (act: (module: typeof import('./daily-notes.ts'), deps: DailyDeps) => Promise<void>) =>
    act(await importOrReload(() => import('./daily-notes.ts')), {
      ...{ vaultId, queries, index, noteId, openNote },
      create: (folder, day, content, cursor) => create(folder, day, content, undefined, cursor),
    });
  const { question, leave } = useLeave();
  const context: ActionContext = {
    vaultId,
    role,
    noteId,
    open: setDialog,
    ...pages,
    createNote: () => void create(here),
    openDaily: (day = dayOf(new Date())) => void daily(({ openDay }, deps) => openDay(day, deps)),
    stepDay: (step) => void daily(({ stepDay }, deps) => stepDay(step, deps)),
    askTabs: (request) => void askTabs(request),
    toggleSidebar,
    ...noteActions(note),
    focusTree: () => document.querySelector<HTMLElement>('[data-tree]')?.focus(),
    signOut: () => void leave(),
  };
  useShortcuts(context);
  // A note opened behind a dialog waited for it to close.
  useEffect(() => {
    if (dialog === null) note?.focusIfWanted();
  }, [dialog, note]);
  return {
    context,
    dialog,
    question,
    closeDialog: () => setDialog(null),
    openNote,
    createNote: (name: string, place: TabPlace) => void create(here, name, undefined, place),
  };
}

/** Returns the actions that open other pages and the panels of the open note. */
function usePages(vaultId: string, note: OpenNote | null) {
  const navigate = useNavigate();
  const { noteId } = useParams({ strict: false });
  const { panel } = useSearch({ strict: false });
  const show = (name: typeof panel) => {
    if (noteId === undefined) return;
    const search = { panel: name };
    void navigate({ to: '/vaults/$vaultId/notes/$noteId', params: { vaultId, noteId }, search });
  };
  return {
    goTo(page) {
      if (page === 'settings') void navigate({ to: '/settings' });
      else if (page === 'recent') void navigate({ to: '/vaults/$vaultId', params: { vaultId } });
      else void navigate({ to: `/vaults/$vaultId/${page}`, params: { vaultId } });
    },
    togglePanel: () => show(panel === undefined ? 'outline' : undefined),
    showPanel(name) {
      note?.wantFocus('panel');
      show(name);
    },
  } satisfies Partial<ActionContext>;
}

/** Returns the actions on the open note; without one they do nothing. */
function noteActions(note: OpenNote | null) {
  const editor = () => note?.editor.get() ?? null;
  return {
    toggleMode: (mode) => note?.toggleMode(mode),
    askNote: (request) => note?.ask(request),
    print: () => void editor()?.print(),
    canRunInEditor: (command) => editor()?.canRun(command) ?? false,
    runInEditor: (command) => void editor()?.run(command),
  } satisfies Partial<ActionContext>;
}

/** Signs out, after asking if that loses edits; with the question. */
function useLeave() {
  const t = useTexts('vault');
  const confirm = useConfirm();
  /** Signs out; edits that only this device has are lost by that, so it asks first. */
  const leave = async () => {
    const [{ accountId, signOut }, { countUnsent }] = await Promise.all([
      importOrReload(() => import('../../device/sign-out.ts')),
      importOrReload(() => import('../../device/count-unsent.ts')),
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
  return { question: confirm.dialog, leave };
}
