import type { SyntaxNode, SyntaxNodeRef, Tree } from '@lezer/common';
import { normalizeLabel } from '@notevault/note-text/scan/definitions.ts';
import { pageParser } from '../grammar/note-syntax.ts';
import type { FindDefinition } from '../links/read-link.ts';
import { BLOCKS } from './blocks.ts';
import type { FindLanguage } from './code.ts';
import type { Definitions } from './definitions.ts';
import { escapeHtml } from './html-text.ts';
import { INLINE } from './inline.ts';
import type { PageLinks } from './resolver.ts';
import type { TableState } from './tables.ts';

export interface PageContext extends Definitions {
  readonly links: PageLinks;
  readonly findLanguage: FindLanguage;
  /** Offset of the heading that repeats the page's title; -1 if there is none. */
  readonly titleAt: number;
}

/** An element that is being written. */
export interface Frame {
  /** The node of the tree, or the tag of HTML within a line. */
  readonly name: string;
  readonly close: string;
  /** Whether text between the children is visible. */
  readonly hasText: boolean;
  /** Whether the frame is a tag of HTML, which ends with its closing tag or with the node around it. */
  readonly isTag: boolean;
}

/** Output of a node: a text that replaces it, and source after it up to an offset; or text around its children's output. */
export type Written =
  | { readonly html: string; readonly to?: number | undefined }
  | { readonly open: string; readonly close: string; readonly hasText?: boolean };

/** Writes a node; null writes only what its children are. */
export type Write = (node: SyntaxNode, writer: NoteWriter) => Written | null;

/** Elements in each other beyond this are left out, with their content kept: browsers stop at 512. */
const DEEPEST = 200;

/** Writes the tree of a note as HTML, in one walk. Text is escaped wherever it comes from. */
export class NoteWriter {
  readonly source: string;
  readonly context: PageContext;
  /** The table that is being written, or was last. */
  table: TableState | null = null;
  readonly #out: string[] = [];
  readonly #frames: Frame[] = [];
  /** Offset of the first text that is not written yet. */
  #at = 0;
  /** Whether a line ended, which shows only when something follows in the same element. */
  #isBreakDue = false;

  constructor(source: string, context: PageContext) {
    this.source = source;
    this.context = context;
  }

  write(tree: Tree): string {
    tree.iterate({ enter: (node) => this.#enter(node), leave: (node) => this.#leave(node) });
    return this.#out.join('');
  }

  /** Renders a text as the inside of a paragraph. */
  inline(text: string): string {
    // A blank that is no indentation: nothing after it begins a list or a heading.
    const source = `\u00a0${text}`;
    const tree = pageParser.parse(source);
    const writer = new NoteWriter(source, { ...this.context, titleAt: -1 });
    writer.#at = 1;
    writer.#frames.push({ name: 'Paragraph', close: '', hasText: true, isTag: false });
    tree.topNode.firstChild?.toTree().iterate({
      enter: (node) => (node.node.parent === null ? undefined : writer.#enter(node)),
      leave: (node) => (node.node.parent === null ? undefined : writer.#leave(node)),
    });
    writer.#text(source.length);
    return writer.#out.join('');
  }

  text(from: number, to: number): string {
    return this.source.slice(from, to);
  }

  readonly slice = (from: number, to: number) => this.source.slice(from, to);

  readonly define: FindDefinition = (_node, label) => this.context.destinations.get(normalizeLabel(label)) ?? null;

  /** Returns whether an element is around what is written now. */
  isInside(name: string): boolean {
    return this.#frames.some((frame) => frame.name === name);
  }

  get innermost(): Frame | undefined {
    return this.#frames.at(-1);
  }

  /** Opens a tag of HTML within a line. */
  openTag(name: string): void {
    if (this.#frames.length >= DEEPEST) return;
    this.#push(`<${name}>`);
    this.#frames.push({ name, close: `</${name}>`, hasText: true, isTag: true });
  }

  /** Closes a tag that was opened in the same node, with those in it. */
  closeTag(name: string): void {
    const from = this.#frames.findLastIndex((frame) => !frame.isTag || frame.name === name);
    if (this.#frames[from]?.isTag !== true) return;
    while (this.#frames.length > from) this.#out.push(this.#frames.pop()?.close ?? '');
  }

  #enter(ref: SyntaxNodeRef): boolean | undefined {
    if (ref.name === 'Document') return undefined;
    this.#text(ref.from);
    const write = BLOCKS[ref.name] ?? INLINE[ref.name];
    const written = write === undefined ? undefined : write(ref.node, this);
    if (written !== null && written !== undefined && 'html' in written) {
      if (written.html !== '') this.#push(written.html);
      this.#at = Math.max(this.#at, written.to ?? ref.to);
      return false;
    }
    const isBlock = BLOCKS[ref.name] !== undefined;
    if (isBlock) this.#isBreakDue = false;
    const hasText = written?.hasText ?? !isBlock;
    const isShown = written !== null && written !== undefined && this.#frames.length < DEEPEST;
    if (isShown) this.#push(written.open);
    this.#frames.push({ name: ref.name, close: isShown ? written.close : '', hasText, isTag: false });
    return undefined;
  }

  #leave(ref: SyntaxNodeRef): void {
    if (ref.name === 'Document') return;
    this.#text(ref.to);
    while (this.innermost?.isTag === true) this.#out.push(this.#frames.pop()?.close ?? '');
    const frame = this.#frames.pop();
    if (frame === undefined) return;
    if (BLOCKS[frame.name] !== undefined) this.#isBreakDue = false;
    this.#out.push(frame.close);
  }

  /** Writes the text up to an offset, if it is text and not what stands between blocks. */
  #text(to: number): void {
    if (to <= this.#at) return;
    const text = this.source.slice(this.#at, to);
    this.#at = to;
    if (this.innermost?.hasText !== true) return;
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) this.#isBreakDue = true;
      const shown = index > 0 ? line.trimStart() : line;
      if (shown !== '') this.#push(escapeHtml(shown));
    }
  }

  #push(html: string): void {
    if (this.#isBreakDue) this.#out.push('<br>');
    this.#isBreakDue = false;
    this.#out.push(html);
  }
}
