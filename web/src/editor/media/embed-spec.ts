import type { SyntaxNode } from '@lezer/common';
import { unescapeHtml } from '@notevault/note-text/scan/destination.ts';
import { readAttributes } from '@notevault/note-text/scan/html.ts';
import type { LinkTarget } from '../core/services.ts';
import { type Destination, readDestinationUrl } from '../links/destination.ts';
import { readLinkNode, readWikilinkNode } from '../links/read-link.ts';
import type { MediaSpec } from './media-elements.ts';
import { mediaKind, readImageSize } from './media-kind.ts';

/** What an embed of the text shows. */
export type EmbedSpec =
  | { readonly kind: 'media'; readonly media: MediaSpec }
  | { readonly kind: 'note'; readonly link: LinkTarget }
  | { readonly kind: 'remote'; readonly url: string; readonly alt: string }
  /** An address that is not loaded; the source stays. */
  | { readonly kind: 'none' };

type ReadText = (from: number, to: number) => string;

/** Reads `![[…]]` or `![…](…)`. */
export function readEmbed(node: SyntaxNode, text: ReadText): EmbedSpec {
  const isWiki = node.name === 'WikiEmbed';
  const read = isWiki ? readWikilinkNode(node, text) : readLinkNode(node, text);
  if (read === null) return { kind: 'none' };
  const { size, alt } = readImageSize(read.label);
  if (read.destination.kind !== 'note') return remoteImage(read.destination, alt);
  const { link } = read.destination;
  const kind = mediaKind(link.target);
  if (kind === 'note') return isWiki || link.target.endsWith('.md') ? { kind, link } : { kind: 'none' };
  const page = Number(/^page=(\d{1,5})/.exec(link.anchor ?? '')?.[1] ?? 1);
  return { kind: 'media', media: { kind, path: link.target, alt, size, page } };
}

function remoteImage(destination: Exclude<Destination, { kind: 'note' }>, alt: string): EmbedSpec {
  if (destination.kind === 'refused' || destination.url.startsWith('mailto:')) return { kind: 'none' };
  return { kind: 'remote', url: destination.url, alt };
}

/** Reads an `<img>`, with its attributes decoded. */
export function readImage(src: string, { alt, width, height }: ImageAttributes): EmbedSpec {
  const destination = readDestinationUrl(src.trim(), (decoded) => decoded);
  if (destination.kind !== 'note') return remoteImage(destination, alt);
  const { target: path } = destination.link;
  if (mediaKind(path) !== 'image') return { kind: 'none' };
  const size = Number(width) > 0 ? { width: Number(width), height: Number(height) || null } : null;
  return { kind: 'media', media: { kind: 'image', path, alt, size, page: 1 } };
}

interface ImageAttributes {
  readonly alt: string;
  readonly width: string | number;
  readonly height: string | number;
}

/** Reads `<img src="…">`; null for another tag. */
export function readImageTag(tag: string): EmbedSpec | null {
  if (!/^<img\s/i.test(tag)) return null;
  const attributes = readAttributes(tag, { start: 0, end: tag.length });
  const value = (name: string) => {
    const { start, end } = attributes.get(name) ?? { start: 0, end: 0 };
    return unescapeHtml(tag.slice(start, end));
  };
  return readImage(value('src'), { alt: value('alt'), width: value('width'), height: value('height') });
}
