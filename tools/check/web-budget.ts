import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from './sources.ts';

/** A script that the build wrote. */
export interface Chunk {
  readonly fileName: string;
  /** The module for which the chunk was made, from the root; null for a shared one. */
  readonly module: string | null;
  /** Chunks that must be loaded before it. */
  readonly imports: readonly string[];
  /** The modules in it: paths from the root, or names within node_modules. */
  readonly modules: readonly string[];
}

/** Maximum download of a step of using the app, in addition to earlier steps. */
export interface Step {
  readonly name: string;
  /** The modules that the step imports. */
  readonly modules: readonly string[];
  readonly limitKiB: number;
  /** Beginnings of modules that must come later. */
  readonly forbidden: readonly string[];
}

const EDITOR = ['@codemirror/', '@lezer/', 'y-codemirror.next/', 'web/src/editor/'];
const LIVE = ['yjs/', '@hocuspocus/', 'lib0/', 'y-protocols/'];
const LATER = ['sigma/', 'graphology', 'katex/', 'mermaid@', 'pdfjs-dist/', 'dompurify/', '@replit/'];

/**
 * The limits of the web app, for gzip: for the first page, until a vault is shown with its list, and until a note can be edited.
 * They add up to the 450 KiB that are promised. What follows changes elsewhere is loaded after the list is there.
 */
export const STEPS: readonly Step[] = [
  {
    name: 'the page itself',
    modules: ['web/index.html'],
    limitKiB: 88.2,
    forbidden: [
      ...EDITOR,
      ...LIVE,
      ...LATER,
      'cmdk/',
      '@radix-ui/',
      '@tanstack/react-virtual/',
      '@tanstack/virtual-core/',
      '@atlaskit/',
      'web/src/pages/tree/',
      'web/src/pages/settings/',
    ],
  },
  {
    name: 'the page of a vault',
    modules: ['web/src/app/signed-in.tsx', 'web/src/pages/vault/vault-page.tsx'],
    limitKiB: 89.8,
    forbidden: [...EDITOR, ...LIVE, ...LATER, 'cmdk/', '@radix-ui/', '@floating-ui/'],
  },
  {
    name: 'the editor',
    modules: ['web/src/live/live-vault.ts', 'web/src/pages/note/note-editor.tsx', 'web/src/editor/index.ts'],
    limitKiB: 272,
    forbidden: [...LATER, '@lezer/html/', '@lezer/css/', '@lezer/javascript/'],
  },
];

/** Maximum size of the app's fonts, for which no step waits. */
const FONTS_LIMIT_KIB = 140;
const OWN_FONT = /^(inter|jetbrains)-[\w-]+\.woff2$/;

/** Reports the steps that load more than they may, or something that must come later. */
export function checkWebBudget(root: string): Finding[] {
  const folder = join(root, 'web/dist');
  const chunks: Chunk[] = JSON.parse(readFileSync(join(folder, 'build.chunks'), 'utf8'));
  const gzipped = (fileName: string) => {
    const path = join(folder, fileName);
    const [file] = [`${path}.gz`, path].filter(existsSync);
    // The page itself has no file if all its modules are in one that it imports.
    return file === undefined ? 0 : statSync(file).size;
  };
  const assets = join(folder, 'assets');
  const fonts = readdirSync(assets).filter((name) => OWN_FONT.test(name));
  const fontBytes = fonts.reduce((sum, name) => sum + statSync(join(assets, name)).size, 0);
  const fontSize = (fontBytes / 1024).toFixed(1);
  const tooMany: Finding[] =
    fontBytes > 0 && fontBytes <= FONTS_LIMIT_KIB * 1024
      ? []
      : [
          {
            path: 'web/src/ui/styles/fonts.css',
            line: 1,
            rule: 'web-budget',
            message: `The fonts are ${fontSize} KiB, not up to ${FONTS_LIMIT_KIB}.`,
          },
        ];
  const steps = measureSteps(chunks, STEPS, gzipped).flatMap(({ step, bytes, early, unknown }) => {
    const place = { path: step.modules[0] ?? '', line: 1, rule: 'web-budget' };
    const found: Finding[] = [
      ...unknown.map((path) => ({ ...place, message: `${step.name}: the build has no ${path}; did it move?` })),
      ...early.map((module) => ({
        ...place,
        message: `${step.name} loads ${module} at once: import it dynamically where it is needed.`,
      })),
    ];
    if (bytes <= step.limitKiB * 1024) return found;
    const size = (bytes / 1024).toFixed(1);
    return [...found, { ...place, message: `${step.name} loads ${size} KiB of script, over ${step.limitKiB} KiB.` }];
  });
  return [...tooMany, ...steps];
}

export interface Measured {
  readonly step: Step;
  /** The bytes that the step adds, compressed. */
  readonly bytes: number;
  /** Modules that it loads too early. */
  readonly early: readonly string[];
  /** Paths of the step that the build does not have, so that they would limit nothing. */
  readonly unknown: readonly string[];
}

/** Adds up what each step loads that those before it did not. */
export function measureSteps(
  chunks: readonly Chunk[],
  steps: readonly Step[],
  sizeOf: (fileName: string) => number,
): Measured[] {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const all = chunks.flatMap(({ modules }) => modules);
  const loaded = new Set<string>();
  return steps.map((step) => {
    const added = new Set<string>();
    const load = (fileName: string) => {
      if (loaded.has(fileName)) return;
      loaded.add(fileName);
      added.add(fileName);
      byFile.get(fileName)?.imports.forEach(load);
    };
    for (const { module, fileName } of chunks) if (module !== null && step.modules.includes(module)) load(fileName);
    const modules = [...added].flatMap((fileName) => byFile.get(fileName)?.modules ?? []);
    return {
      step,
      bytes: [...added].reduce((sum, fileName) => sum + sizeOf(fileName), 0),
      early: modules.filter((module) => step.forbidden.some((beginning) => module.startsWith(beginning))),
      unknown: [
        ...step.modules.filter((path) => !chunks.some(({ module }) => module === path)),
        ...step.forbidden.filter((path) => path.startsWith('web/') && !all.some((module) => module.startsWith(path))),
      ],
    };
  });
}
