import type { SyntaxNode, SyntaxNodeRef } from '@lezer/common';
import type { Destination } from '@notevault/note-html/links/destination.ts';
import { readLinkNode, readWikilinkNode } from '@notevault/note-html/links/read-link.ts';
import { services } from '../../core/services.ts';
import { LINK_CLASS } from '../../links/link-click.ts';
import { AnchorSeparatorWidget } from '../../media/inline-widgets.ts';
import type { InlineRenderer, RenderContext } from '../renderer.ts';

/** Markdown links: the text is shown, the destination hidden while no cursor touches the link. */
export const links: InlineRenderer = {
  nodes: ['Link'],
  render(node, context) {
    const link = readLinkNode(node.node, context.text.bind(context));
    const [open, close] = node.node.getChildren('LinkMark');
    if (link === null || open === undefined || close === undefined || close.from <= open.to) return;
    const isRevealed = context.isRevealed(node, 'touch');
    context.mark(open.to, close.from, linkClass(link.destination, isRevealed, context));
    if (isRevealed) {
      context.mark(node.from, open.to, 'nv-syntax');
      context.mark(close.from, node.to, 'nv-syntax');
    } else {
      context.hide(node.from, open.to);
      context.hide(close.from, node.to);
    }
  },
};

/** `<https://…>` and addresses that stand alone in the text. */
export const autolinks: InlineRenderer = {
  nodes: ['Autolink', 'URL'],
  isLeaf: true,
  render(node, context) {
    const parent = node.node.parent?.name;
    if (node.name === 'URL' && (parent === 'Link' || parent === 'Image' || parent === 'LinkReference')) return;
    const isRevealed = context.isRevealed(node, 'touch');
    const address = node.node.getChild('URL') ?? node;
    context.mark(address.from, address.to, `${LINK_CLASS} nv-link-web${isRevealed ? ' nv-revealed' : ''}`);
    if (node.name === 'Autolink' && !isRevealed) {
      context.hide(node.from, address.from);
      context.hide(address.to, node.to);
    }
  },
};

/** `[[target|alias]]`: the alias is shown, else the target. */
export const wikilinks: InlineRenderer = {
  nodes: ['WikiLink'],
  isLeaf: true,
  render(node, context) {
    const link = readWikilinkNode(node.node, context.text.bind(context));
    if (link === null) return;
    const isRevealed = context.isRevealed(node, 'touch');
    const shown = node.node.getChild('WikiAlias') ?? node.node.getChild('WikiTarget');
    if (shown === null) return;
    context.mark(shown.from, shown.to, linkClass(link.destination, isRevealed, context));
    if (isRevealed) {
      context.mark(node.from, shown.from, 'nv-syntax');
      context.mark(shown.to, node.to, 'nv-syntax');
    } else {
      context.hide(node.from, shown.from);
      context.hide(shown.to, node.to);
      if (shown.name === 'WikiTarget') separateAnchor(shown, context);
    }
  },
};

/** Shows `Note#Heading` as `Note › Heading`, and `#Heading` as `Heading`. */
function separateAnchor({ from, to }: SyntaxNode, context: RenderContext): void {
  const text = context.text(from, to);
  for (let at = text.indexOf('#'); at >= 0; at = text.indexOf('#', at + 1)) {
    if (at === 0) context.hide(from, from + 1);
    else context.replace(from + at, from + at + 1, new AnchorSeparatorWidget());
  }
}

function linkClass(destination: Destination, isRevealed: boolean, { state }: RenderContext): string {
  const classes = [LINK_CLASS];
  if (isRevealed) classes.push('nv-revealed');
  if (destination.kind === 'web') classes.push('nv-link-web');
  else if (destination.kind === 'refused') classes.push('nv-link-refused');
  else if (state.facet(services)?.links.status(destination.link) === 'dangling') classes.push('nv-link-dangling');
  return classes.join(' ');
}

/** `#tag` */
export const tags: InlineRenderer = {
  nodes: ['Tag'],
  render: (node: SyntaxNodeRef, context) => context.mark(node.from, node.to, 'nv-tag'),
};
