import type { TFunction } from 'i18next';
import type { TreeEntry } from '../../data/tree/tree-index.ts';
import type { MenuItem } from '../../ui/controls/menu.tsx';
import { shownKeys } from '../../ui/text/shortcut.ts';
import type { TabPlace } from '../../workspace/tabs.ts';

export interface TreeMenuDeps {
  readonly canWrite: boolean;
  /** Whether keys are shown as on Apple's systems. */
  readonly isApple: boolean;
  openNote(id: string, place?: TabPlace): void;
  /** Whether there is room for tabs. */
  readonly hasTabs: boolean;
  openFile(id: string): void;
  createNote(folder: string): void;
  createFolder(parent: string): void;
  rename(key: string): void;
  move(entries: readonly TreeEntry[]): void;
  cut(entries: readonly TreeEntry[]): void;
  remove(entries: readonly TreeEntry[]): void;
  /** Opens the public links of a note or folder; null for people who do not own the vault. */
  readonly publicLink: ((entry: TreeEntry) => void) | null;
  /** The address of a note. */
  linkOf(id: string): string;
}

/** Returns the menu for entries of the tree. */
export function treeMenu(t: TFunction<'vault'>, entries: readonly TreeEntry[], deps: TreeMenuDeps): MenuItem[] {
  const [first] = entries;
  if (first === undefined) return [];
  const single = entries.length === 1 ? itemsOfOne(t, first, deps) : [];
  if (!deps.canWrite) return single;
  return [
    ...single,
    {
      id: 'move',
      label: t('tree.moveTo'),
      icon: 'folder',
      beginsGroup: single.length > 0,
      run: () => deps.move(entries),
    },
    { id: 'cut', label: t('tree.cut'), keys: shownKeys('Mod+X', deps.isApple), run: () => deps.cut(entries) },
    {
      id: 'delete',
      label: t('tree.delete'),
      icon: 'trash',
      keys: shownKeys(deps.isApple ? 'Mod+Backspace' : 'Delete', deps.isApple),
      isDangerous: true,
      beginsGroup: true,
      run: () => deps.remove(entries),
    },
  ];
}

function itemsOfOne(t: TFunction<'vault'>, entry: TreeEntry, deps: TreeMenuDeps): MenuItem[] {
  const folder = entry.kind === 'folder' ? entry.path : entry.parent;
  const copy = (text: string) => void navigator.clipboard?.writeText(text);
  return [
    ...opening(t, entry, deps),
    ...(deps.canWrite ? changing(t, entry, folder, deps) : []),
    { id: 'copy-path', label: t('tree.copyPath'), icon: 'copy', run: () => copy(entry.path) },
    ...(entry.kind === 'note'
      ? [{ id: 'copy-link', label: t('tree.copyLink'), icon: 'link' as const, run: () => copy(deps.linkOf(entry.id)) }]
      : []),
    ...(deps.publicLink !== null && entry.kind !== 'attachment'
      ? [
          {
            id: 'public-link',
            label: t('action.publicLink'),
            icon: 'read' as const,
            run: () => deps.publicLink?.(entry),
          },
        ]
      : []),
  ];
}

function changing(t: TFunction<'vault'>, { key }: TreeEntry, folder: string, deps: TreeMenuDeps): MenuItem[] {
  return [
    { id: 'new-note', label: t('nav.newNote'), icon: 'add', run: () => deps.createNote(folder) },
    { id: 'new-folder', label: t('nav.newFolder'), run: () => deps.createFolder(folder) },
    { id: 'rename', label: t('tree.rename'), keys: 'F2', beginsGroup: true, run: () => deps.rename(key) },
  ];
}

function opening(t: TFunction<'vault'>, entry: TreeEntry, deps: TreeMenuDeps): MenuItem[] {
  if (entry.kind === 'folder') return [];
  if (entry.kind === 'attachment')
    return [{ id: 'open', label: t('tree.open'), icon: 'file', run: () => deps.openFile(entry.id) }];
  const open = (id: string, label: string, place: TabPlace): MenuItem => ({
    ...{ id, label, ...(place === 'here' ? { icon: 'note' as const } : {}) },
    run: () => deps.openNote(entry.id, place),
  });
  return [
    open('open', t('tree.open'), 'here'),
    ...(deps.hasTabs ? [open('tab', t('tabs.open'), 'tab'), open('beside', t('tabs.beside'), 'beside')] : []),
  ];
}
