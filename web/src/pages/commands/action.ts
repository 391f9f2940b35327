import type { Role } from '../../data/role.ts';
import type { EditorCommand, EditorMode } from '../../editor/index.ts';
import type { vault } from '../../i18n/en/vault.ts';
import type { PanelName } from '../../page/search-params.ts';
import type { IconName } from '../../ui/controls/icon.tsx';
import type { Shortcut } from '../../ui/text/shortcut.ts';
import type { NoteRequest } from '../../workspace/open-note.ts';

/** The dialogs that actions open. */
export type DialogName = 'switcher' | 'palette' | 'shortcuts' | 'template' | 'newTab' | 'beside' | 'share' | 'calendar';

/** Commands for a vault's tabs. */
export type TabRequest =
  | 'newBeside'
  | 'otherPane'
  | 'closeSplit'
  | 'closeTab'
  | 'reopenTab'
  | 'nextTab'
  | 'previousTab'
  | 'tabLeft'
  | 'tabRight';

/** Dependencies of an action. */
export interface ActionContext {
  readonly vaultId: string;
  /** Role of the account in the vault. */
  readonly role: Role;
  readonly noteId: string | null;
  open(dialog: DialogName): void;
  /** Opens a page of the vault. */
  goTo(
    page:
      | 'recent'
      | 'search'
      | 'replace'
      | 'tasks'
      | 'tags'
      | 'graph'
      | 'dangling'
      | 'activity'
      | 'trash'
      | 'import'
      | 'settings',
  ): void;
  createNote(): void;
  /** Opens the daily note of a day, today if none is named. */
  openDaily(day?: string): void;
  /** Opens the daily note before or after the open one. */
  stepDay(step: -1 | 1): void;
  askTabs(request: TabRequest): void;
  toggleSidebar(): void;
  togglePanel(): void;
  /** Opens a side panel of the note and focuses it. */
  showPanel(name: PanelName): void;
  focusTree(): void;
  /** Shows the open note in a mode; in the usual one if it is shown so already. */
  toggleMode(mode: EditorMode): void;
  /** Does something with the open note as a whole. */
  askNote(request: NoteRequest): void;
  /** Prints the open note. */
  print(): void;
  canRunInEditor(command: EditorCommand): boolean;
  runInEditor(command: EditorCommand): void;
  signOut(): void;
}

/** Something to do. The palette, the list of shortcuts and the keys all read the same table. */
export interface Action {
  readonly id: keyof typeof vault.action;
  readonly icon: IconName;
  readonly keys?: Shortcut;
  /** The keys on Apple's systems, if they are others. */
  readonly appleKeys?: Shortcut;
  /** Set for actions that need an open note. */
  readonly needsNote?: true;
  /** Set for what members who only read cannot do. */
  readonly writes?: true;
  /** Set for what only the owner of the vault can do. */
  readonly manages?: true;
  /** The command of the editor that it runs. The editor has the keys of these itself. */
  readonly command?: EditorCommand;
  readonly run: (context: ActionContext) => void;
}
