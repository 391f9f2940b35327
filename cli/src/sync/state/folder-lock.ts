import { DataFolderBusy, lockDataFolder } from '@notevault/server/data/data-folder.ts';
import { CliError } from '../../error-messages.ts';

/** Another engine works on the folder. */
export class FolderBusy extends CliError {}

/** Lets one engine at a time work on a folder. The lock ends with its process, however that ends. */
export function lockFolder(place: string, root: string): Disposable {
  try {
    return lockDataFolder(place);
  } catch (error) {
    if (!(error instanceof DataFolderBusy)) throw error;
    throw new FolderBusy(`Another notevault is syncing ${root}: stop it first, or leave the work to it.`);
  }
}
