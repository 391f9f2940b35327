import type { TreeEntry, TreeIndex } from '../../data/tree/tree-index.ts';
import type { ExpandedFolders } from './use-expanded.ts';
import type { TreeActions } from './use-tree-actions.ts';

/** Dependencies of the tree. */
export interface TreeDeps {
  readonly index: TreeIndex;
  /** Whether entries may be changed. */
  readonly canWrite: boolean;
  readonly expanded: ExpandedFolders;
  readonly actions: TreeActions;
  /** The key of the entry whose page is open; null if none is. */
  readonly current: string | null;
  /** Opens the page of a note or an attachment. */
  readonly open: (entry: TreeEntry) => void;
  /** Opens a note in a tab behind the one that is shown. */
  readonly openBehind: (entry: TreeEntry) => void;
  /** Asks before entries are deleted, if that is needed. */
  readonly remove: (entries: readonly TreeEntry[]) => void;
  readonly openMenu: (entries: readonly TreeEntry[], at: { readonly x: number; readonly y: number }) => void;
  /** Adds files of this device to a folder. */
  readonly addFiles: (data: DataTransfer, folder: string) => void;
}
