import { HTML_TAGS } from './html-tags.ts';

/** Longer ones stay text. */
const MOST = 20_000;
const TAG = /<(\/?)([a-z][a-z0-9]*)(?:\s[^<>]*)?>/gi;
/** Elements without content, and so without an end. */
export const VOID_TAGS: ReadonlySet<string> = new Set(['br', 'hr', 'img']);

/** The policy of the page reports handlers as soon as they are parsed. */
const HANDLER = /[\s/"']on[a-z]+\s*=/i;

/**
 * Returns whether a block of HTML has only tags that are shown, each with its end. Whatever else there is stays text.
 */
export function isShownHtml(source: string): boolean {
  if (source.length > MOST || HANDLER.test(source)) return false;
  const open: string[] = [];
  const rest = source.replace(TAG, (_, slash: string, written: string) => {
    const name = written.toLowerCase();
    if (!HTML_TAGS.includes(name)) return '<';
    if (VOID_TAGS.has(name)) return '';
    if (slash === '') open.push(name);
    else if (open.pop() !== name) return '<';
    return '';
  });
  return open.length === 0 && !rest.includes('<');
}
