import type { SyntaxNode } from '@lezer/common';
import type { LinkTarget } from '../core/services.ts';
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
  if (read.destination.kind === 'web') {
    const { url } = read.destination;
    return url.startsWith('mailto:') ? { kind: 'none' } : { kind: 'remote', url, alt };
  }
  if (read.destination.kind === 'refused') return { kind: 'none' };
  const { link } = read.destination;
  const kind = mediaKind(link.target);
  if (kind === 'note') return isWiki || link.target.endsWith('.md') ? { kind, link } : { kind: 'none' };
  const page = Number(/^page=(\d{1,5})/.exec(link.anchor ?? '')?.[1] ?? 1);
  return { kind: 'media', media: { kind, path: link.target, alt, size, page } };
}
