import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const PROGRAM = [
  'packages/*/src/**',
  'server/src/**',
  'cli/src/**',
  'package-lock.json',
  'tools/{build,bundle,licences}.ts',
];

/** Where the digest of the sources is kept that dist/ was built from. */
export function stampOf(root: string): string {
  return join(root, 'dist/build.stamp');
}

/** Returns a digest of what the program in dist/ is made of. */
export function digestOfProgram(root: string): string {
  return digestOf(root, PROGRAM);
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
