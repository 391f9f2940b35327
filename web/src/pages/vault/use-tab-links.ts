import type { MouseEvent } from 'react';
import { isNarrow } from '../../platform/narrow.ts';
import { useTabs } from '../../workspace/use-tabs.ts';

const NOTE = /^\/vaults\/([^/]+)\/notes\/([^/]+)$/;

/** Opens links to notes of a vault in tabs of the app, where the browser would open one of its own. */
export function useTabLinks(vaultId: string): (event: MouseEvent) => void {
  const tabs = useTabs(vaultId);
  return (event) => {
    const isOwn = event.button === 1 || (event.button === 0 && (event.ctrlKey || event.metaKey));
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!isOwn || event.shiftKey || link === null || link.origin !== location.origin || isNarrow()) return;
    const [, vault, note] = NOTE.exec(link.pathname) ?? [];
    if (vault !== vaultId || note === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    tabs.open(note, 'behind');
  };
}
