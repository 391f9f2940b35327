import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { FileLocked, lockFile } from './file-lock.ts';
import { finishRestore } from './finish-restore.ts';

/** The Unix socket on which a server listens for admin commands. */
export function adminSocketPath(dataDir: string): string {
  const path = join(dataDir, 'admin.sock');
  if (Buffer.byteLength(path) <= SOCKET_PATH_MAX) return path;
  // The path is too long for a socket, so a short name derived from it is used.
  return join(tmpdir(), `notevault-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}.sock`);
}

/** Maximum bytes of a Unix socket's address on every system (104 on macOS, 108 on Linux). */
const SOCKET_PATH_MAX = 100;

/** The data folder cannot be used by this user, or is not a folder. */
class DataFolderUnusable extends Error {
  override readonly name = 'DataFolderUnusable';
}

export const databaseFile = (dataDir: string) => join(dataDir, 'notevault.sqlite');

/** Refuses a folder without data, for commands that need some, so that a mistyped path does not create new data. */
export function requireData(config: { readonly dataDir: string; readonly databaseUrl: unknown }): void {
  if (config.databaseUrl !== null || existsSync(databaseFile(config.dataDir))) return;
  throw new DataFolderUnusable(
    `There is no data in ${config.dataDir}: give the right --data-dir, or start with "notevault serve".`,
  );
}

/** The disk has no room for the copy of the database that is made before an upgrade. */
export class NoRoomForUpgrade extends Error {
  override readonly name = 'NoRoomForUpgrade';
  constructor(dataDir: string, needed: number, free: number) {
    const mb = (bytes: number) => `${Math.ceil(bytes / MB)} MB`;
    super(
      `The upgrade first copies the database, which needs ${mb(needed)} in ${dataDir}, where ${mb(free)} are free: make ` +
        'room and start again, or start the earlier version. Nothing was changed.',
    );
  }
}

export class DataFolderBusy extends Error {
  override readonly name = 'DataFolderBusy';
  constructor(dataDir: string) {
    super(`Another notevault process works in ${dataDir}: stop it first, or give this one its own --data-dir.`);
  }
}

export class DataFolderFull extends Error {
  override readonly name = 'DataFolderFull';
  constructor(dataDir: string, cause: unknown) {
    super(`The disk of the data folder ${dataDir} is full: make some room there, then start again.`, { cause });
  }
}

/** Locks a data folder for one process: see `lockFile`. Throws DataFolderBusy. */
export function lockDataFolder(dataDir: string): Disposable {
  const lock = tryLock(dataDir);
  try {
    finishRestore(dataDir);
    return lock;
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

function tryLock(dataDir: string): Disposable {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return lockFile(join(dataDir, 'lock.sqlite'));
  } catch (cause) {
    if (cause instanceof FileLocked) throw new DataFolderBusy(dataDir);
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'is no folder' : 'cannot be written by this user';
    throw new DataFolderUnusable(`The data folder ${dataDir} ${why}: give another --data-dir, or fix this one.`, {
      cause,
    });
  }
}
