import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '../ports/fsync/fsync.ts';

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/** Creates a file that only its owner can read, and writes it; resolves to its size when its bytes are on disk. */
export async function writeFileDurably(file: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  await using handle = await open(file, CREATE, 0o600);
  try {
    const size = await writeAll(handle, bytes);
    await handle.sync();
    return size;
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

async function writeAll(handle: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const piece of bytes) {
    for (let at = 0; at < piece.length; ) at += (await handle.write(piece, at)).bytesWritten;
    size += piece.length;
  }
  return size;
}

/** Renames a durable file; resolves when its new name is durable too. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(dirname(to));
  if (dirname(from) !== dirname(to)) await syncFolder(dirname(from));
}

/** Creates a folder that only its owner can read, unless it exists, and makes its name durable. */
export async function makeFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made === undefined) return;
  for (let at = folder; at.length >= made.length; at = dirname(at)) await syncFolder(dirname(at));
}

export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

export async function* once(bytes: Uint8Array | string): AsyncGenerator<Uint8Array> {
  yield typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
}

export function partIn(folder: string, name: string): string {
  return join(folder, `${name}.part`);
}
