import { join } from 'node:path';
import type { Rolldown } from 'vite';

/**
 * What is loaded together, by the modules that are imported for it. Left to itself, the build makes a file for each set of
 * pages that share a module: 130 for the first note, each requested and compressed by itself.
 */
const TOGETHER: Readonly<Record<string, readonly string[]>> = {
  'signed-in': ['app/signed-in.tsx', 'pages/vault/vault-page.tsx'],
  editor: ['pages/note/note-editor.tsx', 'editor/index.ts'],
};
/** What the grammar of markdown imports for HTML in notes and the app does not use: it is left out where it is in a file of its own. */
const UNUSED = /[\\/]@(lezer|codemirror)[\\/](lang-)?(html|css|javascript)[\\/]/;

type ImportsOf = (id: string) => readonly string[];

/** A group for each of them, with the modules that nothing needs before it. */
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

/** What the roots import, without what is reached from the entries on other ways. */
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
