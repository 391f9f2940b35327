import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder with published vaults beside the repository; set by `npm run test:vaults`. */
export function realVaults(): string {
  const folder = process.env.TEST_VAULTS;
  if (folder === undefined) throw new Error('run this by npm run test:vaults, or set TEST_VAULTS');
  return folder;
}

/** The notes of one vault, or of all with an empty name: path → text, ordered by path. */
export function realNotes(name: string): Map<string, string> {
  const cwd = join(realVaults(), name);
  const paths = globSync('**/*.md', { cwd }).sort();
  if (paths.length === 0) throw new Error(`no notes in ${cwd}`);
  return new Map(paths.map((path) => [path, readFileSync(join(cwd, path), 'utf8')]));
}
