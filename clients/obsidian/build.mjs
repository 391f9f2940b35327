import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/*
 * node build.mjs [folder]
 *
 * Builds the plugin into `dist`, or another folder: one CommonJS module as the app loads it, beside its manifest, its
 * styles and the licences of the packages in it. The same sources and packages give the same bytes on every machine.
 */

const here = fileURLToPath(new URL('.', import.meta.url));
/** The largest module that the plugin may be: phones compile it at each start. */
const MOST_BYTES = 450_000;
/** Its licences, beside the plugin's own. */
export const LICENCES = 'THIRD-PARTY-LICENSES.txt';
/** Modules that the app provides to its plugins. */
const EXTERNAL = ['obsidian', /^@codemirror\//];

/** Builds the plugin into a folder. Throws if it is too large, or has something twice. */
export async function buildPlugin(folder) {
  const build = await rolldown({
    input: join(here, 'src/main.ts'),
    platform: 'browser',
    // The oldest engine that runs it: iOS 16.4.
    transform: { target: 'safari16.4' },
    external: EXTERNAL,
    onLog(level, log, report) {
      if (level === 'warn') throw new Error(`the plugin: ${log.message}`);
      report(level, log);
    },
  });
  const { output } = await build.generate({
    format: 'cjs',
    exports: 'default',
    codeSplitting: false,
    minify: true,
    comments: false,
  });
  await build.close();
  const [main, ...others] = output;
  if (others.length > 0) throw new Error(`the plugin is one file, but the build made ${others[0].fileName} too`);
  requireOne(main.moduleIds, 'yjs');
  requireOne(main.moduleIds, 'lib0');
  const bytes = Buffer.byteLength(main.code);
  if (bytes > MOST_BYTES) throw new Error(`main.js has ${bytes} bytes; it may have ${MOST_BYTES}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'main.js'), main.code);
  writeFileSync(join(folder, LICENCES), licencesOf(main.moduleIds));
  for (const name of ['manifest.json', 'styles.css']) writeFileSync(join(folder, name), readFileSync(join(here, name)));
  return { bytes, modules: main.moduleIds };
}

/** The licences of the packages from the registry that modules belong to. Throws for one that has none. */
export function licencesOf(modules) {
  const folders = new Map();
  for (const id of modules) {
    const [folder, name] = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id.replaceAll('\\', '/')) ?? [];
    if (folder !== undefined) folders.set(name, folder);
  }
  const texts = [...folders]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, folder]) => {
      const files = readdirSync(folder)
        .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
        .sort();
      if (files.length === 0) throw new Error(`${name} is in main.js, and its package has no licence to go with it`);
      const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      return [`${name} ${version}`, ...files.map((file) => readFileSync(join(folder, file), 'utf8').trim())].join(
        '\n\n',
      );
    });
  return `main.js has parts of these packages.\n\n${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** Two copies of such a package do not know each other's classes: what one made, the other takes for foreign. */
function requireOne(modules, name) {
  const copies = new Set(modules.flatMap((id) => new RegExp(`^.*node_modules/${name}/`).exec(id)?.[0] ?? []));
  if (copies.size > 1) throw new Error(`${name} is there more than once: ${[...copies].join(', ')}`);
  // A CommonJS and an ES module of one package are two copies too.
  const kinds = new Set(
    modules.filter((id) => id.includes(`node_modules/${name}/`)).map((id) => (id.endsWith('.cjs') ? 'cjs' : 'esm')),
  );
  if (kinds.size > 1) throw new Error(`${name} is there as CommonJS and as ES modules`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? join(here, 'dist');
  const { bytes } = await buildPlugin(folder);
  console.log(`${relative(process.cwd(), join(folder, 'main.js'))} has ${bytes} bytes.`);
}
