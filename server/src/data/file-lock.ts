import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

export class FileLocked extends Error {
  override readonly name = 'FileLocked';
}

const SQLITE_BUSY = 5;

/**
 * Locks a file for one process; it is made if it is missing. The lock is one of the operating system (on an empty SQLite
 * file), so it ends with the process however that ends; a lock file with a process id would outlive a crash. Throws
 * FileLocked.
 */
export function lockFile(file: string): Disposable {
  // Created here, because SQLite would create a file that other users can read.
  closeSync(openSync(file, 'a', 0o600));
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    // Without a journal file, because only the lock matters.
    lock.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive;');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) throw new FileLocked(file);
    throw error;
  }
  return { [Symbol.dispose]: () => lock.close() };
}
