import { quoted } from '../run/describe.ts';

/** The vault of a folder was deleted or taken away: the folder stays as it is, and is not synced any more. */
export class FolderEnded extends Error {
  override readonly name = 'FolderEnded';

  /** @param reason continues a sentence */
  constructor(root: string, reason: string) {
    super(
      `${root} is no longer synced, because ${reason}; its files stay as they are. Once you have the vault again, ` +
        `"notevault sync --vault NAME ${quoted(root)}" compares everything and syncs it like a new folder.`,
    );
  }
}
