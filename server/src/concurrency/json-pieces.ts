import { createYield, type YieldIfDue } from './yield.ts';

/** About this many characters are gathered before they are encoded; fewer are written in one piece. */
const PIECE_CHARS = 64 * 1024;
/** About this many characters are the name of a field, a number or a bracket. */
const FIELD_CHARS = 8;

/** Any JSON value; undefined properties are left out. */
type Json = unknown;

/**
 * Encodes a value as JSON in UTF-8, in pieces, exactly like JSON.stringify. Lists, and texts of megabytes in them, are
 * written in slices, between which other work runs.
 */
export async function jsonPieces(value: Json, yieldIfDue: YieldIfDue = createYield()): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  let text = '';
  for (const part of partsOf(value, 2)) {
    text += part;
    if (text.length < PIECE_CHARS) continue;
    pieces.push(Buffer.from(text, 'utf8'));
    text = '';
    await yieldIfDue();
  }
  if (text !== '') pieces.push(Buffer.from(text, 'utf8'));
  return pieces;
}

/** The JSON of a value that is short enough to be written in one piece; null for others. */
export function shortJson(value: Json): string | null {
  return charsLeft(value, PIECE_CHARS) >= 0 ? JSON.stringify(value) : null;
}

/** Subtracts about the length of a value's JSON; negative as soon as it is longer than `chars`. */
function charsLeft(value: Json, chars: number): number {
  let left = chars - FIELD_CHARS;
  if (typeof value === 'string') return left - value.length;
  if (typeof value !== 'object' || value === null) return left;
  const fields: readonly Json[] = Array.isArray(value) ? value : Object.values(value);
  for (let index = 0; index < fields.length && left >= 0; index++) left = charsLeft(fields[index], left) - FIELD_CHARS;
  return left;
}

/** @param depth number of levels that are written field by field; below them, only values with a long text are. */
function* partsOf(value: Json, depth: number): Generator<string> {
  if (typeof value === 'string' && value.length > PIECE_CHARS) yield* stringParts(value);
  else if (Array.isArray(value)) yield* listParts(value, depth);
  else if (isPlain(value) && (depth > 0 || hasLongText(value))) yield* objectParts(value, depth);
  else yield JSON.stringify(value) ?? 'null';
}

function* listParts(list: readonly Json[], depth: number): Generator<string> {
  let before = '[';
  for (const item of list) {
    yield before;
    yield* partsOf(item, depth - 1);
    before = ',';
  }
  yield list.length === 0 ? '[]' : ']';
}

function* objectParts(value: Readonly<Record<string, Json>>, depth: number): Generator<string> {
  let before = '{';
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    yield* partsOf(field, depth - 1);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* stringParts(text: string): Generator<string> {
  yield '"';
  for (let from = 0; from < text.length; ) {
    let until = Math.min(from + PIECE_CHARS, text.length);
    // The halves of a surrogate pair stay together; each alone would be written as an escape.
    if (until < text.length && isHighSurrogate(text.charCodeAt(until - 1))) until -= 1;
    yield JSON.stringify(text.slice(from, until)).slice(1, -1);
    from = until;
  }
  yield '"';
}

function hasLongText(value: Readonly<Record<string, Json>>): boolean {
  for (const key in value) {
    const field = value[key];
    if (typeof field === 'string' && field.length > PIECE_CHARS) return true;
  }
  return false;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isPlain(value: Json): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}
