import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Everything that the program is built of, with the plugin that it hands out. */
const PROGRAM = [
  'packages/*/src/**',
  'server/src/**',
  'cli/src/**',
  'clients/obsidian/src/**',
  'clients/obsidian/{build.mjs,manifest.json,styles.css}',
  'package-lock.json',
  'tools/{build,build-obsidian,bundle,licences,manifest}.ts',
];
/** Everything that the web app is built of. */
const WEB = [
  'web/index.html',
  'web/fonts/**',
  'web/frames/**',
  'web/public/**',
  'web/src/**',
  'web/worker/**',
  'packages/*/src/**',
  'package-lock.json',
  'tools/{*web*,licences}.ts',
];

/** Something that is built, with a digest of its sources beside it. */
export interface Built {
  /** Path of the stored digest, relative to the root. */
  readonly stamp: string;
  readonly sources: readonly string[];
}

export const program: Built = { stamp: 'dist/build.stamp', sources: PROGRAM };
export const webApp: Built = { stamp: 'web/dist/build.stamp', sources: WEB };

/** Whether something was built from the present sources. */
export function isBuilt(root: string, { stamp, sources }: Built): boolean {
  const file = join(root, stamp);
  return existsSync(file) && readFileSync(file, 'utf8') === digestOf(root, sources);
}

/**
 * Returns a hex digest of the names and contents of files, given as patterns relative to `root`; tests do not count.
 */
export function digestOf(root: string, patterns: readonly string[]): string {
  const hash = createHash('sha256');
  for (const name of globSync(patterns, { cwd: root }).sort()) {
    const path = join(root, name);
    if (!statSync(path).isFile() || name.endsWith('.test.ts')) continue;
    hash.update(`${name}\0`).update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}
