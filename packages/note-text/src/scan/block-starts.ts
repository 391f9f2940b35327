/**
 * Recognises the start of a block on one line. `at` is the first character after the markers of the containers and up
 * to three spaces, `end` the end of the line. Section numbers are those of CommonMark 0.31.2.
 */

/** Section 4.1. Returns `end` for a thematic break, else the offset of the character that rules one out. */
export function thematicBreakStop(text: string, at: number, end: number): number {
  const mark = text.charAt(at);
  if (mark !== '*' && mark !== '-' && mark !== '_') return at;
  let count = 0;
  for (let i = at; i < end; i++) {
    const c = text.charAt(i);
    if (c === mark) count++;
    else if (c !== ' ' && c !== '\t') return i;
  }
  return count >= 3 ? end : at;
}

export interface AtxHeading {
  readonly level: number;
  readonly textStart: number;
  readonly textEnd: number;
}

/** Section 4.2. The returned text is without the closing `#`s. */
export function readAtxHeading(text: string, at: number, end: number): AtxHeading | null {
  let level = 0;
  while (level < 7 && text.charAt(at + level) === '#') level++;
  if (level === 0 || level > 6) return null;
  const after = at + level;
  if (after < end && !isBlank(text, after)) return null;
  const textEnd = trimEnd(text, after, end);
  let close = textEnd;
  while (close > after && text.charAt(close - 1) === '#') close--;
  const closed = close < textEnd && (close === after || isBlank(text, close - 1));
  const bounded = closed ? trimEnd(text, after, close) : textEnd;
  return { level, textStart: Math.min(skipBlanks(text, after, end), bounded), textEnd: bounded };
}

/** Section 4.3. Returns 1 for a line of `=`, 2 for a line of `-`, else 0. */
export function setextLevel(text: string, at: number, end: number): 0 | 1 | 2 {
  const mark = text.charAt(at);
  if (mark !== '=' && mark !== '-') return 0;
  let i = at;
  while (i < end && text.charAt(i) === mark) i++;
  return skipBlanks(text, i, end) < end ? 0 : mark === '=' ? 1 : 2;
}

export interface FenceMark {
  readonly char: string;
  readonly length: number;
}

/** Section 4.5: reads the marker that opens a fenced code block. */
export function readFence(text: string, at: number, end: number): FenceMark | null {
  const char = text.charAt(at);
  if (char !== '`' && char !== '~') return null;
  let i = at;
  while (i < end && text.charAt(i) === char) i++;
  if (i - at < 3) return null;
  if (char === '`') {
    for (let j = i; j < end; j++) if (text.charAt(j) === '`') return null;
  }
  return { char, length: i - at };
}

/** Section 4.5: whether the line closes the fence. */
export function closesFence(fence: FenceMark, text: string, at: number, end: number): boolean {
  let i = at;
  while (i < end && text.charAt(i) === fence.char) i++;
  return i - at >= fence.length && skipBlanks(text, i, end) >= end;
}

export interface ListMarker {
  /** Length of the marker itself: 1 for `-`, 3 for `12.`. */
  readonly length: number;
  /** Whether it may interrupt a paragraph (section 5.3): a bullet or the number 1, and not an empty item. */
  readonly interrupts: boolean;
}

/** Section 5.2: reads the marker of a list item; null when there is none. */
export function readListMarker(text: string, at: number, end: number): ListMarker | null {
  const first = text.charAt(at);
  let length = 1;
  let one = true;
  if (first >= '0' && first <= '9') {
    let i = at;
    while (i < end && i - at < 10 && text.charAt(i) >= '0' && text.charAt(i) <= '9') i++;
    const delimiter = text.charAt(i);
    if (i - at > 9 || i >= end || (delimiter !== '.' && delimiter !== ')')) return null;
    one = Number.parseInt(text.slice(at, i), 10) === 1;
    length = i - at + 1;
  } else if (first !== '-' && first !== '+' && first !== '*') {
    return null;
  }
  const after = at + length;
  if (after < end && !isBlank(text, after)) return null;
  return { length, interrupts: one && skipBlanks(text, after, end) < end };
}

/** Length of the marker `[^label]:` of a footnote definition, as desktop note applications write it; else 0. */
export function footnoteMarkLength(text: string, at: number, end: number): number {
  if (text.charAt(at) !== '[' || text.charAt(at + 1) !== '^') return 0;
  for (let i = at + 2; i < end; i++) {
    const c = text.charAt(i);
    if (c === ']') return i > at + 2 && i + 1 < end && text.charAt(i + 1) === ':' ? i + 2 - at : 0;
    if (c === '[' || c === ' ' || c === '\t') return 0;
  }
  return 0;
}

/** Offset of the first character in `at..end` that is neither space nor tab. */
export function skipBlanks(text: string, at: number, end: number): number {
  let i = at;
  while (i < end && isBlank(text, i)) i++;
  return i;
}

function trimEnd(text: string, from: number, end: number): number {
  let i = end;
  while (i > from && isBlank(text, i - 1)) i--;
  return i;
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}
