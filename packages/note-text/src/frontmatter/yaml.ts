import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type ParsedNode,
  parseDocument,
  type Scalar,
} from 'yaml';
import { utf8Length } from '../utf8.ts';

/** Why a frontmatter cannot be used at all, or not in full. */
export type ParseCode = 'unterminated' | 'yaml_syntax' | 'not_a_mapping' | 'duplicate_key' | 'too_large' | 'bad_value';

/** A fault in the YAML; `at` is a UTF-16 offset into it. */
export interface YamlFault {
  readonly code: ParseCode;
  readonly message: string;
  readonly key: string | null;
  readonly at: number;
}

export type YamlNode = ParsedNode | null;

export interface YamlMapping {
  /** Top-level values by key, in the order written. A key written twice has no value, because either could be meant. */
  readonly values: ReadonlyMap<string, { readonly node: YamlNode; readonly at: number }>;
  /** Every string in a value, nested ones included, in the order written. */
  readonly strings: readonly Scalar.Parsed[];
  readonly duplicate: YamlFault | null;
  /** Returns the node to which an alias refers; other nodes unchanged. */
  resolve(node: YamlNode): YamlNode;
}

/** Returns the keys of a mapping that are a key in any case, as written. */
export function keysIn({ values }: YamlMapping, key: string): string[] {
  return [...values.keys()].filter((written) => written.toLowerCase() === key);
}

const maxBytes = 64 * 1024;
const maxKeys = 500;

/**
 * Most lexical units handed to the parser, white space not counted. Parsing time grows with their number: 64 KB of
 * brackets are 65,000 units and would block the thread for a quarter of a second, while a list of 4,000 words is 8,000.
 */
const maxLexemes = 8_000;

/** Character that the lexer emits before each plain, quoted or block scalar. */
const scalarMark = '\x1f';

/** Parses the YAML between the fences into a mapping, or returns why it cannot. An empty text is an empty mapping. */
export function parseMapping(text: string): YamlMapping | YamlFault {
  if (isTooLarge(text)) return tooLarge('is larger than 64 KB');
  const source = flattenBlankRuns(text);
  if (hasTooManyLexemes(source)) return tooLarge('has too many parts');
  let document: Document.Parsed;
  try {
    document = parseDocument(source, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent', version: '1.2' });
  } catch {
    // The parser recurses into nested values; input that overflows its stack is a syntax fault.
    return syntaxFault('UNREADABLE', 0);
  }
  const error = document.errors[0];
  if (error) return syntaxFault(error.code, error.pos[0]);
  return new MappingReader().read(document.contents);
}

function syntaxFault(what: string, at: number): YamlFault {
  return { code: 'yaml_syntax', message: `Frontmatter is not valid YAML (${what}).`, key: null, at };
}

function isTooLarge(text: string): boolean {
  return text.length > maxBytes || (text.length * 3 > maxBytes && utf8Length(text) > maxBytes);
}

function tooLarge(what: string): YamlFault {
  return { code: 'too_large', message: `Frontmatter ${what}.`, key: null, at: 0 };
}

function hasTooManyLexemes(text: string): boolean {
  if (text.length <= maxLexemes) return false;
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme.trim() === '' || lexeme === scalarMark) continue;
    // A quoted string is one lexeme, but the parser makes an error object for each wrong escape in it.
    count += 1 + countOf(lexeme, '\\');
    if (count > maxLexemes) return true;
  }
  return false;
}

function countOf(text: string, char: string): number {
  let count = 0;
  for (let at = text.indexOf(char); at >= 0; at = text.indexOf(char, at + 1)) count++;
  return count;
}

/**
 * Replaces long runs of blank lines by one line of the same length, because the parser makes an object of every line
 * end.
 */
function flattenBlankRuns(text: string): string {
  return text.replace(/[ \t\r\n]+/g, (run) => {
    const first = run.indexOf('\n');
    const last = run.lastIndexOf('\n');
    if (last - first < 1_000) return run;
    return run.slice(0, first + 1) + ' '.repeat(last - first - 1) + run.slice(last);
  });
}

/** Walks a document once. Aliases are never followed, so that an alias bomb costs no more than its letters. */
class MappingReader {
  readonly #anchors = new Map<string, ParsedNode>();
  readonly #strings: Scalar.Parsed[] = [];
  #keys = 0;
  #duplicate: YamlFault | null = null;
  #broken: YamlFault | null = null;

  read(root: YamlNode): YamlMapping | YamlFault {
    const values = new Map<string, { node: YamlNode; at: number }>();
    if (isMap(root)) {
      const repeated = this.#walkMap(root, (key, node, at) => values.set(key, { node, at }));
      for (const key of repeated) values.delete(key);
    } else if (root !== null && !(isScalar(root) && root.value === null)) {
      const message = 'Frontmatter is not a mapping of keys to values.';
      return { code: 'not_a_mapping', message, key: null, at: root.range[0] };
    }
    if (this.#broken) return this.#broken;
    if (this.#keys > maxKeys) return tooLarge(`has more than ${maxKeys} keys`);
    return { values, strings: this.#strings, duplicate: this.#duplicate, resolve: (node) => this.#resolve(node) };
  }

  #resolve(node: YamlNode): YamlNode {
    return isAlias(node) ? (this.#anchors.get(node.source) ?? null) : node;
  }

  #walk(node: YamlNode): void {
    if (node === null) return;
    if (isAlias(node) && !this.#anchors.has(node.source)) {
      // The parser reports this only to code that follows the alias.
      this.#broken ??= syntaxFault('UNRESOLVED_ALIAS', node.range[0]);
    }
    if ('anchor' in node && node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isMap(node)) this.#walkMap(node, () => {});
    else if (isSeq(node)) for (const item of node.items) this.#walk(item as YamlNode);
    else if (isScalar(node) && typeof node.value === 'string') this.#strings.push(node);
  }

  /** Visits the pairs of a mapping and returns the keys that occur more than once. */
  #walkMap(map: ParsedNode, visit: (key: string, value: YamlNode, at: number) => void): Set<string> {
    const seen = new Set<string>();
    const repeated = new Set<string>();
    if (!isMap(map)) return repeated;
    for (const pair of map.items) {
      this.#keys++;
      const value = pair.value as YamlNode;
      if (isScalar(pair.key)) {
        const key = String(pair.key.value);
        const at = pair.key.range?.[0] ?? 0;
        if (seen.has(key)) {
          repeated.add(key);
          this.#duplicate ??= { code: 'duplicate_key', message: 'Frontmatter has a key more than once.', key, at };
        }
        seen.add(key);
        visit(key, value, at);
      }
      this.#walk(value);
    }
    return repeated;
  }
}
