import type { EditorState } from '@codemirror/state';
import type { WidgetType } from '@codemirror/view';
import type { SyntaxNodeRef } from '@lezer/common';
import type { EditorMode } from '../core/modes.ts';
import type { Range, RevealRule } from './reveal.ts';

/** Receives the decorations of renderers. Ranges are clipped to the visible part. */
export interface RenderContext {
  readonly state: EditorState;
  readonly mode: EditorMode;
  /** The visible range that is being rendered. */
  readonly visible: Range;
  isRevealed(range: Range, rule: RevealRule): boolean;
  /** Hides marks; the cursor skips them in one step. */
  hide(from: number, to: number): void;
  mark(from: number, to: number, className: string, attributes?: Readonly<Record<string, string>>): void;
  /** Like `mark`, but also encloses widgets at the start of the range. */
  wrap(from: number, to: number, className: string): void;
  /** Replaces text within a line. */
  replace(from: number, to: number, widget: WidgetType): void;
  /** Draws a widget between two characters. */
  insert(at: number, widget: WidgetType, side: -1 | 1): void;
  /** Adds a class to the line at an offset. */
  line(at: number, className: string, attributes?: Readonly<Record<string, string>>): void;
  /** Calls `visit` with the visible lines of a range, from the first to the last. */
  eachLine(
    range: Range,
    visit: (line: { readonly from: number; readonly to: number; readonly text: string }) => void,
  ): void;
  text(from: number, to: number): string;
}

/** Renderer of some kinds of inline nodes. */
export interface InlineRenderer {
  /** Names of the syntax nodes that it renders. */
  readonly nodes: readonly string[];
  /** Whether nodes inside are skipped. */
  readonly isLeaf?: boolean;
  render(node: SyntaxNodeRef, context: RenderContext): void;
}

/** Indexes renderers by node name. Each name has one renderer. */
export function rendererTable(renderers: readonly InlineRenderer[]): ReadonlyMap<string, InlineRenderer> {
  const table = new Map<string, InlineRenderer>();
  for (const renderer of renderers) {
    for (const name of renderer.nodes) {
      if (table.has(name)) throw new Error(`two renderers for ${name}`);
      table.set(name, renderer);
    }
  }
  return table;
}
