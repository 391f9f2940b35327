import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { FileLocked, lockFile } from '@notevault/server/data/file-lock.ts';
import { FolderGone } from '@notevault/sync/engine/ports.ts';
import { CliError } from '../../error-messages.ts';
import { OWN_FOLDER, TempPlace } from '../disk/temp-place.ts';

/** Thrown when another process already syncs the folder with the same state. */
export class FolderBusy extends CliError {}

const NAME = 'lock.sqlite';

/** Locks the state of a folder for this process, until the lock is disposed or the process ends. */
export function lockState(place: string, root: string): Disposable {
  mkdirSync(place, { recursive: true, mode: 0o700 });
  try {
    return lockFile(join(place, NAME));
  } catch (error) {
    if (!(error instanceof FileLocked)) throw error;
    throw new FolderBusy(`Another notevault process already syncs ${root}: stop it first, or let it do the work.`);
  }
}

/**
 * Locks the folder itself, against engines of other users or with another XDG_STATE_HOME, whose state is elsewhere.
 * Returns null if the disk does not support locks.
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
      `Another notevault process already syncs ${root} with its own state (another user, or another XDG_STATE_HOME): stop it first.`,
    );
  }
}
