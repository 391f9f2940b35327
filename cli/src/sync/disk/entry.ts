import type { BigIntStats } from 'node:fs';
import type { DiskFile } from '@notevault/sync/engine/ports.ts';

const NS_PER_MS = 1e6;

/** The listing of a regular file. @param hasFileIds whether birth times are real on this file system */
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
 * An identifier that a rename keeps. The inode alone is not one, because file systems give it to the next file at once.
 * The device is no part of it: its number changes when a disk is mounted again. Two names of one inode have none.
 */
function fileIdOf({ ino, birthtimeNs, nlink }: BigIntStats): string | null {
  return nlink === 1n ? `${ino}-${birthtimeNs}` : null;
}

/** Whether a file is still the listed one, except for its name, which changes the ctime. */
export function isSameFile(stats: BigIntStats, { size, mtimeMs }: DiskFile): boolean {
  return stats.isFile() && Number(stats.size) === size && Number(stats.mtimeNs) / NS_PER_MS === mtimeMs;
}
