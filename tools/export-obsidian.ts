import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { importsOf, isTest, resolveImport } from './check/sources.ts';
import { run } from './npm-pack.ts';

/*
 * npm run export:obsidian -- DIR
 *
 * Writes the repository from which the store of Obsidian builds the plugin: its sources, those of the packages that it
 * uses, its own tools with their lockfile, and what the store reads. The folder may be a clone of an earlier export:
 * what it has is replaced, but for `.git`. Run it again after a package of the plugin has another version: it brings
 * the lockfile in `clients/obsidian/export` up to date.
 */

const root = join(import.meta.dirname, '..');
const PLUGIN = 'clients/obsidian';
/** Files that are the same in the export, beside those that are made. */
const GIVEN = join(root, PLUGIN, 'export');
const LOCK = 'package-lock.json';
const LICENCES = 'THIRD-PARTY-LICENSES.txt';
/** Tools of the build, which have the version that they have here. */
const BUILD_TOOLS = ['obsidian', 'rolldown'];

type Versions = Record<string, string>;
interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly description: string;
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
}

/** Writes the repository of the plugin into a folder. */
export function exportPlugin(folder: string): void {
  clear(folder);
  const sources = reached(pluginSources());
  for (const path of sources) copy(path, join(folder, exportedPath(path)));
  const packages = new Set(
    sources.filter((path) => path.startsWith('packages/')).map((path) => path.split('/')[1] ?? ''),
  );
  for (const name of [...packages].sort()) writePackage(folder, name, sources);
  writeManifests(folder, sources);
  for (const name of readdirSync(GIVEN)) {
    if (!['package.json', 'gitignore'].includes(name)) copy(`${PLUGIN}/export/${name}`, join(folder, name));
  }
  copy(`${PLUGIN}/export/gitignore`, join(folder, '.gitignore'));
  for (const name of ['build.mjs', 'manifest.json', 'styles.css']) {
    if (existsSync(join(root, PLUGIN, name))) copy(`${PLUGIN}/${name}`, join(folder, name));
  }
  copy('LICENSE', join(folder, 'LICENSE'));
  writeLicences(folder);
  fitLock(folder);
}

function clear(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (name !== '.git') rmSync(join(folder, name), { recursive: true });
}

function copy(path: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(join(root, path), to);
}

function pluginSources(): string[] {
  const paths = globSync(`${PLUGIN}/src/**/*.ts`, { cwd: root });
  return paths.filter((path) => !isTest(path)).sort();
}

/** The files, and all that they import, also for their types. */
function reached(paths: readonly string[]): string[] {
  const found = new Set<string>();
  const follow = (path: string) => {
    if (found.has(path)) return;
    found.add(path);
    for (const target of importedBy(path).map((specifier) => resolveImport(path, specifier))) {
      if (target !== null) follow(target);
    }
  };
  for (const path of paths) follow(path);
  return [...found].sort();
}

function importedBy(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  return importsOf({ path, text }).map(({ specifier }) => specifier);
}

/** The shell is the root of the export; packages keep their places. */
function exportedPath(path: string): string {
  return path.startsWith(`${PLUGIN}/`) ? path.slice(PLUGIN.length + 1) : path;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
}

/** Returns the packages from the registry that some files import, with the versions that their workspace names. */
function versionsIn(folder: string, paths: readonly string[]): Versions {
  const { dependencies, devDependencies } = manifestOf(folder);
  const known: Versions = { ...devDependencies, ...dependencies };
  const specifiers = paths.flatMap(importedBy).filter((name) => !/^[./]|^@notevault\//.test(name));
  const names = new Set(specifiers.map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/')));
  return Object.fromEntries(
    [...names].sort().map((name) => {
      const version = known[name];
      if (version === undefined) throw new Error(`${folder}/package.json does not list ${name}.`);
      return [name, version];
    }),
  );
}

function writePackage(folder: string, name: string, sources: readonly string[]): void {
  const from = `packages/${name}`;
  const { version, license } = manifestOf(from);
  const dependencies = versionsIn(
    from,
    sources.filter((path) => path.startsWith(`${from}/`)),
  );
  const exports = { './*.ts': './src/*.ts' };
  writeJson(join(folder, from, 'package.json'), {
    ...{ name: `@notevault/${name}`, version, private: true, license, type: 'module', exports },
    ...(Object.keys(dependencies).length > 0 && { dependencies }),
  });
}

/** Writes the root's package.json, and says which versions of the app a version of the plugin needs. */
function writeManifests(folder: string, sources: readonly string[]): void {
  const { devDependencies: tools } = JSON.parse(readFileSync(join(GIVEN, 'package.json'), 'utf8')) as Manifest;
  const known: Versions = { ...manifestOf('.').devDependencies, ...manifestOf(PLUGIN).devDependencies };
  const build = Object.fromEntries(BUILD_TOOLS.map((name) => [name, known[name]]));
  const own = versionsIn(
    PLUGIN,
    sources.filter((path) => path.startsWith(`${PLUGIN}/`)),
  );
  const { version, minAppVersion, description } = JSON.parse(
    readFileSync(join(root, PLUGIN, 'manifest.json'), 'utf8'),
  ) as Record<string, string>;
  const versions = JSON.parse(readFileSync(join(GIVEN, 'versions.json'), 'utf8')) as Versions;
  if (version === undefined || versions[version] !== minAppVersion) {
    throw new Error(`${PLUGIN}/export/versions.json does not say that ${version} needs ${minAppVersion}.`);
  }
  writeJson(join(folder, 'package.json'), {
    ...{ name: 'notevault-obsidian', version, private: true, description, license: manifestOf('.').license },
    type: 'module',
    workspaces: ['packages/*'],
    scripts: { build: 'node build.mjs .', check: 'tsc', lint: 'eslint .' },
    devDependencies: sorted({ ...own, ...build, ...tools }),
  });
}

/** Writes the licences of the packages in the plugin, which its build makes again. */
function writeLicences(folder: string): void {
  const built = mkdtempSync(join(tmpdir(), 'notevault-obsidian-'));
  try {
    run(process.execPath, [join(root, PLUGIN, 'build.mjs'), built], root);
    cpSync(join(built, LICENCES), join(folder, LICENCES));
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
}

function sorted(versions: Readonly<Record<string, string | undefined>>): object {
  return Object.fromEntries(Object.entries(versions).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function writeJson(path: string, value: object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Lets npm update the lockfile to the current dependencies, keeping locked versions, and stores it if it changed. */
function fitLock(folder: string): void {
  run(
    'npm',
    ['install', '--package-lock-only', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'],
    folder,
  );
  const [made, kept] = [join(folder, LOCK), join(GIVEN, LOCK)];
  if (existsSync(kept) && readFileSync(kept, 'utf8') === readFileSync(made, 'utf8')) return;
  cpSync(made, kept);
  process.stdout.write(`${PLUGIN}/export/${LOCK} has changed: commit it.\n`);
}

if (import.meta.main) {
  const folder = process.argv[2];
  if (folder === undefined) {
    process.stderr.write('usage: npm run export:obsidian -- DIR\n');
    process.exitCode = 2;
  } else exportPlugin(resolve(folder));
}
