import { mkdirSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { licencesOf } from './licences.ts';

/** The programs: the command, and the scripts of its threads. The others import nothing of each other at run time. */
const ENTRIES = [
  'cli/src/main.ts',
  'server/src/compute-thread.ts',
  'server/src/search-thread.ts',
  'server/src/ports/database/sqlite/check-worker.ts',
  'server/src/ports/database/sqlite/checkpoint-worker.ts',
  'server/src/ports/embedder/embedder-worker.ts',
];
/**
 * Packages that stay packages: those with native code or optional parts, and large ones that few need and that are
 * imported when they are used.
 */
const TELEMETRY = /^@opentelemetry\//;
/** The metrics import the API of this project, so that it is in the executable. */
const OPTIONAL_TELEMETRY = /^@opentelemetry\/(?!api$)/;
const EXTERNAL = [
  /^node:/,
  /^@aws-sdk\//,
  TELEMETRY,
  '@huggingface/tokenizers',
  '@napi-rs/keyring',
  'bufferutil',
  'oidc-provider',
  'onnxruntime-web',
  'pg-native',
  'utf-8-validate',
];
const FOLDER = 'bundle';
/** The script of a thread, which is loaded by its address. */
const SCRIPT_URL = /(new URL\(\s*)(["'])(\.{1,2}\/[^"'\n]+)\.ts\2(\s*,\s*import\.meta\.url)/g;

/**
 * Puts the program of the sources at `root` into a few files in `dist/bundle`, with a script in the place of each entry
 * that imports its file. Loading 2,500 modules takes longer than all the rest of a start, and each keeps some memory.
 * Returns the packages that the program imports when it runs.
 */
export async function bundle(root: string, dist: string): Promise<string[]> {
  const address = (path: string) => `new URL(${JSON.stringify(`../${path}`)}, import.meta.url).href`;
  const chunks = await chunksOf(root, 'esm', EXTERNAL, address);
  mkdirSync(join(dist, FOLDER), { recursive: true });
  for (const { fileName, code } of chunks) writeFileSync(join(dist, FOLDER, fileName), inAscii(code, fileName));
  writeFileSync(join(dist, FOLDER, 'LICENSES.txt'), licencesOf(chunks.flatMap(({ moduleIds }) => moduleIds)));
  for (const path of ENTRIES) {
    const target = relative(dirname(path), join(FOLDER, `${nameOf(path)}.js`)).replaceAll(sep, '/');
    mkdirSync(join(dist, dirname(path)), { recursive: true });
    writeFileSync(join(dist, compiledName(path)), `import '${target}';\n`);
  }
  return importsOf(chunks);
}

/**
 * Puts the program into scripts in `folder` for the executable, which has no modules, with more packages in them. Each is a
 * function of what a module of CommonJS gets. Returns the names of the files.
 */
export async function bundleScripts(root: string, folder: string): Promise<string[]> {
  const external = EXTERNAL.filter((each) => each !== 'oidc-provider' && String(each) !== String(TELEMETRY));
  // Only its parts matter: there is no such file.
  const address = (path: string) => JSON.stringify(`file:///notevault/${path}`);
  const chunks = await chunksOf(root, 'cjs', [...external, OPTIONAL_TELEMETRY], address);
  mkdirSync(folder, { recursive: true });
  for (const { fileName, code } of chunks) {
    const script = `(function (exports, require, module, __filename, __dirname) {${inAscii(code, fileName)}\n})`;
    writeFileSync(join(folder, fileName), script);
  }
  return chunks.map(({ fileName }) => fileName);
}

async function chunksOf(
  root: string,
  format: 'cjs' | 'esm',
  external: (string | RegExp)[],
  addressOf: (path: string) => string,
): Promise<OutputChunk[]> {
  const build = await rolldown({
    input: Object.fromEntries(ENTRIES.map((path) => [nameOf(path), join(root, path)])),
    platform: 'node',
    external,
    plugins: [placesIn(root, addressOf)],
    onLog(level, log, report) {
      const isOurs = log.id?.includes('node_modules') !== true;
      if (level === 'warn' && isOurs) throw new Error(`the bundle: ${log.message}`);
      if (level !== 'warn') report(level, log);
    },
  });
  const { output } = await build.generate({
    format,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    // Names stay, for the stacks in the log.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  return output.filter((file) => file.type === 'chunk');
}

/** Returns the packages that the chunks import, at once or when they are used. */
function importsOf(chunks: readonly OutputChunk[]): string[] {
  const files = new Set(chunks.map(({ fileName }) => fileName));
  const specifiers = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
  const names = specifiers.filter((each) => !files.has(each) && !isBuiltin(each)).map((each) => packageOf(each));
  return [...new Set(names)].sort();
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function nameOf(entry: string): string {
  return /([^/]+)\.ts$/.exec(entry)?.[1] ?? entry;
}

function compiledName(path: string): string {
  return path.replace(/\.ts$/, '.js');
}

/** Keeps modules at their paths in the tree, because they find adjacent files and thread scripts by relative path. */
function placesIn(root: string, addressOf: (path: string) => string): Plugin {
  return {
    name: 'places',
    transform(code, id) {
      if (!code.includes('import.meta.url') || !id.startsWith(root) || id.includes('node_modules')) return null;
      const address = addressOf(compiledName(relative(root, id)).replaceAll(sep, '/'));
      const placed = code.replace(SCRIPT_URL, '$1$2$3.js$2$4').replaceAll('import.meta.url', address);
      return { code: placed, map: null };
    },
  };
}

/**
 * Escapes the characters beyond ASCII. V8 keeps the text of each file, with two bytes for every character once a single
 * one needs them.
 */
export function inAscii(code: string, fileName: string): string {
  const unsafe = /(?<!\\)(?:\\\\)*\\[^\0-\x7f]|String\.raw`[^`]*[^\0-\x7f]/.exec(code);
  if (unsafe !== null) throw new Error(`${fileName} has text whose meaning an escape would change: ${unsafe[0]}`);
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
