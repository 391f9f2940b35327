import type { BigIntStats } from 'node:fs';
import type { DiskFile } from '@notevault/sync/engine/ports.ts';

const NS_PER_MS = 1e6;

/** Returns the listing of a regular file. @param hasFileIds whether birth times are real on this file system */
export function diskFile(path: string, stats: BigIntStats, hasFileIds: boolean): DiskFile {
  return {
    path,
    size: Number(stats.size),
    mtimeMs: Number(stats.mtimeNs) / NS_PER_MS,
    ctimeMs: Number(stats.ctimeNs) / NS_PER_MS,
    fileId: hasFileIds ? fileIdOf(stats) : null,
  };
}

/**
 * Returns an identifier that survives renames; null for files with several names. It combines inode and birth time,
 * because file systems reuse inodes at once. The device is left out, because its number changes when a disk is mounted
 * again.
 */
function fileIdOf({ ino, birthtimeNs, nlink }: BigIntStats): string | null {
  return nlink === 1n ? `${ino}-${birthtimeNs}` : null;
}

/** Returns whether a file is still the listed one, except for its name, which changes the ctime. */
export function isSameFile(stats: BigIntStats, { size, mtimeMs }: DiskFile): boolean {
  return stats.isFile() && Number(stats.size) === size && Number(stats.mtimeNs) / NS_PER_MS === mtimeMs;
}
