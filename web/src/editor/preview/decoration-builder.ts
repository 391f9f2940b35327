import { type Range as DecorationRange, type EditorState, RangeSet } from '@codemirror/state';
import { Decoration, type DecorationSet, type WidgetType } from '@codemirror/view';
import { editorMode } from '../core/modes.ts';
import { revealState } from './preview-state.ts';
import type { RenderContext } from './renderer.ts';
import { isRevealed, type Range, type RevealRule, type RevealState } from './reveal.ts';

const hidden = Decoration.replace({});

/** Decorations of one pass over the visible part of a document. */
export interface BuiltDecorations {
  readonly decorations: DecorationSet;
  /** Ranges that the cursor skips in one step. */
  readonly atomic: RangeSet<Decoration>;
}

/** Collects the decorations of all renderers. */
export class DecorationBuilder implements RenderContext {
  readonly state: EditorState;
  readonly mode;
  visible: Range = { from: 0, to: 0 };
  readonly #reveal: RevealState;
  readonly #placed: DecorationRange<Decoration>[] = [];
  readonly #atomic: DecorationRange<Decoration>[] = [];
  /** Starts of ranges in `#placed` by their kind, so that a node in two visible ranges is drawn once. */
  readonly #seen = new Set<string>();

  constructor(state: EditorState) {
    this.state = state;
    this.mode = state.facet(editorMode);
    this.#reveal = revealState(state);
  }

  isRevealed(range: Range, rule: RevealRule): boolean {
    return isRevealed(rule, range, this.#reveal);
  }

  hide(from: number, to: number): void {
    if (from >= to || !this.#once('hide', from, to)) return;
    this.#placed.push(hidden.range(from, to));
    this.#atomic.push(hidden.range(from, to));
  }

  mark(from: number, to: number, className: string, attributes?: Readonly<Record<string, string>>): void {
    if (from >= to || !this.#once(className, from, to)) return;
    const spec = attributes === undefined ? { class: className } : { class: className, attributes };
    this.#placed.push(Decoration.mark(spec).range(from, to));
  }

  wrap(from: number, to: number, className: string): void {
    if (from >= to || !this.#once(className, from, to)) return;
    // A non-inclusive mark would begin after a widget at its start.
    this.#placed.push(Decoration.mark({ class: className, inclusiveStart: true }).range(from, to));
  }

  replace(from: number, to: number, widget: WidgetType): void {
    if (from >= to || !this.#once('hide', from, to)) return;
    const decoration = Decoration.replace({ widget });
    this.#placed.push(decoration.range(from, to));
    this.#atomic.push(decoration.range(from, to));
  }

  insert(at: number, widget: WidgetType, side: -1 | 1): void {
    if (this.#once(`widget ${side}`, at, at)) this.#placed.push(Decoration.widget({ widget, side }).range(at));
  }

  line(at: number, className: string, attributes?: Readonly<Record<string, string>>): void {
    const { from } = this.state.doc.lineAt(at);
    if (!this.#once(`line ${className}`, from, from)) return;
    const spec = attributes === undefined ? { class: className } : { class: className, attributes };
    this.#placed.push(Decoration.line(spec).range(from));
  }

  eachLine(range: Range, visit: (line: { from: number; to: number; text: string }) => void): void {
    const end = Math.min(range.to, this.visible.to);
    for (let at = Math.max(range.from, this.visible.from); at <= end; ) {
      const line = this.state.doc.lineAt(at);
      visit(line);
      at = line.to + 1;
    }
  }

  text(from: number, to: number): string {
    return this.state.doc.sliceString(from, to);
  }

  finish(): BuiltDecorations {
    return { decorations: Decoration.set(this.#placed, true), atomic: RangeSet.of(this.#atomic, true) };
  }

  #once(kind: string, from: number, to: number): boolean {
    const key = `${from} ${to} ${kind}`;
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }
}
