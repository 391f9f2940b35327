import type { SyntaxNode } from '@lezer/common';
import { isPadded } from '../grammar/padded-code.ts';
import { readBareAddress } from '../links/destination.ts';
import { readEmbed, readImageTag } from '../links/embed-spec.ts';
import { mediaKind, readImageSize } from '../links/media-kind.ts';
import { readLinkNode, readWikilinkNode } from '../links/read-link.ts';
import { blockAnchorId, noteHref } from './anchors.ts';
import { embedHtml, fileLink, shownName } from './embed.ts';
import { formulaHtml } from './formula.ts';
import { escapeHtml, openTag, textElement, webAttributes } from './html-text.ts';
import type { NoteWriter, Write, Written } from './note-writer.ts';
import { sourceOf } from './source-of.ts';

const NOTHING: Written = { html: '' };
const nothing: Write = () => NOTHING;

const element = (name: string): Write => {
  const written = { open: `<${name}>`, close: `</${name}>` };
  return () => written;
};

const code: Write = (node, { source }) => {
  const written = sourceOf(node, source).replace(/\n/g, ' ');
  const inner = written.replace(/^`+|`+$/g, '');
  const shown = node.parent?.name === 'TableCell' ? inner.replaceAll('\\|', '|') : inner;
  return { html: textElement('code', {}, isPadded(shown) ? shown.slice(1, -1) : shown) };
};

const math: Write = (node, { source }) => {
  const isDisplay = node.name === 'DisplayMath';
  const size = isDisplay ? 2 : 1;
  return { html: formulaHtml(sourceOf(node, source).slice(size, -size), isDisplay) };
};

/** A markdown link. Without a destination it is text, with its brackets. */
const link: Write = (node, writer) => {
  const read = readLinkNode(node, writer.slice, writer.define);
  if (read === null) return null;
  const { destination } = read;
  if (destination.kind === 'refused' || writer.isInside('Link')) return { open: '<span>', close: '</span>' };
  if (destination.kind === 'web') return { open: openTag('a', webAttributes(destination.url)), close: '</a>' };
  const { target } = destination.link;
  if (mediaKind(target) !== 'note') {
    const file = writer.context.links.file(target);
    return file === null ? { open: '<span>', close: '</span>' } : { open: fileLink(file), close: '</a>' };
  }
  const href = noteHref(destination.link, writer.context.links);
  return href === null ? { open: '<span>', close: '</span>' } : { open: openTag('a', { href }), close: '</a>' };
};

/** Writes nothing: parts of a link other than its text. */
const linkPart: Write = (node, writer) => {
  const { innermost } = writer;
  if (innermost?.name === 'Link' && innermost.close === '') return null;
  // The text ends here; blanks around the address and the title are none of it.
  if (writer.source.charAt(node.from) === ']') return { html: '', to: node.parent?.to };
  return node.name === 'URL' && !isDestination(node, writer) ? bareAddress(node, writer) : NOTHING;
};

/** Returns whether an address is that of the link around it, and not part of its text. */
function isDestination({ parent, prevSibling }: SyntaxNode, { source }: NoteWriter): boolean {
  return parent?.name === 'Link' && prevSibling?.name === 'LinkMark' && source.charAt(prevSibling.from) === '(';
}

const bareAddress: Write = (node, writer) => addressHtml(writer.text(node.from, node.to), writer);

const autolink: Write = (node, writer) => {
  const url = node.getChild('URL');
  return url === null ? null : bareAddress(url, writer);
};

function addressHtml(written: string, writer: NoteWriter): Written {
  const destination = readBareAddress(written);
  const isWeb = destination.kind === 'web' && /^(?:https?|mailto):/i.test(destination.url);
  if (!isWeb || writer.isInside('Link')) return { html: escapeHtml(written) };
  return { html: textElement('a', webAttributes(destination.url), written) };
}

const wikilink: Write = (node, writer) => {
  const read = readWikilinkNode(node, writer.slice);
  if (read?.destination.kind !== 'note') return null;
  const { link: target } = read.destination;
  const shown = read.label.trim() || shownName(target.target, target.anchor);
  if (writer.isInside('Link')) return { html: escapeHtml(shown) };
  const file = mediaKind(target.target) === 'note' ? null : writer.context.links.file(target.target);
  if (file !== null) return { html: `${fileLink(file)}${escapeHtml(shown)}</a>` };
  const href = noteHref(target, writer.context.links);
  return { html: href === null ? escapeHtml(shown) : textElement('a', { href }, shown) };
};

const embed: Write = (node, writer) => {
  const read =
    node.name === 'WikiEmbed' ? readWikilinkNode(node, writer.slice) : readLinkNode(node, writer.slice, writer.define);
  const label = readImageSize(read?.label ?? '').alt.trim();
  return { html: embedHtml(readEmbed(node, writer.slice, writer.define), label, writer.context.links) };
};

/** Tags without attributes that show what they mean. */
const SHOWN_TAGS = new Set('b strong i em u ins s del mark kbd code sub sup small'.split(' '));

/** HTML within a line: a few tags show what they mean, every other tag is text. */
const htmlTag: Write = (node, writer) => {
  const tag = writer.text(node.from, node.to);
  const image = readImageTag(tag);
  if (image !== null) return { html: embedHtml(image, '', writer.context.links) };
  if (/^<br\s*\/?>$/i.test(tag)) return { html: '<br>' };
  if (/^<\/?span(?:\s[^>]*)?>$/i.test(tag)) return NOTHING;
  const [, slash, name = ''] = /^<(\/?)([a-z]+)>$/i.exec(tag.toLowerCase()) ?? [];
  if (!SHOWN_TAGS.has(name)) return { html: escapeHtml(tag) };
  if (slash === '') writer.openTag(name);
  else writer.closeTag(name);
  return NOTHING;
};

const footnoteReference: Write = (node, { source }) => {
  const label = source.slice(node.from + 2, node.to - 1);
  const anchor = textElement('a', { href: `#${encodeURIComponent(`fn-${label}`)}` }, label);
  return { html: `<sup class="fn">${anchor}</sup>` };
};

/** Writers of inline nodes, by node name. Nodes without a writer are written as their text. */
export const INLINE: Readonly<Record<string, Write>> = {
  Emphasis: element('em'),
  StrongEmphasis: element('strong'),
  Strikethrough: element('s'),
  Highlight: element('mark'),
  Superscript: element('sup'),
  Subscript: element('sub'),
  InlineCode: code,
  InlineMath: math,
  DisplayMath: math,
  Link: link,
  LinkMark: linkPart,
  LinkTitle: linkPart,
  LinkLabel: linkPart,
  URL: linkPart,
  Autolink: autolink,
  WikiLink: wikilink,
  WikiEmbed: embed,
  Image: embed,
  HTMLTag: htmlTag,
  HardBreak: () => ({ html: '<br>' }),
  Escape: (node, { source }) => ({ html: escapeHtml(source.slice(node.from + 1, node.to)) }),
  Tag: (node, { source }) => ({ html: textElement('span', { class: 'tag' }, source.slice(node.from, node.to)) }),
  FootnoteReference: footnoteReference,
  InlineFootnote: (node, writer) => ({
    html: `<sup class="fn">${writer.inline(writer.text(node.from + 2, node.to - 1))}</sup>`,
  }),
  BlockId: (node, { source }) => ({
    html: textElement('span', { id: blockAnchorId(source.slice(node.from + 1, node.to)) }, ''),
  }),
  InlineComment: nothing,
  Comment: nothing,
  ProcessingInstruction: nothing,
  EmphasisMark: nothing,
  StrikethroughMark: nothing,
  HighlightMark: nothing,
  SuperscriptMark: nothing,
  SubscriptMark: nothing,
  HeaderMark: nothing,
  QuoteMark: nothing,
  ListMark: nothing,
  TaskMarker: nothing,
};
