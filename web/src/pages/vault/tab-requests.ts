import { tabsOf } from '../../workspace/kept-tabs.ts';
import { closeSplit, moveTab, placeTab, reopenTab, tabAfter } from '../../workspace/tabs.ts';
import type { TabRequest } from '../commands/action.ts';

interface TabRequestDeps {
  readonly vaultId: string;
  /** The note of the address. */
  readonly noteId: string | null;
  exists(id: string): boolean;
  openNote(id: string): void;
  close(id: string): void;
  /** Makes a note beside the open one. */
  create(): void;
}

/** Does what keys and palette ask of the tabs of a vault. */
export function answerTabs(
  request: TabRequest,
  { vaultId, noteId, exists, openNote, close, create }: TabRequestDeps,
): void {
  const tabs = tabsOf(vaultId);
  const state = tabs.get();
  const step = (steps: number) => {
    const next = noteId === null ? state.shown[state.at] : tabAfter(state, steps);
    if (next !== undefined) openNote(next);
  };
  const move = (steps: number) => {
    if (noteId !== null) tabs.set(moveTab(state, noteId, state.ids.indexOf(noteId) + steps));
  };
  const answers: Readonly<Record<TabRequest, () => void>> = {
    newBeside: create,
    otherPane() {
      const other = state.shown.find((id) => id !== noteId);
      if (other !== undefined) openNote(other);
    },
    closeSplit: () => tabs.set(closeSplit(state)),
    closeTab() {
      if (noteId !== null) close(noteId);
    },
    reopenTab() {
      const reopened = reopenTab(state, exists);
      if (reopened === null) return;
      tabs.set(placeTab(reopened.tabs, reopened.id, 'tab'));
      openNote(reopened.id);
    },
    nextTab: () => step(1),
    previousTab: () => step(-1),
    tabRight: () => move(1),
    tabLeft: () => move(-1),
  };
  answers[request]();
}
