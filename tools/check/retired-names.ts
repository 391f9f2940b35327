import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, lineAt, mask, type Source } from './sources.ts';

/** Names that were replaced by standard terms and must not return. */
export interface RetiredNames {
  /** Retired name → current name. */
  readonly files: Readonly<Record<string, string>>;
  readonly identifiers: Readonly<Record<string, string>>;
  /** Columns, tables and other names of the schema. */
  readonly schema: Readonly<Record<string, string>>;
  readonly metrics: Readonly<Record<string, string>>;
  /** Phrases of comments and documents. */
  readonly phrases: Readonly<Record<string, string>>;
  /**
   * Path → retired names allowed there, because they belong to the wire, to a library or to prose. `*` stands for all
   * paths.
   */
  readonly allowed: Readonly<Record<string, readonly string[]>>;
}

/** Reads the lists, which are in a file of their own that this check does not read as a source. */
export function readRetiredNames(root: string): RetiredNames {
  return JSON.parse(readFileSync(join(root, 'tools/check/retired-names.json'), 'utf8')) as RetiredNames;
}

/** Finds retired names in paths, code, SQL, metrics and comments. `documents` are Markdown pages. */
export function checkRetiredNames(
  sources: readonly Source[],
  documents: readonly Source[],
  retired: RetiredNames,
): Finding[] {
  const identifiers = wordsPattern(retired.identifiers);
  const schema = wordsPattern(retired.schema);
  const everywhere = wordsPattern({ ...retired.metrics, ...retired.phrases });
  const names = { ...retired.identifiers, ...retired.schema, ...retired.metrics, ...retired.phrases };
  const found: Finding[] = [];
  for (const source of [...sources, ...documents]) {
    if (source.path.startsWith('tools/check/retired-names')) continue;
    const isCode = source.path.endsWith('.ts');
    const allowed = allowedIn(retired, source.path);
    if (allowed.has('*')) continue;
    const file = retired.files[source.path];
    if (file !== undefined) found.push(finding(source.path, 1, source.path, file));
    const texts: [RegExp, string][] = isCode
      ? [
          [identifiers, mask(source.text)],
          [everywhere, source.text],
          ...(isSchema(source.path) ? [[schema, source.text] as [RegExp, string]] : []),
        ]
      : [[everywhere, source.text]];
    for (const [pattern, text] of texts) {
      for (const match of text.matchAll(pattern)) {
        const name = match[0];
        if (!allowed.has(name)) found.push(finding(source.path, lineAt(text, match.index), name, names[name] ?? ''));
      }
    }
  }
  return found;
}

/** Whether a file may contain names of the schema; elsewhere the same words mean other things. */
function isSchema(path: string): boolean {
  return /\.(store|tables)\.ts$/.test(path);
}

function allowedIn(retired: RetiredNames, path: string): ReadonlySet<string> {
  const lists = Object.entries(retired.allowed).filter(([prefix]) => path.startsWith(prefix));
  return new Set(lists.flatMap(([, list]) => list));
}

function wordsPattern(names: Readonly<Record<string, string>>): RegExp {
  const words = Object.keys(names).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return words.length === 0 ? /(?!)/g : new RegExp(`(?<![\\w$#])(?:${words.join('|')})(?![\\w$])`, 'g');
}

function finding(path: string, line: number, name: string, now: string): Finding {
  return { path, line, rule: 'retired-name', message: `"${name}" is a retired name: use "${now}".` };
}
