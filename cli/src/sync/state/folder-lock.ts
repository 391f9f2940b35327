import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { FileLocked, lockFile } from '@notevault/server/data/file-lock.ts';
import { FolderGone } from '@notevault/sync/engine/ports.ts';
import { CliError } from '../../error-messages.ts';
import { OWN_FOLDER, TempPlace } from '../disk/temp-place.ts';

/** Another engine works on the folder, with the same state. */
export class FolderBusy extends CliError {}

const NAME = 'lock.sqlite';

/** Lets one engine at a time work with the state of a folder. The lock ends with its process, however that ends. */
export function lockState(place: string, root: string): Disposable {
  mkdirSync(place, { recursive: true, mode: 0o700 });
  try {
    return lockFile(join(place, NAME));
  } catch (error) {
    if (!(error instanceof FileLocked)) throw error;
    throw new FolderBusy(`Another notevault is syncing ${root}: stop it first, or leave the work to it.`);
  }
}

/**
 * Lets one engine at a time work on the folder itself: one that was started by another user, or with another
 * XDG_STATE_HOME, has its state elsewhere. Null where the disk has no locks.
 */
export function lockRoot(root: string): Disposable | null {
  new TempPlace(root).prepare();
  const file = join(root, OWN_FOLDER, NAME);
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new FolderGone(`${file} must be a file, and is a link or a folder: remove it.`);
  try {
    return lockFile(file);
  } catch (error) {
    if (!(error instanceof FileLocked)) return null;
    throw new CliError(
      `Another notevault is syncing ${root}, with its state in another place (of another user, or another XDG_STATE_HOME): stop it first.`,
    );
  }
}
