import { createHash } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { finishRestore } from './finish-restore.ts';

/** The Unix socket on which a server listens for admin commands. */
export function adminSocketPath(dataDir: string): string {
  const path = join(dataDir, 'admin.sock');
  if (Buffer.byteLength(path) <= SOCKET_PATH_MAX) return path;
  // The path is too long for a socket, so a short name derived from it is used.
  return join(tmpdir(), `notevault-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}.sock`);
}

/** Most bytes that fit into a Unix socket's address everywhere (104 on macOS, 108 on Linux). */
const SOCKET_PATH_MAX = 100;

/** The data folder cannot be used by this user, or is not a folder. */
class DataFolderUnusable extends Error {
  override readonly name = 'DataFolderUnusable';
}

/** The embedded database of a data folder. */
export const databaseFile = (dataDir: string) => join(dataDir, 'notevault.sqlite');

/** Refuses a folder without data, for commands that need some, so that a mistyped path does not create new data. */
export function requireData(config: { readonly dataDir: string; readonly databaseUrl: unknown }): void {
  if (config.databaseUrl !== null || existsSync(databaseFile(config.dataDir))) return;
  throw new DataFolderUnusable(
    `There is no data in ${config.dataDir}: give the right --data-dir, or start with "notevault serve".`,
  );
}

/** Another process uses the data folder. */
export class DataFolderBusy extends Error {
  override readonly name = 'DataFolderBusy';
  constructor(dataDir: string) {
    super(`Another notevault process works in ${dataDir}: stop it first, or give this one its own --data-dir.`);
  }
}

/**
 * Locks a data folder for one process. It is a lock of the operating system (on an empty SQLite file), so it ends with
 * the process however that ends; a lock file with a process id would outlive a crash.
 */
export function lockDataFolder(dataDir: string): Disposable {
  const file = join(dataDir, 'lock.sqlite');
  let lock: DatabaseSync;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    // Created here, because SQLite would create a file that other users can read.
    closeSync(openSync(file, 'a', 0o600));
    lock = new DatabaseSync(file, { timeout: 0 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'is no folder' : 'cannot be written by this user';
    throw new DataFolderUnusable(`The data folder ${dataDir} ${why}: give another --data-dir, or fix this one.`, {
      cause,
    });
  }
  try {
    // Without a journal file, because only the lock matters.
    lock.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive;');
    finishRestore(dataDir);
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === 5) throw new DataFolderBusy(dataDir);
    throw error;
  }
  return { [Symbol.dispose]: () => lock.close() };
}
