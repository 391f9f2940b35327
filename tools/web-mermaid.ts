import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import type { Plugin } from 'vite';

/** Name, version and digest of the package. After a change of the version, the message of a build names the digest. */
const MERMAID =
  'mermaid@12.3.0 sha512-4113TdXeLAsMruJ79OpFL5O8+LTFXhQqZ260rF3tgUmiNAtRm4Uume04I+65PRN6yZ69J4f8rVYWW8zRk65UYw==';
/** File to take from the package: a bundle with all dependencies. */
const BUNDLE = 'dist/mermaid.esm.min.mjs';
const WANTED = /^package\/(LICENSE|package\.json|dist\/(mermaid\.esm\.min|chunks\/mermaid\.esm\.min\/[\w-]+)\.mjs)$/;
const KATEX = /(?:^|[\\/])katex-\w+\.mjs$/;

/**
 * Resolves `mermaid` to its bundle. As a dependency it would be a fifth of all packages that `npm ci` installs, 200 MB
 * with those it depends on, for the 5 MB of this bundle.
 */
export function mermaid(): Plugin {
  const cache = join(import.meta.dirname, '../node_modules/.cache/node_modules');
  let bundle: Promise<string> | undefined;
  return {
    name: 'mermaid',
    enforce: 'pre',
    resolveId(source, importer) {
      // It brings the library for formulas that the app has too.
      if (KATEX.test(source) && importer?.includes('mermaid') === true) return this.resolve('katex');
      if (source !== 'mermaid') return null;
      bundle ??= bundleOf(MERMAID, cache, download);
      return bundle;
    },
  };
}

/**
 * Returns the path of the bundle below `cache`. If it is not there, downloads the package, `name@version digest`, into
 * an empty folder, and unpacks what is wanted. Throws if the package has another digest.
 */
export async function bundleOf(
  what: string,
  cache: string,
  download: (name: string, folder: string) => void,
): Promise<string> {
  const [name = '', digest] = what.split(' ');
  const folder = join(cache, name);
  const bundle = join(folder, BUNDLE);
  if (existsSync(bundle)) return bundle;
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, 'download-'));
  try {
    download(name, work);
    const tarball = readFileSync(join(work, globSync('*.tgz', { cwd: work })[0] ?? 'nothing.tgz'));
    const actual = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    if (actual !== digest) {
      throw new Error(
        `${name} has the digest ${actual}, not ${digest}. If the version was changed, change the digest.`,
      );
    }
    await unpack(tarball, join(work, 'package'));
    // Another build may have been quicker.
    if (!existsSync(bundle)) renameSync(join(work, 'package'), folder);
  } finally {
    rmSync(work, { recursive: true });
  }
  return bundle;
}

/** Downloads through npm, with its registry, proxy and cache: what `npm ci` once installed needs no network again. */
function download(name: string, folder: string): void {
  try {
    execFileSync('npm', ['pack', name, '--prefer-offline', '--loglevel=error'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  } catch (cause) {
    throw new Error(`The web app cannot be built without ${name}, which npm could not download.`, { cause });
  }
}

async function unpack(tarball: Uint8Array, folder: string): Promise<void> {
  const entries = extract();
  const reading = pipeline(Readable.from([tarball]), createGunzip(), entries);
  for await (const entry of entries) {
    const { name } = entry.header;
    if (WANTED.test(name)) {
      const path = join(folder, name.slice('package/'.length));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, Buffer.concat(await Array.fromAsync(entry)));
    } else entry.resume();
  }
  await reading;
}
