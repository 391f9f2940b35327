import { execFileSync } from 'node:child_process';
import { dirname, join, normalize } from 'node:path/posix';
import { importsOf, resolveImport, type Source } from './check/sources.ts';

/** Source files named in strings: threads, processes and entry points of bundles. */
const NAMED = /'([^'\n]+\.tsx?)'/g;

/** Returns the files that differ from a commit of git, and those that git does not know yet, as paths from the root. */
export function changedSince(root: string, commit: string): string[] {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n');
  const changed = [...git('diff', '--name-only', commit), ...git('ls-files', '--others', '--exclude-standard')];
  return changed.filter((path) => path !== '');
}

/**
 * Returns the sources that are among `changed`, import one of these, or name one in a string, at any distance. So a test
 * that starts the command depends on all of cli and server.
 */
export function dependentsOf(changed: readonly string[], sources: readonly Source[]): Set<string> {
  const known = new Set(sources.map(({ path }) => path));
  const importers = new Map<string, string[]>();
  for (const source of sources) {
    for (const path of namedBy(source)) {
      if (known.has(path)) importers.set(path, [...(importers.get(path) ?? []), source.path]);
    }
  }
  const found = new Set(changed);
  // A set is walked in the order in which it grows.
  for (const path of found) for (const importer of importers.get(path) ?? []) found.add(importer);
  return found;
}

function namedBy(source: Source): string[] {
  const imported = importsOf(source).flatMap(({ specifier }) => resolveImport(source.path, specifier) ?? []);
  const named = [...source.text.matchAll(NAMED)].flatMap(([, name = '']) => [
    normalize(join(dirname(source.path), name)),
    normalize(name),
  ]);
  return [...new Set([...imported, ...named])];
}
