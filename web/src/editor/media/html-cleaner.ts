import { HTML_TAGS } from '@notevault/note-html/html-tags.ts';
import DOMPurify from 'dompurify';

const ATTRIBUTES = ['href', 'title', 'open', 'colspan', 'rowspan', 'scope', 'start', 'reversed', 'dir', 'lang'];
const IMAGE_ATTRIBUTES = ['data-src', 'alt', 'width', 'height'];

function hideSource(node: Element): void {
  if (node.nodeName !== 'IMG') return;
  node.setAttribute('data-src', node.getAttribute('src') ?? '');
  node.removeAttribute('src');
}

/**
 * Parses HTML, keeping only allowed tags and attributes. Image sources become `data-src`, so that nothing is loaded. In
 * a file of its own, loaded with the first HTML.
 */
export function cleanHtml(source: string): DocumentFragment {
  DOMPurify.addHook('beforeSanitizeAttributes', hideSource);
  const clean = DOMPurify.sanitize(source, {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: [...HTML_TAGS],
    ALLOWED_ATTR: [...ATTRIBUTES, ...IMAGE_ATTRIBUTES],
    ADD_URI_SAFE_ATTR: IMAGE_ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  });
  // The same instance also cleans pasted HTML, which keeps its image sources.
  DOMPurify.removeHook('beforeSanitizeAttributes', hideSource);
  for (const link of clean.querySelectorAll('a')) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  }
  return clean;
}
