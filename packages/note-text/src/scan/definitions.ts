import { decodeTarget, readDestination, skipSpaces, skipTitle, type Target } from './destination.ts';
import type { InlineText } from './inline-text.ts';

/** The target of a `[label]: destination`; `target` is null when it is a URL, which makes no link between notes. */
export interface Definition {
  readonly target: Target | null;
  readonly targetStart: number;
  readonly targetEnd: number;
}

/** Definitions of a note by normalised label. The first definition of a label wins. */
export type Definitions = Map<string, Definition>;

const maxLabelLength = 999;

/**
 * Reads the label whose `[` is at `at` (CommonMark 0.31.2, section 6.3); `end` is after its `]`. Null when there is
 * none.
 */
export function readLabel(text: string, at: number): { readonly label: string; readonly end: number } | null {
  const limit = Math.min(text.length, at + maxLabelLength + 2);
  for (let i = at + 1; i < limit; i++) {
    const c = text.charAt(i);
    if (c === ']') return { label: text.slice(at + 1, i), end: i + 1 };
    if (c === '[') return null;
    if (c === '\\') i++;
  }
  return null;
}

/** Returns the form in which labels are compared: case folded, white space collapsed; empty for an invalid label. */
export function normalizeLabel(label: string): string {
  return label.length > maxLabelLength ? '' : label.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase();
}

/**
 * Moves the link reference definitions at the start of a paragraph (section 4.7) into `definitions`. Returns how many
 * lines they occupy.
 */
export function takeDefinitions(source: InlineText, definitions: Definitions): number {
  let at = 0;
  while (source.text.charAt(at) === '[') {
    const end = takeDefinition(source, at, definitions);
    if (end < 0) break;
    at = end;
  }
  return source.linesBefore(at);
}

/** Offset of the line after the definition at `at`; -1 when there is no definition. */
function takeDefinition(source: InlineText, at: number, definitions: Definitions): number {
  const { text } = source;
  const label = readLabel(text, at);
  // `[^1]:` defines a footnote.
  if (!label || text.charAt(label.end) !== ':' || label.label.startsWith('^')) return -1;
  const name = normalizeLabel(label.label);
  const start = skipSpaces(text, label.end + 1);
  const destination = readDestination(text, start);
  if (name === '' || !destination || destination.next === start) return -1;
  const afterTitle = titleEnd(text, destination.next);
  const end = afterTitle >= 0 ? afterTitle : lineEnd(text, destination.next);
  if (end < 0) return -1;
  if (!definitions.has(name)) {
    definitions.set(name, {
      target: decodeTarget(text.slice(destination.start, destination.end)),
      targetStart: source.toContent(destination.start),
      targetEnd: source.toContent(destination.end),
    });
  }
  return end;
}

function titleEnd(text: string, at: number): number {
  const start = skipSpaces(text, at);
  const end = start > at ? skipTitle(text, start) : -1;
  return end < 0 ? -1 : lineEnd(text, end);
}

/** Offset after the line end when only blanks follow `at` on its line, else -1. */
function lineEnd(text: string, at: number): number {
  let i = at;
  while (text.charAt(i) === ' ' || text.charAt(i) === '\t') i++;
  if (i >= text.length) return text.length;
  return text.charAt(i) === '\n' ? i + 1 : -1;
}
