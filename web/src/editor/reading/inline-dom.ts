import type { EditorView } from '@codemirror/view';
import type { SyntaxNode } from '@lezer/common';
import { isPadded } from '@notevault/note-html/grammar/padded-code.ts';
import type { Destination } from '@notevault/note-html/links/destination.ts';
import { type EmbedSpec, readEmbed, readImageTag } from '@notevault/note-html/links/embed-spec.ts';
import { readLinkNode, readWikilinkNode } from '@notevault/note-html/links/read-link.ts';
import { services } from '../core/services.ts';
import { LINK_CLASS, openDestination } from '../links/link-click.ts';
import { inlineEmbed } from '../media/inline-embed.ts';
import { ANCHOR_SEPARATOR, stringsOf } from '../media/inline-widgets.ts';
import { renderMath } from '../media/math.ts';
import { element } from '../preview/widget-base.ts';
import { noteParser } from '../syntax/markdown-language.ts';

const ELEMENTS: Readonly<Record<string, 'em' | 'strong' | 's' | 'mark' | 'code' | 'sup' | 'sub'>> = {
  Emphasis: 'em',
  StrongEmphasis: 'strong',
  Strikethrough: 's',
  Highlight: 'mark',
  InlineCode: 'code',
  Superscript: 'sup',
  Subscript: 'sub',
};

/** Renders one line of markdown as elements. Text is inserted as text; nothing is parsed as HTML. */
export function drawInline(parent: HTMLElement, source: string, view: EditorView): void {
  const tree = noteParser.parse(source);
  const block = tree.topNode.firstChild;
  if (block === null) return;
  const drawer = new InlineDrawer(source, view);
  if (block.name === 'HTMLBlock') drawer.tag(parent, block);
  else drawer.children(parent, block, block.from, block.to);
}

class InlineDrawer {
  readonly #source: string;
  readonly #view: EditorView;

  constructor(source: string, view: EditorView) {
    this.#source = source;
    this.#view = view;
  }

  /** Renders a node's content between two offsets, including the text between its children. */
  children(parent: Node, node: SyntaxNode, from: number, to: number): void {
    let at = from;
    for (let child = node.firstChild; child !== null && child.from < to; child = child.nextSibling) {
      if (child.from < from) continue;
      this.#text(parent, at, child.from);
      this.#node(parent, child);
      at = child.to;
    }
    this.#text(parent, at, to);
  }

  #text(parent: Node, from: number, to: number): void {
    if (from < to) parent.appendChild(document.createTextNode(this.#source.slice(from, to)));
  }

  #node(parent: Node, node: SyntaxNode): void {
    const name = ELEMENTS[node.name];
    if (name !== undefined) {
      const child = element(name);
      this.children(child, node, node.from, node.to);
      if (name === 'code' && isPadded(child.textContent)) child.textContent = child.textContent.slice(1, -1);
      parent.appendChild(child);
      return;
    }
    switch (node.name) {
      case 'Link':
        this.#link(parent, node);
        return;
      case 'WikiLink':
        this.#wikilink(parent, node);
        return;
      case 'WikiEmbed':
      case 'Image':
        this.#embed(parent, node, readEmbed(node, this.#slice));
        return;
      case 'InlineMath':
      case 'DisplayMath':
        this.#math(parent, node);
        return;
      case 'Escape':
        this.#text(parent, node.from + 1, node.to);
        return;
      case 'InlineComment':
      case 'Comment':
        return;
      case 'HTMLTag':
        this.tag(parent, node);
        return;
      case 'Tag':
        parent.appendChild(element('span', 'nv-tag', this.#source.slice(node.from, node.to)));
        return;
      default:
        if (!node.name.endsWith('Mark')) this.#text(parent, node.from, node.to);
    }
  }

  #link(parent: Node, node: SyntaxNode): void {
    const link = readLinkNode(node, this.#slice);
    const [open, close] = node.getChildren('LinkMark');
    if (link === null || open === undefined || close === undefined) {
      this.#text(parent, node.from, node.to);
      return;
    }
    const anchor = this.#anchor(link.destination);
    this.children(anchor, node, open.to, close.from);
    parent.appendChild(anchor);
  }

  #wikilink(parent: Node, node: SyntaxNode): void {
    const link = readWikilinkNode(node, this.#slice);
    const shown = node.getChild('WikiAlias') ?? node.getChild('WikiTarget');
    if (link === null || shown === null) {
      this.#text(parent, node.from, node.to);
      return;
    }
    const anchor = this.#anchor(link.destination);
    const text = this.#source.slice(shown.from, shown.to);
    anchor.textContent = shown.name === 'WikiTarget' ? text.replace(/^#/, '').replaceAll('#', ANCHOR_SEPARATOR) : text;
    parent.appendChild(anchor);
  }

  /** Renders an HTML tag inside a cell. Only line breaks, paragraphs and images have an effect. */
  tag(parent: Node, node: SyntaxNode): void {
    const tag = this.#source.slice(node.from, node.to);
    if (/^<(?:br|p)\s*\/?>$/i.test(tag)) parent.appendChild(element('br'));
    else this.#embed(parent, node, readImageTag(tag));
  }

  #embed(parent: Node, node: SyntaxNode, spec: EmbedSpec | null): void {
    const drawn = spec === null ? null : inlineEmbed(spec, this.#view, new AbortController().signal);
    if (drawn === null) this.#text(parent, node.from, node.to);
    else parent.appendChild(drawn);
  }

  #math(parent: Node, node: SyntaxNode): void {
    const size = node.name === 'DisplayMath' ? 2 : 1;
    const formula = this.#source.slice(node.from + size, node.to - size);
    const holder = element('span', 'nv-math', formula);
    void renderMath(holder, formula, false, stringsOf(this.#view).mathFailed);
    parent.appendChild(holder);
  }

  #anchor(destination: Destination): HTMLElement {
    const isDangling =
      destination.kind === 'note' && this.#view.state.facet(services)?.links.status(destination.link) === 'dangling';
    const node = element('a', `${LINK_CLASS}${isDangling ? ' nv-link-dangling' : ''}`);
    if (destination.kind === 'refused') return node;
    if (destination.kind === 'web') {
      node.href = destination.url;
      node.target = '_blank';
      node.rel = 'noopener noreferrer';
      return node;
    }
    node.tabIndex = 0;
    node.setAttribute('role', 'link');
    const open = (event: MouseEvent | KeyboardEvent) => {
      event.preventDefault();
      openDestination(this.#view, destination, event.ctrlKey || event.metaKey);
    };
    node.addEventListener('click', open);
    node.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') open(event);
    });
    return node;
  }

  readonly #slice = (from: number, to: number) => this.#source.slice(from, to);
}
