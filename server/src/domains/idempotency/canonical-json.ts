import { createHash } from 'node:crypto';
import { createYield, type YieldIfDue } from '../../concurrency/yield.ts';

/** Hashing in pieces of about this many characters: one call for each value would cost more than the hashing. */
const CHUNK = 64 * 1024;

/** Text that is part of the form itself, among the values still to be written. */
class Separator {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
const [COMMA, OPEN, CLOSE, BEGIN, END] = [',', '[', ']', '{', '}'].map((text) => new Separator(text));

/** What is known of a parsed JSON value. */
export interface CanonicalForm {
  /** SHA-256 (hex), the same whatever the order the value's fields came in. */
  readonly hash: string;
  /** Its long texts, in an order that follows from the value alone. */
  readonly longTexts: readonly string[];
}

/**
 * The hash of a parsed JSON value, and its long texts. Works on a list of its own instead of calling itself: how deep a body
 * nests is for its sender to say. A text of megabytes is hashed in slices, and others run in between.
 */
export async function canonicalForm(value: unknown, yieldIfDue: YieldIfDue = createYield()): Promise<CanonicalForm> {
  const hash = createHash('sha256');
  const longTexts: string[] = [];
  let piece = '';
  const todo: unknown[] = [value];
  while (todo.length > 0) {
    const next = todo.pop();
    if (next instanceof Separator) piece += next.text;
    else if (Array.isArray(next)) pushItems(todo, next);
    else if (typeof next === 'object' && next !== null) pushFields(todo, next as Record<string, unknown>);
    else if (typeof next === 'string' && next.length > CHUNK) {
      longTexts.push(next);
      hash.update(`${piece}"${next.length}:`, 'utf8');
      piece = '';
      for (let from = 0; from < next.length; from += CHUNK) {
        // As UTF-16: halves of a pair may be cut apart, and a lone one is no other's like.
        hash.update(next.slice(from, from + CHUNK), 'utf16le');
        await yieldIfDue();
      }
    } else piece += JSON.stringify(next) ?? 'null';
    if (piece.length > CHUNK) {
      hash.update(piece, 'utf8');
      piece = '';
      await yieldIfDue();
    }
  }
  return { hash: hash.update(piece, 'utf8').digest('hex'), longTexts };
}

/** What is pushed last is written first. */
function pushItems(todo: unknown[], items: readonly unknown[]): void {
  todo.push(CLOSE);
  for (let at = items.length - 1; at >= 0; at--) todo.push(items[at], COMMA);
  todo.push(OPEN);
}

function pushFields(todo: unknown[], fields: Record<string, unknown>): void {
  todo.push(END);
  for (const name of Object.keys(fields).sort().reverse()) {
    if (fields[name] !== undefined) todo.push(fields[name], new Separator(`,${JSON.stringify(name)}:`));
  }
  todo.push(BEGIN);
}
