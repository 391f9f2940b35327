import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Where a server listens for the operator's commands. */
export const adminSocketPath = (dataDir: string) => join(dataDir, 'admin.sock');

/** Another process works in the data folder. */
export class DataFolderBusy extends Error {
  override readonly name = 'DataFolderBusy';
  constructor(dataDir: string) {
    super(`Another notevault process works in ${dataDir}: stop it first, or give this one its own --data-dir.`);
  }
}

/**
 * Takes a data folder for one process. The lock is the operating system's (through an SQLite file that holds nothing),
 * so it ends with the process however that ends; a lock file with a process id in it would outlive a crash.
 */
export function lockDataFolder(dataDir: string): Disposable {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(join(dataDir, 'lock.sqlite'), { timeout: 0 });
  try {
    // Without a journal file: the lock alone matters.
    lock.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive;');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === 5) throw new DataFolderBusy(dataDir);
    throw error;
  }
  return { [Symbol.dispose]: () => lock.close() };
}
