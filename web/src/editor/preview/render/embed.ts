import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import type { SyntaxNode, SyntaxNodeRef } from '@lezer/common';
import { type EmbedSpec, readEmbed, readImageTag } from '@notevault/note-html/links/embed-spec.ts';
import { LINK_CLASS } from '../../links/link-click.ts';
import { MediaBlockWidget, MediaInlineWidget, RemoteImageWidget } from '../../media/media-widgets.ts';
import { NoteEmbedWidget } from '../../media/note-embed.ts';
import type { BlockRenderer } from '../block-field.ts';
import type { InlineRenderer, RenderContext } from '../renderer.ts';
import type { Range } from '../reveal.ts';

/** An image or embed that is a whole paragraph, rendered in its place. */
export const embedBlocks: BlockRenderer = {
  nodes: ['Paragraph'],
  candidate(range, state) {
    const embed = loneEmbed(range, state);
    if (embed === null) return null;
    const spec = readEmbed(embed, (from, to) => state.doc.sliceString(from, to));
    if (spec.kind === 'media') return { widget: new MediaBlockWidget(spec.media), staysBelow: true };
    if (spec.kind === 'note') return { widget: new NoteEmbedWidget(spec.link), staysBelow: true };
    return null;
  },
};

/** Returns the embed that a paragraph consists of; null for any other paragraph. */
function loneEmbed({ from, to }: Range, state: EditorState): SyntaxNode | null {
  // Runs for every paragraph of a note, so the tree is only queried for candidates.
  if (to - from > 4_096 || state.doc.sliceString(from, from + 2) !== '![') return null;
  const node = syntaxTree(state).resolveInner(from + 1, 1);
  for (let at: SyntaxNode | null = node; at !== null && at.from >= from; at = at.parent) {
    if (at.name === 'WikiEmbed' || at.name === 'Image') {
      return at.from === from && state.doc.sliceString(at.to, to).trim() === '' ? at : null;
    }
  }
  return null;
}

/** Images and embeds within a line of text, in lists and in quotes. */
export const inlineEmbeds: InlineRenderer = {
  nodes: ['WikiEmbed', 'Image'],
  isLeaf: true,
  render: (node, context) => renderEmbed(node, context, readEmbed(node.node, context.text.bind(context))),
};

/** Renders `<img>` within a line; returns false for other tags and for images that are not rendered. */
export function renderImageTag(node: SyntaxNodeRef, context: RenderContext): boolean {
  const spec = readImageTag(context.text(node.from, node.to));
  if (spec === null || spec.kind === 'none') return false;
  renderEmbed(node, context, spec);
  return true;
}

function renderEmbed(node: SyntaxNodeRef, context: RenderContext, spec: EmbedSpec): void {
  if (context.isRevealed(node, 'touch')) {
    context.mark(node.from, node.to, 'nv-syntax');
    return;
  }
  const line = context.state.doc.lineAt(node.from);
  if (node.to > line.to) return;
  if (spec.kind === 'remote') context.replace(node.from, node.to, new RemoteImageWidget(spec.url, spec.alt));
  else if (spec.kind === 'media') {
    // The block field renders an image that is a whole paragraph.
    if (!isAlone(node.node, context.state)) context.replace(node.from, node.to, new MediaInlineWidget(spec.media));
  } else if (spec.kind === 'note' && !isAlone(node.node, context.state)) {
    context.mark(node.from, node.to, `${LINK_CLASS} nv-embed-link`);
  }
}

function isAlone(node: SyntaxNode, state: EditorState): boolean {
  const paragraph = node.parent;
  if (paragraph?.name !== 'Paragraph' || paragraph.parent?.name !== 'Document') return false;
  return loneEmbed(paragraph, state)?.from === node.from;
}
