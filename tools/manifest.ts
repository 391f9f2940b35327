import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: Versions;
  readonly dependencies?: Versions;
  readonly peerDependencies?: Versions;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** Packages of parts that work without them, or say that they are missing: S3, traces, and the keychain of the system. */
const OPTIONAL = /^@(aws-sdk|napi-rs|opentelemetry)\/(?!api$)/;

/**
 * Returns the package.json of the published command, which needs only the packages that its bundled program imports.
 */
export function manifestOfProgram(root: string, imported: readonly string[], bin: string) {
  const { version, description, license, engines } = read(root, 'package.json');
  const { peerDependencies, peerDependenciesMeta } = read(root, 'server/package.json');
  const needed = imported.filter((name) => peerDependencies?.[name] === undefined);
  return {
    name: 'notevault',
    version,
    description,
    license,
    type: 'module',
    bin: { notevault: bin },
    engines,
    dependencies: versionsOf(
      root,
      needed.filter((name) => !OPTIONAL.test(name)),
    ),
    optionalDependencies: versionsOf(
      root,
      needed.filter((name) => OPTIONAL.test(name)),
    ),
    peerDependencies,
    peerDependenciesMeta,
  };
}

/**
 * Returns the versions of packages, as the workspaces that run name them. Throws for a package that none of them lists.
 */
export function versionsOf(root: string, names: readonly string[]): Versions {
  const paths = globSync(['packages/*/package.json', '{server,cli}/package.json'], { cwd: root });
  const known: Versions = Object.assign({}, ...paths.map((path) => read(root, path).dependencies));
  return Object.fromEntries(
    names.map((name) => {
      const version = known[name];
      if (version === undefined) throw new Error(`No workspace lists ${name}, which the program imports.`);
      return [name, version];
    }),
  );
}

function read(root: string, path: string): Manifest {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest;
}
