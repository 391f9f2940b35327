import DOMPurify from 'dompurify';
import { HTML_TAGS } from './html-tags.ts';

const ATTRIBUTES = ['href', 'title', 'open', 'colspan', 'rowspan', 'scope', 'start', 'reversed', 'dir', 'lang'];

/** Makes elements of HTML, with tags and attributes of a list only. In a file of its own, loaded with the first HTML. */
export function cleanHtml(source: string): DocumentFragment {
  const clean = DOMPurify.sanitize(source, {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: [...HTML_TAGS],
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  });
  for (const link of clean.querySelectorAll('a')) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  }
  return clean;
}
