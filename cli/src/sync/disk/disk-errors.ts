import { DiskChanged, DiskRefused, FolderGone } from '@notevault/sync/engine/ports.ts';

const CHANGED = new Set(['ENOENT', 'EEXIST', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'ELOOP', 'EBUSY']);
const REFUSED: Partial<Record<string, string>> = {
  ENAMETOOLONG: 'has a name that is too long for this disk',
  EINVAL: 'has a name that this disk cannot store',
  EILSEQ: 'has a name that this disk cannot store',
  EXDEV: 'lies on another file system than its folder',
};
const FORBIDDEN = new Set(['EACCES', 'EPERM']);
/** Why nothing can be written, by the code of the system. */
export const DISK_FAULTS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: make room',
  EDQUOT: 'the quota of this user is used up: make room',
  EROFS: 'the disk is read-only',
  EIO: 'the disk reports errors',
};

/** Runs a change of the disk with the errors of the port instead of those of the system. */
export async function onDisk<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (CHANGED.has(code)) throw new DiskChanged(message, { cause: error });
    if (FORBIDDEN.has(code)) throw new DiskRefused('cannot be changed by this user', { cause: error, isDenied: true });
    const refusal = REFUSED[code];
    if (refusal !== undefined) throw new DiskRefused(refusal, { cause: error });
    if (Object.hasOwn(DISK_FAULTS, code))
      throw new FolderGone(`Nothing can be written: ${DISK_FAULTS[code]}.`, { cause: error });
    throw error;
  }
}
