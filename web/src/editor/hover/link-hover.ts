import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import { closeHoverTooltips, type EditorView, hoverTooltip, type Tooltip } from '@codemirror/view';
import type { SyntaxNode } from '@lezer/common';
import type { LinkTarget } from '@notevault/note-html/links/destination.ts';
import { readLinkNode, readWikilinkNode } from '@notevault/note-html/links/read-link.ts';
import { services } from '../core/services.ts';
import { stringsOf } from '../media/inline-widgets.ts';
import { drawNote, embedDepth } from '../preview/nested.ts';
import { element } from '../preview/widget-base.ts';

const HOVER_MS = 350;
/** Maximum characters of a note in a preview. */
const MAX_CHARACTERS = 4_000;

/** Shows the note that a link leads to, and the text of a footnote, while the pointer rests on it. */
export const linkHover = hoverTooltip(
  (view, at, side): Tooltip | null => {
    const found = hoveredAt(view, at, side);
    if (found === null) return null;
    return { pos: found.from, end: found.to, above: true, arrow: false, create: () => found.create() };
  },
  { hoverTime: HOVER_MS, hideOnChange: true },
);

interface HoverCard {
  readonly from: number;
  readonly to: number;
  create(): { dom: HTMLElement; destroy(): void };
}

function hoveredAt(view: EditorView, at: number, side: -1 | 1): HoverCard | null {
  const { state } = view;
  const text = (from: number, to: number) => state.doc.sliceString(from, to);
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, side); node; node = node.parent) {
    const { from, to } = node;
    if (node.name === 'FootnoteReference') {
      const note = footnoteText(state, text(from, to));
      return note === null ? null : { from, to, create: () => drawPopup(view, null, note) };
    }
    const link =
      node.name === 'WikiLink' ? readWikilinkNode(node, text) : node.name === 'Link' ? readLinkNode(node, text) : null;
    if (link?.destination.kind !== 'note') continue;
    const target = link.destination.link;
    return { from, to, create: () => drawPopup(view, target, '') };
  }
  return null;
}

function drawPopup(view: EditorView, link: LinkTarget | null, text: string) {
  const dom = element('div', 'nv-hover');
  const stop = new AbortController();
  closeOnEscape(view, stop.signal);
  const draw = (content: string) => {
    const app = view.state.facet(services);
    const depth = view.state.facet(embedDepth) + 1;
    dom.replaceChildren();
    const drawn = app === null ? null : view.state.facet(drawNote)?.(dom, content, app, depth);
    if (drawn) stop.signal.addEventListener('abort', () => drawn[Symbol.dispose](), { once: true });
  };
  if (link === null) draw(text);
  else {
    dom.textContent = stringsOf(view).loading;
    void loadExcerpt(view, link, stop.signal).then((content) => {
      if (stop.signal.aborted) return;
      if (content === null) dom.textContent = stringsOf(view).notFound;
      else draw(content);
    });
  }
  return { dom, destroy: () => stop.abort() };
}

/** Closes the preview on Escape wherever the focus is, and stops the key from doing anything else. */
function closeOnEscape(view: EditorView, signal: AbortSignal): void {
  const close = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    view.dispatch({ effects: closeHoverTooltips });
  };
  view.dom.ownerDocument.addEventListener('keydown', close, { capture: true, signal });
}

async function loadExcerpt(view: EditorView, link: LinkTarget, signal: AbortSignal): Promise<string | null> {
  const excerpt = await view.state
    .facet(services)
    ?.content.excerpt(link, signal)
    .catch(() => null);
  return excerpt ? excerpt.text.slice(0, MAX_CHARACTERS) : null;
}

/** Returns the range of a footnote's definition, by its reference `[^label]`; null if there is none. */
function footnoteDefinition(state: EditorState, reference: string): { from: number; to: number } | null {
  for (const node of syntaxTree(state).topNode.getChildren('FootnoteDefinition')) {
    const label = node.getChild('FootnoteLabel');
    if (label !== null && state.doc.sliceString(label.from, label.to - 1) === reference) {
      return { from: label.to, to: node.to };
    }
  }
  return null;
}

/** The text of a footnote, without the indentation of its later lines. */
function footnoteText(state: EditorState, reference: string): string | null {
  const place = footnoteDefinition(state, reference);
  return place === null
    ? null
    : state.doc
        .sliceString(place.from, place.to)
        .trim()
        .replace(/^ {4}|^\t/gm, '');
}
