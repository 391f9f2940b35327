import type { Engine } from './statement.ts';

/**
 * The column types of each engine. SQLite's STRICT tables know five type names. PostgreSQL by default compares text by
 * the database's locale, and would then sort and page differently from SQLite, which compares bytes.
 */
const TYPES: Record<Engine, ReadonlyMap<string, string>> = {
  sqlite: new Map([
    ['uuid', 'TEXT'],
    ['bytea', 'BLOB'],
    ['bigint', 'INTEGER'],
    ['text', 'TEXT'],
    ['double precision', 'REAL'],
  ]),
  postgres: new Map([['text', 'text collate "C"']]),
};

/** Tokens: white space, comments, quoted texts, words, and any other character. */
const TOKENS = /\s+|--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|double\s+precision\b|\w+|[\s\S]/gi;

export function ddlFor(engine: Engine, ddl: string): string {
  const types = TYPES[engine];
  let out = '';
  let depth = 0;
  let isTable = false;
  /** The significant tokens of the current statement so far, in lower case. */
  let before: string[] = [];
  for (const [token] of ddl.matchAll(TOKENS)) {
    const means = !/^(?:\s|--|\/\*)/.test(token);
    if (token === '(') depth++;
    if (token === ')') depth--;
    const type = isColumnType(before, isTable ? depth : 0)
      ? types.get(token.toLowerCase().replace(/\s+/g, ' '))
      : undefined;
    out += type ?? token;
    if (token === ')' && depth === 0 && isTable && engine === 'sqlite') out += ' strict';
    if (token === ';' && depth === 0) {
      isTable = false;
      before = [];
    } else if (means) before.push(token.toLowerCase());
    if (before.length === 2 && before[0] === 'create' && before[1] === 'table') isTable = true;
  }
  return out;
}

/** Whether the next word is a column type: it follows a column name in a table's list or after `add column`. */
function isColumnType(before: readonly string[], depth: number): boolean {
  const name = before.at(-1);
  const start = before.at(-2);
  if (name === undefined || !/^(?:\w+|".*")$/s.test(name)) return false;
  return (depth === 1 && (start === '(' || start === ',')) || (start === 'column' && before.at(-3) === 'add');
}
