import { join } from 'node:path';
import type { Rolldown } from 'vite';

/**
 * Modules that are bundled into one chunk, by their entry modules. By default the build makes a chunk for each set of
 * pages that share a module: 130 for the first note, each requested and compressed separately.
 */
const TOGETHER: Readonly<Record<string, readonly string[]>> = {
  'signed-in': ['app/signed-in.tsx', 'pages/vault/vault-page.tsx'],
  editor: ['pages/note/note-editor.tsx', 'editor/index.ts'],
};
/**
 * HTML modules that the markdown grammar imports but the app does not use; they are left out if they are in files of
 * their own.
 */
const UNUSED = /[\\/]@(lezer|codemirror)[\\/](lang-)?(html|css|javascript)[\\/]/;

type ImportsOf = (id: string) => readonly string[];

/** Returns a group for each of them, with the modules that nothing needs before it. */
export function chunksTogether(root: string, entries: readonly string[]): Rolldown.CodeSplittingGroup[] {
  return Object.entries(TOGETHER).map(([name, modules]) => {
    const roots = modules.map((module) => join(root, 'web/src', module));
    let own: ReadonlySet<string> | undefined;
    return {
      debugName: name,
      test: (id) => !UNUSED.test(id),
      // What they import is among them, or needed before.
      includeDependenciesRecursively: false,
      name: (id, graph) => {
        own ??= onlyBy(
          roots,
          entries,
          (one) => graph.getModuleInfo(one)?.importedIds ?? [],
          (one) => graph.getModuleInfo(one)?.dynamicallyImportedIds ?? [],
        );
        return own.has(id) ? name : null;
      },
    };
  });
}

/** Returns the modules that only the roots import, not the entries in other ways. */
function onlyBy(roots: readonly string[], entries: readonly string[], imports: ImportsOf, later: ImportsOf) {
  const others = reached(entries, (id) => [...imports(id), ...later(id)].filter((one) => !roots.includes(one)));
  return reached(roots, imports).difference(others);
}

function reached(from: readonly string[], next: ImportsOf): Set<string> {
  const all = new Set(from);
  // The loop also comes to what is added in it.
  for (const id of all) for (const one of next(id)) all.add(one);
  return all;
}
