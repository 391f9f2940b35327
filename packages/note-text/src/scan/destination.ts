import { maxTargetLength } from '../links/parsed-link.ts';

/** A link destination that was found: `start..end` is the destination without angle brackets. */
export interface Destination {
  readonly start: number;
  readonly end: number;
  /** Offset after the closing angle bracket, or `end`. */
  readonly next: number;
}

/**
 * CommonMark lets parentheses nest. A fixed depth keeps a repeated `[a](` from reading to the end of the text each
 * time.
 */
const maxParentheses = 32;

/** Offset of the first character at or after `at` that is not a space, tab or line end. */
export function skipSpaces(text: string, at: number): number {
  let i = at;
  while (isSpace(text.charCodeAt(i))) i++;
  return i;
}

/** Reads a link destination (CommonMark 0.31.2, section 6.3) at `at`; null when there is none. */
export function readDestination(text: string, at: number): Destination | null {
  return text.charAt(at) === '<' ? readAngled(text, at) : readBare(text, at);
}

function readAngled(text: string, at: number): Destination | null {
  for (let i = at + 1; i < text.length; i++) {
    const c = text.charAt(i);
    if (c === '>') return { start: at + 1, end: i, next: i + 1 };
    if (c === '<' || c === '\n' || c === '\r') return null;
    if (c === '\\' && isAsciiPunctuation(text.charCodeAt(i + 1))) i++;
  }
  return null;
}

function readBare(text: string, at: number): Destination | null {
  let depth = 0;
  let i = at;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= 0x20 || code === 0x7f) break;
    if (code === 0x5c && isAsciiPunctuation(text.charCodeAt(i + 1))) i++;
    else if (code === 0x28 && ++depth > maxParentheses) return null;
    else if (code === 0x29 && --depth < 0) break;
  }
  return depth > 0 ? null : { start: at, end: i, next: i };
}

/** Offset after the link title that begins at `at` (`"…"`, `'…'` or `(…)`); -1 when none begins or it never closes. */
export function skipTitle(text: string, at: number): number {
  const open = text.charAt(at);
  if (open !== '"' && open !== "'" && open !== '(') return -1;
  const close = open === '(' ? ')' : open;
  for (let i = at + 1; i < text.length; i++) {
    const c = text.charAt(i);
    if (c === close) return i + 1;
    if (c === '(' && open === '(') return -1;
    if (c === '\\') i++;
  }
  return -1;
}

export interface Target {
  readonly target: string;
  readonly anchor: string | null;
}

/**
 * Returns the file that a destination names: escapes, character references and percent signs decoded, NFC, split at the
 * first `#` as written (so that `%23` stays part of a file name). Null for an absolute or protocol-relative URL, and
 * for an empty destination.
 *
 * @param decode resolves the escapes of the language that the destination is written in.
 */
export function decodeTarget(raw: string, decode = unescapeMarkdown): Target | null {
  if (raw === '' || raw.length > maxTargetLength) return null;
  const text = decode(raw);
  if (/^(?:[a-z][a-z0-9+.-]+:(?!\s)|[a-z]:\/\/|\/\/)/i.test(text)) return null;
  const hash = text.indexOf('#');
  const target = percentDecode(hash < 0 ? text : text.slice(0, hash)).trim();
  const anchor = hash < 0 ? null : percentDecode(text.slice(hash + 1)).trim() || null;
  return target === '' && anchor === null ? null : { target: target.normalize('NFC'), anchor };
}

/**
 * Returns where the anchor of a destination begins as written: at its first `#`, escaped or not, as `decodeTarget` reads
 * it; its length without an anchor. The `#` of a character reference is none.
 */
export function anchorOffset(raw: string, decode = unescapeMarkdown): number {
  for (const { 0: written, index } of raw.matchAll(escapesReferencesOrHashes)) {
    if (decode(written).startsWith('#')) return index;
  }
  return raw.length;
}

function percentDecode(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      // Not UTF-8, so it is kept: a file may be called `100%ff`.
      return run;
    }
  });
}

const namedReferences: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};
const reference = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos|nbsp));/;
const references = new RegExp(reference, 'g');
const escapesOrReferences = new RegExp(`\\\\[!-/:-@[-\`{-~]|${reference.source}`, 'g');
const escapesReferencesOrHashes = new RegExp(`${escapesOrReferences.source}|#`, 'g');

/**
 * Resolves backslash escapes (CommonMark 0.31.2, section 2.4) and the character references that occur in links (section
 * 2.5).
 */
export function unescapeMarkdown(text: string): string {
  return text.includes('\\') || text.includes('&') ? text.replace(escapesOrReferences, resolved) : text;
}

/** Resolves the character references that occur in links. */
export function unescapeHtml(text: string): string {
  return text.includes('&') ? text.replace(references, resolved) : text;
}

/** Returns the character that a backslash escape or a character reference stands for. */
function resolved(written: string, decimal?: string, hex?: string, name = ''): string {
  if (written.startsWith('\\')) return written.slice(1);
  if (decimal !== undefined) return codePoint(Number.parseInt(decimal, 10));
  if (hex !== undefined) return codePoint(Number.parseInt(hex, 16));
  return namedReferences[name] ?? '';
}

function codePoint(value: number): string {
  return value === 0 || value > 0x10ffff ? '\ufffd' : String.fromCodePoint(value);
}

/** Returns whether a backslash can escape the character. */
export function isAsciiPunctuation(code: number): boolean {
  return (
    (code >= 0x21 && code <= 0x2f) ||
    (code >= 0x3a && code <= 0x40) ||
    (code >= 0x5b && code <= 0x60) ||
    (code >= 0x7b && code <= 0x7e)
  );
}

/** Space, tab or line end: the white space of CommonMark's inline syntax. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}
