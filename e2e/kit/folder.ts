import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder of files in a temporary place, removed at the end of its scope. */
export async function folderOf(files: Readonly<Record<string, string | Buffer>>) {
  const path = await mkdtemp(join(tmpdir(), 'notevault-import-'));
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), bytes);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
