import { maxTargetLength } from '../links/parsed-link.ts';

/** Parts of `[[target#anchor|alias]]`; offsets are UTF-16 positions in the text it was read from. */
export interface Wikilink {
  readonly target: string;
  readonly anchor: string | null;
  readonly alias: string;
  readonly targetStart: number;
  readonly targetEnd: number;
  readonly end: number;
}

/** `end` is where to continue: after the link, or at the offset before which no wikilink can begin. */
export type WikilinkResult = { readonly link: Wikilink | null; readonly end: number };

const stopPattern = /\[\[|\]\]|[\r\n]/g;

/**
 * Reads the wikilink at `start`, where the text has `[[`. The innermost brackets win (`[[a [[b]]` links to b), and a
 * link must end on its line, so each character is read once however many brackets are open.
 */
export function readWikilink(text: string, start: number): WikilinkResult {
  const inner = start + 2;
  if (text.charAt(inner) === '[') return { link: null, end: start + 1 };
  stopPattern.lastIndex = inner;
  const stop = stopPattern.exec(text);
  const close = stop ? stop.index : text.length;
  if (stop?.[0] !== ']]') return { link: null, end: close };
  return { link: split(text, inner, close), end: close + 2 };
}

function split(text: string, inner: number, close: number): Wikilink | null {
  const raw = text.slice(inner, close);
  const pipe = raw.indexOf('|');
  // In a table the pipe is escaped (`[[a\|b]]`); elsewhere a file name does not end in a backslash either.
  const targetLimit = pipe < 0 ? raw.length : raw.charAt(pipe - 1) === '\\' ? pipe - 1 : pipe;
  const written = raw.slice(0, targetLimit);
  const body = written.trim();
  if (body === '' || body.length > maxTargetLength || isUrl(body)) return null;
  const hash = body.indexOf('#');
  const target = (hash < 0 ? body : body.slice(0, hash)).trim().normalize('NFC');
  const anchor = hash < 0 ? null : body.slice(hash + 1).trim() || null;
  if (target === '' && anchor === null) return null;
  const targetStart = inner + written.indexOf(body);
  return {
    target,
    anchor,
    alias: pipe < 0 ? '' : raw.slice(pipe + 1),
    targetStart,
    targetEnd: targetStart + body.length,
    end: close + 2,
  };
}

/** `[[Note: part two]]` is a title with a colon; only `//` or a mail address makes it a URL. */
function isUrl(target: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/|mailto:|\/\/)/i.test(target);
}
