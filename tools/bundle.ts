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
const EXTERNAL = [
  /^node:/,
  /^@aws-sdk\//,
  /^@opentelemetry\//,
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
  const build = await rolldown({
    input: Object.fromEntries(ENTRIES.map((path) => [nameOf(path), join(root, path)])),
    platform: 'node',
    external: EXTERNAL,
    plugins: [placesIn(root)],
    onLog(level, log, report) {
      if (level === 'warn') throw new Error(`the bundle: ${log.message}`);
      report(level, log);
    },
  });
  const { output } = await build.write({
    dir: join(dist, FOLDER),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    // Names stay, for the stacks in the log.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  const chunks = output.filter((file) => file.type === 'chunk');
  for (const { fileName, code } of chunks) writeFileSync(join(dist, FOLDER, fileName), inAscii(code, fileName));
  writeFileSync(join(dist, FOLDER, 'LICENSES.txt'), licencesOf(chunks.flatMap(({ moduleIds }) => moduleIds)));
  for (const path of ENTRIES) {
    const target = relative(dirname(path), join(FOLDER, `${nameOf(path)}.js`)).replaceAll(sep, '/');
    mkdirSync(join(dist, dirname(path)), { recursive: true });
    writeFileSync(join(dist, compiledName(path)), `import '${target}';\n`);
  }
  return importsOf(chunks);
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

/** Modules keep their place in the tree, by which they find files beside them and the scripts of threads. */
function placesIn(root: string): Plugin {
  return {
    name: 'places',
    transform(code, id) {
      if (!code.includes('import.meta.url') || !id.startsWith(root) || id.includes('node_modules')) return null;
      const place = JSON.stringify(`../${compiledName(relative(root, id)).replaceAll(sep, '/')}`);
      const placed = code
        .replace(SCRIPT_URL, '$1$2$3.js$2$4')
        .replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`);
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
