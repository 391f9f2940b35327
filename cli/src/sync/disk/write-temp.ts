import { rm } from 'node:fs/promises';
import type { FileContent } from '@notevault/sync/engine/ports.ts';
import type { TempPlace } from './temp-place.ts';

/**
 * Writes bytes to a new temporary file, which is complete and durable when this resolves. An error of `bytes` removes
 * the file.
 *
 * @returns the path of the temporary file.
 */
export async function writeTemp(place: TempPlace, { bytes, mtime }: FileContent, mode: number): Promise<string> {
  const { path, file } = await place.create(mode);
  try {
    for await (const piece of bytes)
      for (let at = 0; at < piece.length; ) at += (await file.write(piece, at)).bytesWritten;
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
