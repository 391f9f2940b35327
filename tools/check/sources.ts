import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path/posix';
import { parseSync } from 'rolldown/utils';

/** A source file: its path from the repository's root, with `/`, and its text. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** A finding of a check, with its place. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  /** Explains what is wrong and how to fix it. */
  readonly message: string;
}

export interface Import {
  readonly line: number;
  readonly specifier: string;
  /** Whether the import is erased at run time. */
  readonly typeOnly: boolean;
}

const FOLDERS = ['packages', 'server', 'cli', 'web', 'clients', 'e2e', 'tools', 'bench'];

/** Every TypeScript source of the repository at `root`, sorted by path. */
export function readSources(root: string): Source[] {
  return FOLDERS.flatMap((folder) => list(root, folder)).map((path) => ({
    path,
    text: readFileSync(join(root, path), 'utf8'),
  }));
}

function list(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : list(root, path);
      return entry.isFile() && /\.tsx?$/.test(path) ? [path] : [];
    });
}

/** Returns whether the file is a test or used only by tests, which may import anything. */
export function isTest(path: string): boolean {
  return (
    /\.(test|contract)\.ts$/.test(path) ||
    /^((server|(packages|clients)\/[^/]+|web\/src\/editor)\/test|e2e)\//.test(path)
  );
}

/** Returns the file that an import names, as a path from the root, or null for a package or a module of Node. */
export function resolveImport(from: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return normalize(join(dirname(from), specifier));
  const workspace = /^@notevault\/([a-z-]+)\/(.+)$/.exec(specifier);
  if (workspace === null) return null;
  const [, name = '', rest = ''] = workspace;
  const folder = ['server', 'cli', 'web'].includes(name) ? name : `packages/${name}`;
  return `${folder}/src/${rest}`;
}

const imports = new WeakMap<Source, Import[]>();

/** Returns every import and re-export: static, dynamic and type-only. */
export function importsOf(source: Source): Import[] {
  const known = imports.get(source);
  if (known !== undefined) return known;
  const { path, text } = source;
  const { staticImports, staticExports, dynamicImports } = parseSync(path, text).module;
  const found: Import[] = [];
  const add = (start: number, specifier: string, typeOnly: boolean) =>
    found.push({ line: lineAt(text, start), specifier, typeOnly });
  for (const { start, moduleRequest } of [
    ...staticImports,
    ...staticExports.map(({ start, entries }) => ({ start, moduleRequest: entries[0]?.moduleRequest })),
  ]) {
    // The names of `import { type B }` are erased, the import is not.
    if (moduleRequest) add(start, moduleRequest.value, /^\w+ type\b/.test(text.slice(start, start + 20)));
  }
  for (const { start, moduleRequest } of dynamicImports) {
    const argument = text.slice(moduleRequest.start, moduleRequest.end);
    if (argument.startsWith("'")) add(start, argument.slice(1, -1), false);
  }
  for (const { index, 1: specifier = '' } of text.matchAll(/\btypeof import\('([^'\n]+)'\)/g)) {
    add(index, specifier, true);
  }
  imports.set(source, found);
  return found;
}

export function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
