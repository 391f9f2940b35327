import { createHash } from 'node:crypto';

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

/**
 * SHA-256 (hex) of a parsed JSON value, the same whatever the order its fields came in. Works on a list of its own
 * instead of calling itself: how deep a body nests is for its sender to say.
 */
export function canonicalHash(value: unknown): string {
  const hash = createHash('sha256');
  let piece = '';
  const todo: unknown[] = [value];
  while (todo.length > 0) {
    const next = todo.pop();
    if (next instanceof Separator) piece += next.text;
    else if (Array.isArray(next)) pushItems(todo, next);
    else if (typeof next === 'object' && next !== null) pushFields(todo, next as Record<string, unknown>);
    else piece += JSON.stringify(next) ?? 'null';
    if (piece.length > CHUNK) {
      hash.update(piece, 'utf8');
      piece = '';
    }
  }
  return hash.update(piece, 'utf8').digest('hex');
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
