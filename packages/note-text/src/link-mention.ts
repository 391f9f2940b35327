import { toLabel } from './links/retarget.ts';
import { mentionsIn } from './mentions.ts';

/** A mention as it was read: where a text stands, and the names that it may be. */
export interface ReadMention {
  readonly names: readonly string[];
  readonly start: number;
  readonly text: string;
}

/**
 * Turns a mention into a link. Returns null if the text is no longer a mention.
 *
 * @param target what a wikilink may contain to lead to the note; null where none does: then it is a markdown link to
 * `path`.
 */
export function linkMention(
  content: string,
  { names, start, text }: ReadMention,
  { target, path }: { readonly target: string | null; readonly path: string },
): string | null {
  const end = start + text.length;
  if (content.slice(start, end) !== text) return null;
  const mention = mentionsIn(content, names).find((own) => own.start === start && own.end === end);
  if (mention === undefined) return null;
  return content.slice(0, start) + linkOf(text, target, path, mention.inTable) + content.slice(end);
}

function linkOf(text: string, target: string | null, path: string, inTable: boolean): string {
  if (target === text) return `[[${target}]]`;
  if (target !== null && !/[[\]|]/.test(text)) return `[[${target}${inTable ? '\\|' : '|'}${text}]]`;
  const label = toLabel(text);
  const encoded = path
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/[()]/g, (c) => (c === '(' ? '%28' : '%29'));
  return `[${inTable ? label.replaceAll('|', '\\|') : label}](/${encoded})`;
}
