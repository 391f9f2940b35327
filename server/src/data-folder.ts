import { createHash } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Where a server listens for the operator's commands. */
export function adminSocketPath(dataDir: string): string {
  const path = join(dataDir, 'admin.sock');
  if (Buffer.byteLength(path) <= SOCKET_PATH_MAX) return path;
  // The system takes no longer address: a short name that only this folder has.
  return join(tmpdir(), `notevault-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}.sock`);
}

/** What fits into a Unix socket's address everywhere (macOS holds 104 bytes, Linux 108). */
const SOCKET_PATH_MAX = 100;

/** The data folder cannot be used by this user, or is none. */
class DataFolderUnusable extends Error {
  override readonly name = 'DataFolderUnusable';
}

/** The embedded database of a data folder. */
export const databaseFile = (dataDir: string) => join(dataDir, 'notevault.sqlite');

/** Refuses a folder without data, for commands that only make sense where there is some: a mistyped path makes no new data. */
export function requireData(config: { readonly dataDir: string; readonly databaseUrl: unknown }): void {
  if (config.databaseUrl !== null || existsSync(databaseFile(config.dataDir))) return;
  throw new DataFolderUnusable(
    `There is no data in ${config.dataDir}: give the right --data-dir, or start with "notevault serve".`,
  );
}

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
  const file = join(dataDir, 'lock.sqlite');
  let lock: DatabaseSync;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    // Made by hand, since SQLite would make a file that others can read.
    closeSync(openSync(file, 'a', 0o600));
    lock = new DatabaseSync(file, { timeout: 0 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'is no folder' : 'cannot be written by this user';
    throw new DataFolderUnusable(`The data folder ${dataDir} ${why}: give another --data-dir, or mend this one.`, {
      cause,
    });
  }
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
