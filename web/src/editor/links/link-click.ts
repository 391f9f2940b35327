import { syntaxTree } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import type { SyntaxNode } from '@lezer/common';
import { type Destination, readBareAddress } from '@notevault/note-html/links/destination.ts';
import { readLinkNode, readWikilinkNode } from '@notevault/note-html/links/read-link.ts';
import { editorMode } from '../core/modes.ts';
import { services } from '../core/services.ts';

/** CSS class of elements that open a link when clicked. */
export const LINK_CLASS = 'nv-link';

/** Opens a destination: a web address in a new tab without access to this one, a note through the app. */
export function openDestination(view: EditorView, destination: Destination, newTab: boolean): void {
  if (destination.kind === 'web') window.open(destination.url, '_blank', 'noopener,noreferrer');
  else if (destination.kind === 'note') view.state.facet(services)?.links.open(destination.link, { newTab });
}

/** The destination of the link at an offset; null when there is none. */
export function destinationAt(view: EditorView, at: number): Destination | null {
  const { state } = view;
  const text = (from: number, to: number) => state.doc.sliceString(from, to);
  for (const side of [1, -1] as const) {
    for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, side); node; node = node.parent) {
      const link = linkOf(node, text);
      if (link !== null) return link.destination;
    }
  }
  return null;
}

function linkOf(node: SyntaxNode, text: (from: number, to: number) => string) {
  switch (node.name) {
    case 'WikiLink':
    case 'WikiEmbed':
      return readWikilinkNode(node, text);
    case 'Link':
    case 'Image':
    case 'Autolink':
      return readLinkNode(node, text);
    case 'URL':
      return node.parent?.name === 'Paragraph' ? { destination: readBareAddress(text(node.from, node.to)) } : null;
    default:
      return null;
  }
}

/**
 * Follows links on a click: in reading mode always, in preview if the link's marks are hidden, in source mode with Ctrl
 * or Cmd.
 */
export const linkClicks = EditorView.domEventHandlers({
  mousedown(event, view) {
    const target = event.target instanceof Element ? event.target.closest(`.${LINK_CLASS}`) : null;
    if (target === null || event.button > 1) return false;
    const isHeld = event.ctrlKey || event.metaKey;
    if (
      !isHeld &&
      event.button === 0 &&
      (view.state.facet(editorMode) === 'source' || target.matches('.nv-revealed'))
    ) {
      return false;
    }
    const at = view.posAtDOM(target, 0);
    const destination = destinationAt(view, at);
    if (destination === null) return false;
    event.preventDefault();
    openDestination(view, destination, isHeld || event.button === 1);
    return true;
  },
  click(event) {
    // The press has opened the link; the element must not open it again.
    const target = event.target instanceof Element ? event.target.closest(`a.${LINK_CLASS}`) : null;
    if (target === null) return false;
    event.preventDefault();
    return true;
  },
});
