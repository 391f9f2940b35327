import { createWriteStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';

/** The time that npm gives to every file of a package. */
const PACKED_AT = new Date('1985-10-26T08:15:00Z');
/** Packages beside an installed program, executables that were built, and marks of a build, are no part of it. */
const LEFT_OUT = /^node_modules$|^executable$|\.stamp$/;

export interface PackageFile {
  /** Relative to the folder of the package, with slashes. */
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/** Lists the files of a package, sorted by path. Follows links, which the build puts in place of copies. */
export async function listPackage(folder: string): Promise<PackageFile[]> {
  const files: PackageFile[] = [];
  const walk = async (below: string): Promise<void> => {
    for (const name of await readdir(join(folder, below))) {
      if (LEFT_OUT.test(name)) continue;
      const path = below === '' ? name : `${below}/${name}`;
      const found = await stat(join(folder, path));
      if (found.isDirectory()) await walk(path);
      else files.push({ path, size: found.size, mtimeMs: found.mtimeMs });
    }
  };
  await walk('');
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Packs a package as npm does. The same files give the same bytes, whoever owns them and whenever they were made. */
export async function packPackage(folder: string, files: readonly PackageFile[], target: string): Promise<void> {
  const { bin } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { bin: Record<string, string> };
  const commands = new Set(Object.values(bin));
  const archive = pack();
  const written = pipeline(archive, createGzip(), createWriteStream(target, { mode: 0o600 }));
  // Awaited below; until then a failure must not be unhandled.
  written.catch(() => undefined);
  for (const { path } of files) {
    const mode = commands.has(path) ? 0o755 : 0o644;
    const bytes = await readFile(join(folder, path));
    const added = new Promise<void>((resolve, reject) => {
      const entry = { name: `package/${path}`, mode, mtime: PACKED_AT };
      archive.entry(entry, bytes, (error) => (error == null ? resolve() : reject(error)));
    });
    await Promise.race([added, written]);
  }
  archive.finalize();
  await written;
}
