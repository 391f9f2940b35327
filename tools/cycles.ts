import { type Finding, importsOf, resolveImport, type Source } from './sources.ts';

/** Import cycles over all workspaces, types included: what imports itself in a circle cannot be read in any order. */
export function checkCycles(sources: readonly Source[]): Finding[] {
  const graph = new Map(
    sources.map((source) => [
      source.path,
      importsOf(source).flatMap(({ specifier, line }) => {
        const target = resolveImport(source.path, specifier);
        return target === null ? [] : [{ target, line }];
      }),
    ]),
  );
  const findings: Finding[] = [];
  const done = new Set<string>();
  const trail: string[] = [];

  function visit(path: string): void {
    trail.push(path);
    for (const { target, line } of graph.get(path) ?? []) {
      const start = trail.indexOf(target);
      if (start >= 0) {
        const circle = [...trail.slice(start), target].join(' → ');
        findings.push({
          path,
          line,
          rule: 'cycle',
          message: `imports itself in a circle: ${circle}. Cut one of them.`,
        });
      } else if (!done.has(target)) visit(target);
    }
    trail.pop();
    done.add(path);
  }

  for (const path of graph.keys()) if (!done.has(path)) visit(path);
  return findings;
}
