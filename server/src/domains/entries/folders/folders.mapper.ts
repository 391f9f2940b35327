import type { Folder } from '@notevault/protocol/folders.ts';
import type { FolderEntry } from '../namespace/namespace.ts';

/** The root as it is sent: it has no entry of its own. */
export function toRoot(notes: number): Folder {
  return { name: '', id: null, parent_id: null, count: notes };
}

/**
 * Maps a folder to the wire. A folder that is not explicit has no id there.
 *
 * @param isExplicit whether the folder with an id is explicit; called with the parent's.
 */
export function toFolder(entry: FolderEntry, isExplicit: (id: string) => boolean): Folder {
  const { parentId } = entry;
  return {
    name: entry.path,
    id: entry.explicit ? entry.id : null,
    parent_id: parentId !== null && isExplicit(parentId) ? parentId : null,
    count: entry.notes,
  };
}
