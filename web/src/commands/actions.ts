import type { vault } from '../i18n/en/vault.ts';
import type { IconName } from '../ui/icon.tsx';
import type { Shortcut } from './shortcut.ts';

/** The dialogs that actions open. */
export type DialogName = 'switcher' | 'palette' | 'shortcuts';

/** What an action may use. */
export interface ActionContext {
  readonly vaultId: string;
  readonly noteId: string | null;
  open(dialog: DialogName): void;
  /** Opens a page of the vault. */
  goTo(page: 'recent' | 'search' | 'tags' | 'graph' | 'trash' | 'import' | 'settings'): void;
  createNote(): void;
  openDaily(): void;
  toggleSidebar(): void;
  togglePanel(): void;
  focusTree(): void;
  signOut(): void;
}

/** Something to do. The palette, the list of shortcuts and the keys all read the same table. */
export interface Action {
  readonly id: keyof typeof vault.action;
  readonly icon: IconName;
  readonly keys?: Shortcut;
  /** Set for what is only possible while a note is open. */
  readonly needsNote?: true;
  readonly run: (context: ActionContext) => void;
}

export const ACTIONS: readonly Action[] = [
  { id: 'switcher', icon: 'search', keys: 'Mod+K', run: ({ open }) => open('switcher') },
  { id: 'palette', icon: 'list', keys: 'Mod+Shift+P', run: ({ open }) => open('palette') },
  { id: 'newNote', icon: 'add', keys: 'Alt+N', run: ({ createNote }) => createNote() },
  { id: 'daily', icon: 'clock', keys: 'Alt+D', run: ({ openDaily }) => openDaily() },
  { id: 'search', icon: 'search', keys: 'Mod+Shift+F', run: ({ goTo }) => goTo('search') },
  { id: 'recent', icon: 'clock', run: ({ goTo }) => goTo('recent') },
  { id: 'tags', icon: 'tag', run: ({ goTo }) => goTo('tags') },
  { id: 'graph', icon: 'graph', keys: 'Alt+G', run: ({ goTo }) => goTo('graph') },
  { id: 'trash', icon: 'trash', run: ({ goTo }) => goTo('trash') },
  { id: 'import', icon: 'folder', run: ({ goTo }) => goTo('import') },
  { id: 'focusTree', icon: 'folder', keys: 'Alt+T', run: ({ focusTree }) => focusTree() },
  { id: 'sidebar', icon: 'menu', keys: 'Mod+\\', run: ({ toggleSidebar }) => toggleSidebar() },
  { id: 'panel', icon: 'panel', keys: 'Alt+P', needsNote: true, run: ({ togglePanel }) => togglePanel() },
  { id: 'settings', icon: 'settings', keys: 'Mod+,', run: ({ goTo }) => goTo('settings') },
  { id: 'shortcuts', icon: 'list', keys: '?', run: ({ open }) => open('shortcuts') },
  { id: 'signOut', icon: 'close', run: ({ signOut }) => signOut() },
];

/** The actions that are possible now. */
export function possibleActions({ noteId }: ActionContext): Action[] {
  return ACTIONS.filter(({ needsNote }) => needsNote !== true || noteId !== null);
}
