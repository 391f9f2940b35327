import { quoted } from '../run/describe.ts';

/** Thrown when a folder's vault was deleted or is no longer accessible; the folder's files stay. */
export class FolderEnded extends Error {
  override readonly name = 'FolderEnded';

  /** @param reason clause that completes “is no longer synced, because …” */
  constructor(root: string, reason: string) {
    super(
      `${root} is no longer synced, because ${reason}; its files stay as they are. Once you have access again, ` +
        `"notevault sync --vault NAME ${quoted(root)}" compares everything and syncs it like a new folder.`,
    );
  }
}
