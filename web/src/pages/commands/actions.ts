import type { IconName } from '../../ui/controls/icon.tsx';
import type { Shortcut } from '../../ui/text/shortcut.ts';
import { NOTE_REQUESTS, type NoteRequest } from '../../workspace/open-note.ts';
import type { Action, ActionContext, TabRequest } from './action.ts';

const NOTE_ICONS: Readonly<Record<NoteRequest, IconName>> = {
  rename: 'pen',
  move: 'folder',
  duplicate: 'copy',
  star: 'star',
  copyLink: 'link',
  publicLink: 'read',
  download: 'download',
  deleteNote: 'trash',
};

/** Requests that viewers may make of a note. */
const READING: ReadonlySet<NoteRequest> = new Set(['star', 'copyLink', 'download']);

const NOTE_ACTIONS = NOTE_REQUESTS.map(
  (id): Action => ({
    id,
    icon: NOTE_ICONS[id],
    needsNote: true,
    ...(READING.has(id) ? {} : { writes: true }),
    ...(id === 'publicLink' ? { manages: true } : {}),
    run: ({ askNote }) => askNote(id),
  }),
);

const TABS: readonly (readonly [TabRequest, IconName, Shortcut, needsNote?: true])[] = [
  ['newBeside', 'pen', 'Alt+Shift+B', true],
  ['otherPane', 'panel', 'Alt+O', true],
  ['closeSplit', 'note', 'Alt+Shift+O', true],
  ['closeTab', 'close', 'Alt+W', true],
  ['reopenTab', 'undo', 'Alt+Shift+W'],
  ['nextTab', 'chevron', 'Alt+PageDown'],
  ['previousTab', 'back', 'Alt+PageUp'],
  ['tabRight', 'chevron', 'Alt+Shift+PageDown', true],
  ['tabLeft', 'back', 'Alt+Shift+PageUp', true],
];

const TAB_ACTIONS = TABS.map(
  ([id, icon, keys, needsNote]): Action => ({
    ...{ id, icon, keys, run: ({ askTabs }) => askTabs(id) },
    ...(needsNote === true ? { needsNote } : {}),
    ...(id === 'newBeside' ? { writes: true } : {}),
  }),
);

/** Actions of the app itself. The page listens to their keys. */
export const APP_ACTIONS: readonly Action[] = [
  { id: 'switcher', icon: 'search', keys: 'Mod+K', run: ({ open }) => open('switcher') },
  { id: 'palette', icon: 'list', keys: 'Mod+Shift+P', run: ({ open }) => open('palette') },
  { id: 'newNote', icon: 'pen', writes: true, keys: 'Alt+N', run: ({ createNote }) => createNote() },
  { id: 'daily', icon: 'calendar', writes: true, keys: 'Alt+D', run: ({ openDaily }) => openDaily() },
  { id: 'dailyBefore', icon: 'back', run: ({ stepDay }) => stepDay(-1) },
  { id: 'dailyAfter', icon: 'chevron', run: ({ stepDay }) => stepDay(1) },
  { id: 'calendar', icon: 'calendar', keys: 'Alt+C', run: ({ open }) => open('calendar') },
  { id: 'search', icon: 'search', keys: 'Mod+Shift+F', run: ({ goTo }) => goTo('search') },
  { id: 'recent', icon: 'clock', run: ({ goTo }) => goTo('recent') },
  { id: 'replace', icon: 'pen', writes: true, run: ({ goTo }) => goTo('replace') },
  { id: 'tasks', icon: 'task', run: ({ goTo }) => goTo('tasks') },
  { id: 'tags', icon: 'tag', run: ({ goTo }) => goTo('tags') },
  { id: 'graph', icon: 'graph', keys: 'Alt+G', run: ({ goTo }) => goTo('graph') },
  { id: 'dangling', icon: 'link', run: ({ goTo }) => goTo('dangling') },
  { id: 'activity', icon: 'history', writes: true, run: ({ goTo }) => goTo('activity') },
  { id: 'trash', icon: 'trash', writes: true, run: ({ goTo }) => goTo('trash') },
  { id: 'import', icon: 'folder', writes: true, run: ({ goTo }) => goTo('import') },
  { id: 'share', icon: 'people', run: ({ open }) => open('share') },
  { id: 'focusTree', icon: 'folder', keys: 'Alt+T', run: ({ focusTree }) => focusTree() },
  { id: 'sidebar', icon: 'menu', keys: 'Mod+\\', run: ({ toggleSidebar }) => toggleSidebar() },
  { id: 'panel', icon: 'panel', keys: 'Alt+P', needsNote: true, run: ({ togglePanel }) => togglePanel() },
  { id: 'source', icon: 'file', keys: 'Alt+S', needsNote: true, run: ({ toggleMode }) => toggleMode('source') },
  { id: 'reading', icon: 'read', keys: 'Alt+R', needsNote: true, run: ({ toggleMode }) => toggleMode('reading') },
  { id: 'print', icon: 'print', keys: 'Mod+P', needsNote: true, run: ({ print }) => print() },
  ...NOTE_ACTIONS,
  { id: 'newTab', icon: 'add', keys: 'Alt+Shift+N', run: ({ open }) => open('newTab') },
  { id: 'beside', icon: 'panel', keys: 'Alt+B', needsNote: true, run: ({ open }) => open('beside') },
  ...TAB_ACTIONS,
  { id: 'template', icon: 'copy', writes: true, needsNote: true, run: ({ open }) => open('template') },
  { id: 'showOutline', icon: 'list', needsNote: true, run: ({ showPanel }) => showPanel('outline') },
  { id: 'showLinks', icon: 'link', needsNote: true, run: ({ showPanel }) => showPanel('links') },
  { id: 'showGraph', icon: 'graph', needsNote: true, run: ({ showPanel }) => showPanel('graph') },
  { id: 'showHistory', icon: 'history', writes: true, needsNote: true, run: ({ showPanel }) => showPanel('history') },
  { id: 'settings', icon: 'settings', keys: 'Mod+,', run: ({ goTo }) => goTo('settings') },
  { id: 'shortcuts', icon: 'list', keys: '?', run: ({ open }) => open('shortcuts') },
  { id: 'signOut', icon: 'close', run: ({ signOut }) => signOut() },
];

/** The keys of an action on this system. */
export function keysOf({ keys, appleKeys }: Action, isApple: boolean): Shortcut | undefined {
  return isApple ? (appleKeys ?? keys) : keys;
}

/** Whether something can be done now, by somebody with this role. */
export function isPossible(
  { writes, manages, needsNote }: Action,
  { noteId, role }: Pick<ActionContext, 'noteId' | 'role'>,
) {
  const isAllowed = manages === true ? role === 'owner' : writes !== true || role !== 'viewer';
  return isAllowed && (needsNote !== true || noteId !== null);
}
