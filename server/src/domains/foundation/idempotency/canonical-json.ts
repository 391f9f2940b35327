import { createHash } from 'node:crypto';
import { createYield, type YieldIfDue } from '../../../concurrency/yield.ts';

/** Characters per update of the hash; one update for each value would cost more than the hashing. */
const CHUNK = 64 * 1024;

/** A separator of the canonical form, distinguished from the values that are still to be written. */
class Separator {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
const [COMMA, OPEN, CLOSE, BEGIN, END] = [',', '[', ']', '{', '}'].map((text) => new Separator(text));

export interface CanonicalForm {
  /** SHA-256 (hex), independent of the order of fields. */
  readonly hash: string;
  /** Its long texts, in an order that is determined by the value alone. */
  readonly longTexts: readonly string[];
}

/**
 * Computes the hash and the long texts of a parsed JSON value. It uses a list instead of recursion, because the sender
 * decides how deeply a body is nested. Long texts are hashed in slices, between which other work runs.
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
        // As UTF-16, because a slice may cut a surrogate pair, and a lone half must differ from any other.
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

/** Pushed in reverse, because the last item pushed is written first. */
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
