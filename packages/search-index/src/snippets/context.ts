import { plainText } from './plain-text.ts';

const CONTEXT_MAX = 200;
const LABEL_MAX = 80;
const ELLIPSIS = '…';
/** Languages without spaces have words that are cut. */
const WORD_MAX = 24;
/** Characters of the text beside a link that are read: markdown is longer than what a reader sees of it. */
const BESIDE = 400;

/** Returns the paragraph around a link or name as a reader sees it, at most 200 characters, and where in it that is. */
export function contextOf(text: string, { start, end }: { readonly start: number; readonly end: number }) {
  const label = shorten(plainText(text.slice(start, end)), LABEL_MAX);
  const room = CONTEXT_MAX - label.length;
  const before = beside(text.slice(Math.max(0, start - BESIDE), start).replace(/^[\s\S]*\n(?:---)?\s*\n/, ''));
  const after = beside(text.slice(end, end + BESIDE).replace(/\n(?:---)?\s*\n[\s\S]*$/, ''));
  // What one side does not need is left to the other.
  const left = Math.min(before.length, Math.max(Math.floor(room / 2), room - after.length));
  const lead = left === before.length ? before : `${ELLIPSIS}${fromWord(before.slice(before.length - left + 1))}`;
  const rest = room - lead.length;
  const tail = after.length <= rest ? after : `${toWord(shorten(after, rest - 1))}${ELLIPSIS}`;
  return {
    context: `${lead}${label}${tail}`,
    context_link: [lead.length, lead.length + label.length],
    offset: start,
  };
}

/** Returns a text that begins somewhere, from the word that begins next, unless that is far. */
function fromWord(text: string): string {
  const whole = text.toWellFormed().replace(/^\ufffd/, '');
  const space = whole.search(/\s/);
  return space >= 0 && space < WORD_MAX ? whole.slice(space + 1) : whole;
}

/** Returns a text that ends somewhere, to the word that ended last, unless that is far. */
function toWord(text: string): string {
  const space = text.search(/\s\S*$/);
  return space >= 0 && space >= text.length - WORD_MAX ? text.slice(0, space) : text;
}

/** Returns the plain form of a part, with the spaces that separate it from what is beside it. */
function beside(part: string): string {
  const plain = plainText(part);
  if (plain === '') return /\s/.test(part) ? ' ' : '';
  return `${/^\s/.test(part) ? ' ' : ''}${plain}${/\s$/.test(part) ? ' ' : ''}`;
}

/** Returns the first characters of a text, without half of a surrogate pair. */
function shorten(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, text.length > length && last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
