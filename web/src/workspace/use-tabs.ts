import { useNavigate, useParams } from '@tanstack/react-router';
import { isNarrow } from '../platform/narrow.ts';
import { tabsOf } from './kept-tabs.ts';
import { closeTab, focusedOf, placeTab, type TabPlace } from './tabs.ts';

/** Opens notes of a vault in their tabs, and leaves them. */
export function useTabs(vaultId: string) {
  const navigate = useNavigate();
  const { noteId } = useParams({ strict: false });
  const goTo = (id: string, replace = false, hash = '') =>
    navigate({ to: '/vaults/$vaultId/notes/$noteId', params: { vaultId, noteId: id }, hash, replace });
  return {
    goTo: (id: string, replace = false) => void goTo(id, replace),
    /** Opens a note; where there is no room for tabs, in place of the open one. */
    open(id: string, place: TabPlace = 'here', hash = ''): void {
      const tabs = tabsOf(vaultId);
      const where = isNarrow() ? 'here' : place;
      if (where !== 'here') tabs.set(placeTab(tabs.get(), id, where));
      if (where !== 'behind') void goTo(id, false, hash);
    },
    /** Closes the tab of a note. If it has the focus, navigates to the tab shown next, or home. */
    async close(id: string): Promise<void> {
      const tabs = tabsOf(vaultId);
      const next = focusedOf(closeTab(tabs.get(), id));
      // It is left first: as long as the address names it, it has a tab.
      if (id === noteId) {
        if (next === undefined) await navigate({ to: '/vaults/$vaultId', params: { vaultId } });
        else await goTo(next, true);
      }
      tabs.set(closeTab(tabs.get(), id));
    },
  };
}
