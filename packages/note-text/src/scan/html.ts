import type { Span } from '../links/parsed-link.ts';
import { skipSpaces } from './destination.ts';

/** End condition of an HTML block (CommonMark 0.31.2, section 4.6), and whether markdown links inside it are read. */
export interface HtmlBlock {
  /** Texts in lower case that end the block on their line; without any, a blank line ends it. */
  readonly closers: readonly string[];
  /** Whether it may follow directly on a line of a paragraph. */
  readonly interrupts: boolean;
}

const rawElements = ['pre', 'script', 'style', 'textarea'];
const rawClosers = rawElements.map((name) => `</${name}>`);

// Section 4.6, start condition 6.
const blockElements = new Set(
  (
    'address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt ' +
    'fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li ' +
    'link main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th ' +
    'thead title tr track ul'
  ).split(' '),
);

const elementName = /<\/?([a-z][a-z0-9-]{0,15})(?=[ \t>]|\/>|$)/iy;

/**
 * Returns the HTML block that begins at `at`, where the line has `<`; null when none begins there. Comments are handled
 * elsewhere.
 */
export function readHtmlBlock(text: string, at: number, end: number): HtmlBlock | null {
  const second = text.charAt(at + 1);
  if (second === '?') return { closers: ['?>'], interrupts: true };
  if (text.startsWith('![CDATA[', at + 1)) return { closers: [']]>'], interrupts: true };
  if (second === '!') return isLetter(text.charCodeAt(at + 2)) ? { closers: ['>'], interrupts: true } : null;
  elementName.lastIndex = 0;
  const name = elementName.exec(text.slice(at, Math.min(end, at + 20)))?.[1]?.toLowerCase();
  if (name !== undefined && second !== '/' && rawElements.includes(name))
    return { closers: rawClosers, interrupts: true };
  if (name !== undefined && blockElements.has(name)) return { closers: [], interrupts: true };
  const close = htmlTagEnd(text, at);
  if (close < 0 || close > end) return null;
  const rest = skipSpaces(text, close);
  return rest >= end ? { closers: [], interrupts: false } : null;
}

/** Maximum number of attributes read from a tag; bounds the work that `<a b="<a b="…` can cause. */
const maxAttributes = 64;

/** Offset after the open or closing tag at `at` (section 6.6), where the text has `<`; -1 when there is none. */
export function htmlTagEnd(text: string, at: number): number {
  const closing = text.charAt(at + 1) === '/';
  let i = at + (closing ? 2 : 1);
  if (!isLetter(text.charCodeAt(i))) return -1;
  while (isNameCharacter(text.charCodeAt(i))) i++;
  for (let count = 0; !closing && count < maxAttributes; count++) {
    const name = skipSpaces(text, i);
    if (name === i || !startsAttribute(text.charCodeAt(name))) break;
    const attribute = readAttribute(text, name);
    if (attribute === null) return -1;
    i = attribute.end;
  }
  i = skipSpaces(text, i);
  if (!closing && text.charAt(i) === '/') i++;
  return text.charAt(i) === '>' ? i + 1 : -1;
}

/**
 * Returns the values of the attributes of an open tag, without quotes, by their names in lower case; the first of a
 * name counts.
 */
export function readAttributes(text: string, { start, end }: Span): ReadonlyMap<string, Span> {
  const attributes = new Map<string, Span>();
  let i = start + 1;
  while (isNameCharacter(text.charCodeAt(i))) i++;
  for (i = skipSpaces(text, i); i < end && startsAttribute(text.charCodeAt(i)); i = skipSpaces(text, i)) {
    const attribute = readAttribute(text, i);
    if (attribute === null) break;
    const name = text.slice(i, attribute.nameEnd).toLowerCase();
    if (!attributes.has(name)) attributes.set(name, attribute.value);
    i = attribute.end;
  }
  return attributes;
}

interface Attribute {
  readonly nameEnd: number;
  readonly value: Span;
  readonly end: number;
}

/** Reads the attribute whose name begins at `at`; null when its value is not valid. */
function readAttribute(text: string, at: number): Attribute | null {
  let nameEnd = at + 1;
  while (isAttributeCharacter(text.charCodeAt(nameEnd))) nameEnd++;
  const equals = skipSpaces(text, nameEnd);
  if (text.charAt(equals) !== '=') return { nameEnd, value: { start: nameEnd, end: nameEnd }, end: nameEnd };
  const start = skipSpaces(text, equals + 1);
  const quote = text.charAt(start);
  if (quote === '"' || quote === "'") {
    const close = text.indexOf(quote, start + 1);
    return close < 0 ? null : { nameEnd, value: { start: start + 1, end: close }, end: close + 1 };
  }
  let end = start;
  while (end < text.length && !' \t\r\n"\'=<>`'.includes(text.charAt(end))) end++;
  return end === start ? null : { nameEnd, value: { start, end }, end };
}

const schemePattern = /<[a-z][a-z0-9.+-]{1,31}:/iy;
const emailPattern = /<[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,254}@[a-z0-9.-]{1,254}>/iy;

/** Offset after the autolink at `at` (section 6.5), where the text has `<`; -1 when there is none. */
export function autolinkEnd(text: string, at: number): number {
  schemePattern.lastIndex = at;
  if (schemePattern.test(text)) {
    for (let i = schemePattern.lastIndex; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === 0x3e) return i + 1;
      if (code <= 0x20 || code === 0x3c) return -1;
    }
    return -1;
  }
  emailPattern.lastIndex = at;
  return emailPattern.test(text) ? emailPattern.lastIndex : -1;
}

function isLetter(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isNameCharacter(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === 0x2d;
}

function startsAttribute(code: number): boolean {
  return isLetter(code) || code === 0x5f || code === 0x3a;
}

function isAttributeCharacter(code: number): boolean {
  return isNameCharacter(code) || startsAttribute(code) || code === 0x2e;
}
