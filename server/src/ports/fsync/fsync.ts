import { open, stat } from 'node:fs/promises';

/** Makes the entries of a folder durable: a new or renamed file is only as durable as its entry. Windows has no such call. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32' || !(await stat(folder)).isDirectory()) return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}
