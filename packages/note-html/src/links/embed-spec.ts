import type { SyntaxNode } from '@lezer/common';
import { unescapeHtml } from '@notevault/note-text/scan/destination.ts';
import { readAttributes } from '@notevault/note-text/scan/html.ts';
import { type Destination, type LinkTarget, readDestinationUrl } from './destination.ts';
import { type ImageSize, type MediaKind, mediaKind, readImageSize } from './media-kind.ts';
import { definitionOf, type FindDefinition, readLinkNode, readWikilinkNode } from './read-link.ts';

/** An embedded file. */
export interface MediaSpec {
  readonly kind: Exclude<MediaKind, 'note'>;
  /** Path as written. */
  readonly path: string;
  readonly alt: string;
  readonly size: ImageSize | null;
  /** The page of a PDF, from its anchor; 1 without one. */
  readonly page: number;
}

/** Content that an embed shows. */
export type EmbedSpec =
  | { readonly kind: 'media'; readonly media: MediaSpec }
  | { readonly kind: 'note'; readonly link: LinkTarget }
  | { readonly kind: 'remote'; readonly url: string; readonly alt: string }
  /** An address that is not loaded; the source stays. */
  | { readonly kind: 'none' };

type ReadText = (from: number, to: number) => string;

/** Reads `![[…]]` or `![…](…)`. */
export function readEmbed(node: SyntaxNode, text: ReadText, define: FindDefinition = definitionOf): EmbedSpec {
  const isWiki = node.name === 'WikiEmbed';
  const read = isWiki ? readWikilinkNode(node, text) : readLinkNode(node, text, define);
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
