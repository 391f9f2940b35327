import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { importsOf } from './check/sources.ts';
import { builtCommit } from './commit.ts';
import { versionsOf } from './manifest.ts';
import { npmPack, run } from './npm-pack.ts';
import { publishable } from './published.ts';

/*
 * node tools/pack-client.ts [folder]
 *
 * Packs packages/client, with the part of packages/protocol that it uses, into notevault-client-<version>.tgz, which
 * stands alone: compiled modules with their types, for Node and browsers. The folder is the current one by default.
 */

const root = join(import.meta.dirname, '..');
const built = mkdtempSync(join(tmpdir(), 'notevault-client-'));

try {
  compile();
  prune();
  describe();
  cpSync(join(root, 'LICENSE'), join(built, 'LICENSE'));
  cpSync(join(root, 'packages/client/README.md'), join(built, 'README.md'));
  npmPack(built, process.argv[2] ?? process.cwd());
} finally {
  rmSync(built, { recursive: true, force: true });
}

/** Compiles the client and the packages that it may use. */
function compile(): void {
  const config = join(built, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    noEmitOnError: true,
    declaration: true,
    outDir: built,
    rootDir: root,
    // The modules of browsers, so that what only Node has is an error.
    lib: ['esnext', 'dom'],
    types: [],
  };
  const include = ['client', 'protocol'].map((name) => join(root, 'packages', name, 'src'));
  const exclude = [join(root, 'packages/**/*.test.ts')];
  writeFileSync(config, JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include, exclude }));
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', config], root);
  rmSync(config);
  for (const path of globSync('packages/**/*.{js,ts}', { cwd: built })) {
    const file = join(built, path);
    const code = readFileSync(file, 'utf8');
    const compiled = path.endsWith('.d.ts') ? code.replace(/(["'])(\.{1,2}\/[^"'\n]+)\.ts\1/g, '$1$2.js$1') : code;
    writeFileSync(file, publishable(path, compiled));
  }
}

/** Removes modules that the client does not import, neither their code nor their types. */
function prune(): void {
  const reached = new Set<string>();
  const follow = (stem: string) => {
    if (reached.has(stem)) return;
    reached.add(stem);
    const specifiers = [`${stem}.js`, `${stem}.d.ts`].flatMap(specifiersOf);
    for (const specifier of specifiers) {
      if (specifier.startsWith('.')) follow(join(dirname(stem), specifier.replace(/\.js$/, '')));
    }
  };
  const stems = globSync('packages/**/*.js', { cwd: built }).map((path) => path.replace(/\.js$/, ''));
  for (const stem of stems) if (stem.startsWith('packages/client/')) follow(stem);
  for (const stem of stems) {
    if (reached.has(stem)) continue;
    for (const end of ['js', 'd.ts']) rmSync(join(built, `${stem}.${end}`));
  }
}

/** Returns what a compiled module imports; the compiler writes double quotes where the sources have none. */
function specifiersOf(path: string): string[] {
  const text = readFileSync(join(built, path), 'utf8').replaceAll('"', "'");
  return importsOf({ path, text }).map(({ specifier }) => specifier);
}

/** Writes the package's description, with the packages that the compiled modules import. */
function describe(): void {
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string;
    license: string;
  };
  const imported = globSync('packages/**/*.{js,d.ts}', { cwd: built })
    .flatMap(specifiersOf)
    // The types of live notes name those of y-protocols, which comes with the provider.
    .filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('y-protocols/'))
    .map((specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'));
  const manifest = {
    name: 'notevault-client',
    version,
    commit: builtCommit(),
    license,
    type: 'module',
    description: 'The API of Notevault for Node and browsers: requests, tokens, the change feed, live notes.',
    exports: { './*': { types: './packages/client/src/*.d.ts', default: './packages/client/src/*.js' } },
    sideEffects: false,
    dependencies: versionsOf(root, [...new Set(imported)].sort()),
  };
  writeFileSync(join(built, 'package.json'), JSON.stringify(manifest, null, 2));
}
