import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path/posix';

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

/** Whether the file is a test or used only by tests, which may import anything. */
export function isTest(path: string): boolean {
  return (
    /\.(test|contract)\.ts$/.test(path) ||
    /^((server|(packages|clients)\/[^/]+|web\/src\/editor)\/test|e2e)\//.test(path)
  );
}

/** The file that an import names, as a path from the root, or null for a package or a module of Node. */
export function resolveImport(from: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return normalize(join(dirname(from), specifier));
  const workspace = /^@notevault\/([a-z-]+)\/(.+)$/.exec(specifier);
  if (workspace === null) return null;
  const [, name = '', rest = ''] = workspace;
  const folder = ['server', 'cli', 'web'].includes(name) ? name : `packages/${name}`;
  return `${folder}/src/${rest}`;
}

const STATEMENT = /^(?:import|export)\b(\s+type\b)?([^;'"]*?)from\s+'([^'\n]+)'|^import\s+'([^'\n]+)'/gm;
const EXPRESSION = /(typeof\s+)?\bimport\(\s*'([^'\n]+)'/g;

/**
 * Every import and re-export, static or dynamic. Relies on the formatter: statements start a line, quotes are single.
 */
export function importsOf(source: Source): Import[] {
  const code = mask(source.text, { strings: false });
  const found: Import[] = [];
  for (const match of code.matchAll(STATEMENT)) {
    const specifier = match[3] ?? match[4];
    if (specifier === undefined) continue;
    found.push({ line: lineAt(code, match.index), specifier, typeOnly: match[1] !== undefined });
  }
  for (const match of code.matchAll(EXPRESSION)) {
    const typeOnly = match[1] !== undefined;
    found.push({ line: lineAt(code, match.index), specifier: match[2] ?? '', typeOnly });
  }
  return found;
}

export function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Blanks out comments, templates and (unless told otherwise) strings; offsets and lines stay. */
export function mask(text: string, { strings = true } = {}): string {
  let out = '';
  let at = 0;
  while (at < text.length) {
    const token = tokenAt(text, at, out);
    const piece = text.slice(at, token.end);
    out += token.kind === 'code' || (token.kind === 'string' && !strings) ? piece : blank(piece, token.kind);
    at = token.end;
  }
  return out;
}

function blank(piece: string, kind: string): string {
  const spaces = piece.replace(/[^\n]/g, ' ');
  // The delimiters stay, so that a string or template is still recognisable.
  return kind === 'comment' ? spaces : `${piece[0]}${spaces.slice(1, -1)}${piece.at(-1)}`;
}

interface Token {
  readonly kind: 'comment' | 'string' | 'template' | 'regex' | 'code';
  readonly end: number;
}

function tokenAt(text: string, at: number, before: string): Token {
  const two = text.slice(at, at + 2);
  if (two === '//') return { kind: 'comment', end: endOr(text, text.indexOf('\n', at)) };
  if (two === '/*') return { kind: 'comment', end: endOr(text, text.indexOf('*/', at + 2), 2) };
  const first = text[at] ?? '';
  if (first === "'" || first === '"') return { kind: 'string', end: quotedEnd(text, at, first) };
  if (first === '`') return { kind: 'template', end: templateEnd(text, at) };
  if (first === '/' && startsRegex(before)) return { kind: 'regex', end: regexEnd(text, at) };
  return { kind: 'code', end: at + 1 };
}

function endOr(text: string, index: number, extra = 0): number {
  return index < 0 ? text.length : index + extra;
}

function quotedEnd(text: string, start: number, quote: string): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote || text[at] === '\n') return at + 1;
  }
  return text.length;
}

/** The end of a template, whose expressions may contain templates and strings. */
function templateEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '`') return at + 1;
    else if (text.startsWith('${', at)) at = expressionEnd(text, at + 2) - 1;
  }
  return text.length;
}

function expressionEnd(text: string, start: number): number {
  let depth = 1;
  let at = start;
  while (at < text.length) {
    if (text[at] === '{') depth++;
    if (text[at] === '}' && --depth === 0) return at + 1;
    at = tokenAt(text, at, text.slice(Math.max(0, at - 40), at)).end;
  }
  return text.length;
}

/**
 * Whether a slash after `before` begins a regular expression (where a value may begin), instead of dividing (after a
 * value).
 */
function startsRegex(before: string): boolean {
  const tail = before.slice(-40).trimEnd();
  return tail === '' || /[([{=,:;!&|?+\-*%~^<>]$/.test(tail) || /\b(return|typeof|case|in|of|void)$/.test(tail);
}

function regexEnd(text: string, start: number): number {
  let inClass = false;
  for (let at = start + 1; at < text.length && text[at] !== '\n'; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '[') inClass = true;
    else if (text[at] === ']') inClass = false;
    else if (text[at] === '/' && !inClass) return at + 1;
  }
  return start + 1;
}
