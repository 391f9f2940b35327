import type { EmbedSpec, MediaSpec } from '../links/embed-spec.ts';
import { noteHref } from './anchors.ts';
import { escapeHtml, openTag, textElement, webAttributes } from './html-text.ts';
import type { PageFile, PageLinks } from './resolver.ts';

/**
 * Renders an embed. Pictures of other servers are links: loading them would tell who reads the page. What the page may
 * not show is its label.
 *
 * @param label what the text calls it; the name of the file without one.
 */
export function embedHtml(spec: EmbedSpec, label: string, links: PageLinks): string {
  if (spec.kind === 'none') return escapeHtml(label);
  if (spec.kind === 'remote') return textElement('a', webAttributes(spec.url), spec.alt || spec.url);
  if (spec.kind === 'media') return mediaHtml(spec.media, links);
  const href = noteHref(spec.link, links);
  const shown = label || shownName(spec.link.target, spec.link.anchor);
  return href === null ? escapeHtml(shown) : textElement('a', { class: 'embed', href }, shown);
}

function mediaHtml({ path, alt, size }: MediaSpec, links: PageLinks): string {
  const file = links.file(path);
  if (file === null) return escapeHtml(alt || shownName(path, null));
  const { href } = file;
  if (file.show === 'image') {
    const { width, height } = size ?? {};
    return openTag('img', { src: href, alt, loading: 'lazy', width: width || null, height: height || null });
  }
  if (file.show === 'download') return `${fileLink(file)}${escapeHtml(alt || file.name)}</a>`;
  return `${openTag(file.show, { src: href, controls: true, preload: 'metadata', 'aria-label': alt || null })}</${file.show}>`;
}

/** Returns the name to show for a link target without an alias: the file name without its folders. */
export function shownName(target: string, anchor: string | null): string {
  const name = target.slice(target.lastIndexOf('/') + 1).replace(/\.md$/i, '');
  const parts = [name, ...(anchor ?? '').split('#')].map((part) => part.trim()).filter(Boolean);
  return parts.join(' › ');
}

/** Opens a link to a file of the page. */
export function fileLink({ href, show }: PageFile): string {
  return openTag('a', { class: 'file', href, download: show === 'download' || null });
}
