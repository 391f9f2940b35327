import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { DiskRefused, type FileContent } from '@notevault/sync/engine/ports.ts';
import type { TempPlace } from './temp-place.ts';

/**
 * Writes bytes to a new temporary file, which is complete and durable when this resolves. Throws DiskRefused when they
 * do not have the size and hash that were announced.
 *
 * @returns the path of the temporary file.
 */
export async function writeTemp(
  place: TempPlace,
  { bytes, size, hash, mtime }: FileContent,
  mode: number,
): Promise<string> {
  const { path, file } = await place.create(mode);
  try {
    const hasher = createHash('sha256');
    let written = 0;
    for await (const piece of bytes) {
      written += piece.length;
      if (size !== null && written > size) throw new DiskRefused(OTHER_BYTES);
      hasher.update(piece);
      for (let at = 0; at < piece.length; ) at += (await file.write(piece, at)).bytesWritten;
    }
    const isOther = hash !== null && hasher.digest('hex') !== hash;
    if ((size !== null && written !== size) || isOther) throw new DiskRefused(OTHER_BYTES);
    await file.utimes(mtime, mtime);
    await file.sync();
    await file.close();
    return path;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  }
}

const OTHER_BYTES = 'was sent with other bytes than the server announced';
