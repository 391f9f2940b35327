import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isExecutable, programPath, readProgramText } from './program/program.ts';

const manifest = JSON.parse(readProgramText(programPath('package.json'))) as {
  readonly version: string;
  /** The commit that the published package was built from. */
  readonly commit?: string;
};

/** The published version: of the repository, and of the package that is built from it. */
export const { version } = manifest;

/** The version, followed by the commit if it is known: `0.3.0-dev (1b2c3d4e)`. In the repository this runs git. */
export function versionWithCommit(): string {
  const commit = manifest.commit ?? (isExecutable ? null : commitOf(programPath('')));
  return commit === null ? version : `${version} (${commit})`;
}

/** The commit of a repository, ending in `-dirty` if tracked files differ from it; null without a repository or git. */
export function commitOf(repository: string): string | null {
  // Git would look for a repository in the folders above.
  if (!existsSync(join(repository, '.git'))) return null;
  const args = ['describe', '--always', '--dirty', '--exclude=*', '--abbrev=8'];
  try {
    return execFileSync('git', args, { cwd: repository, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return null;
  }
}
