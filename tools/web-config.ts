import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { InlineConfig, Plugin, Rolldown } from 'vite';
import type { Chunk } from './check/web-budget.ts';
import { licencesOf } from './licences.ts';
import { chunksTogether } from './web-chunks.ts';
import { mermaid } from './web-mermaid.ts';

/** Returns Vite's configuration for building and serving the web app of the repository at `root`. */
export function webConfig(root: string): InlineConfig {
  return {
    root: join(root, 'web'),
    // The build runs below any path: scripts and styles load others relative to themselves.
    base: './',
    configFile: false,
    logLevel: 'warn',
    publicDir: 'public',
    plugins: [mermaid(), fencedMarkdown(root), listChunks(root), absoluteInPages()],
    css: { modules: { generateScopedName: '[name]-[local]-[hash:4]' } },
    build: {
      outDir: 'dist',
      target: 'es2023',
      // For light-dark(), which an older target would have replaced.
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      // The policy of the page allows data: for pictures only.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // The check has limits of its own, for what each step loads.
      chunkSizeWarningLimit: 2048,
      rolldownOptions: {
        input: inputs(root),
        // A worker answers what is below its own address, and is found again by it.
        output: {
          entryFileNames: ({ name }) => (name === WORKER ? '[name].js' : 'assets/[name]-[hash].js'),
          // What the page loads at once is one file: smaller, and sooner there, than the twenty of automatic splitting.
          codeSplitting: {
            groups: [
              { name: 'preload-helper', test: /preload-helper/, priority: 1 },
              { name: 'start', tags: ['$initial'], test: isOfApp },
              ...chunksTogether(root, Object.values(inputs(root))),
            ],
          },
        },
        onLog(level, log, report) {
          // "use client" is for servers that render, which this app has none of.
          if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
        },
      },
    },
  };
}

const WORKER = 'app-worker';

/**
 * Returns whether a module may be in the file of the start: frames and the worker load what they import, and no more.
 */
function isOfApp(id: string): boolean {
  return !/mermaid|[\\/](frames|worker)[\\/]|preload-helper|rolldown[\\/]runtime/.test(id);
}

function inputs(root: string): Record<string, string> {
  const frames = globSync('web/frames/*.html', { cwd: root }).map((page) => [
    page.replaceAll('/', '-'),
    join(root, page),
  ]);
  const worker = join(root, `web/worker/${WORKER}.ts`);
  return { index: join(root, 'web/index.html'), [WORKER]: worker, ...Object.fromEntries(frames) };
}

/**
 * Gives markdown in fences the language of notes. The package that names all languages would load the standard one, and
 * with it, for every note, the grammars of HTML, CSS and JavaScript.
 */
function fencedMarkdown(root: string): Plugin {
  return {
    name: 'fenced-markdown',
    enforce: 'pre',
    resolveId(source, importer) {
      const isFenced = source === '@codemirror/lang-markdown' && importer?.includes('@codemirror/language-data');
      return isFenced === true ? join(root, 'web/src/editor/syntax/fenced-markdown.ts') : null;
    },
  };
}

/** Names files absolutely in pages, whose own addresses have any depth; the server puts a public path before them. */
function absoluteInPages(): Plugin {
  return {
    name: 'absolute-in-pages',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (page) => page.replaceAll(/ (href|src)="(?:\.\.?\/)+/g, ' $1="/'),
    },
  };
}

/** Writes which modules are in which chunk, for the budget, which the server does not serve, and their licences, which it does. */
function listChunks(root: string): Plugin {
  return {
    name: 'list-chunks',
    generateBundle(_options, bundle) {
      const chunks: Chunk[] = Object.values(bundle).flatMap((output) => {
        if (output.type !== 'chunk') return [];
        const { fileName, facadeModuleId, imports, moduleIds } = output;
        const modules = moduleIds.map((id) => nameOf(root, id));
        return [{ fileName, module: facadeModuleId === null ? null : nameOf(root, facadeModuleId), imports, modules }];
      });
      this.emitFile({ type: 'asset', fileName: 'build.chunks', source: JSON.stringify(chunks) });
      const modules = Object.values(bundle).flatMap((output) => (output.type === 'chunk' ? output.moduleIds : []));
      const fonts = readFileSync(join(root, 'web/fonts/LICENSE'), 'utf8');
      this.emitFile({ type: 'asset', fileName: 'LICENSES.txt', source: `${licencesOf(modules)}\n${fonts}` });
      this.emitFile({ type: 'asset', fileName: 'app-files.json', source: JSON.stringify(filesOfApp(bundle)) });
    },
  };
}

/** Returns the addresses, relative to that of the app, of what the page loads, at once or later; not of what frames load. The worker keeps them. */
function filesOfApp(bundle: Rolldown.OutputBundle): string[] {
  const names = new Set<string>();
  const add = (name: string) => {
    const file = bundle[name];
    if (file === undefined || names.has(name)) return;
    names.add(name);
    if (file.type !== 'chunk') return;
    const { importedCss = [], importedAssets = [] } = file.viteMetadata ?? {};
    for (const one of [...file.imports, ...file.dynamicImports, ...importedCss, ...importedAssets]) add(one);
  };
  // The script of the page itself has nothing of its own, so that it is left out in the end.
  const page = Object.values(bundle).find((file) => file.type === 'chunk' && file.isEntry && file.name === 'index');
  if (page?.type === 'chunk')
    for (const name of [...page.imports, ...(page.viteMetadata?.importedCss ?? [])]) add(name);
  // Browsers that run the app take the first format of a font.
  return [...names].filter((name) => !/\.(woff|ttf)$/.test(name));
}

/** Returns the path of a module from the root, or of a package behind the last node_modules. */
function nameOf(root: string, id: string): string {
  const path = id.replace(/^\0/, '').split('?', 1)[0] ?? '';
  const inPackages = path.lastIndexOf('/node_modules/');
  return inPackages < 0 ? relative(root, path) : path.slice(inPackages + '/node_modules/'.length);
}
