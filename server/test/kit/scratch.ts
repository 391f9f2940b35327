import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2_000_000_000;
const OWNER = /^notevault-(\w+)-(\d+)-/;

/**
 * Creates a folder for data that need not last: in memory if the system offers space there, because creating a database
 * on a busy disk takes ten times as long.
 *
 * @param bytes how much room there must be in memory.
 */
export function scratchFolder(kind: string, bytes = ENOUGH_BYTES): string {
  const folder = join(root(bytes), `notevault-${kind}-${process.pid}-${randomBytes(6).toString('hex')}`);
  mkdirSync(folder, { mode: 0o755 });
  return folder;
}

/** Folders of a kind whose process was killed before it could remove them. */
export function deadScratchFolders(kind: string): string[] {
  return [...new Set([root(ENOUGH_BYTES), tmpdir()])].flatMap((root) =>
    readdirSync(root)
      .filter((name) => {
        const [, itsKind, owner] = OWNER.exec(name) ?? [];
        return itsKind === kind && !isAlive(Number(owner));
      })
      .map((name) => join(root, name)),
  );
}

function root(bytes: number): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > bytes ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
