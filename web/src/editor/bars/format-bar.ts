import { syntaxTree } from '@codemirror/language';
import { EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import {
  type Command,
  type EditorView,
  keymap,
  repositionTooltips,
  showTooltip,
  type TooltipView,
  ViewPlugin,
} from '@codemirror/view';

const close = StateEffect.define();

/** Whether the user closed the bar for the current selection. */
const isClosed = StateField.define<boolean>({
  create: () => false,
  update: (value, { effects, selection }) =>
    effects.some((effect) => effect.is(close)) || (value && selection === undefined),
});

const tooltip = showTooltip.compute([isClosed, 'doc', 'selection', EditorState.readOnly], (state) => {
  if (state.field(isClosed) || !canFormat(state)) return null;
  // On touch screens the bar is below the selection, because the system's own menu is above it. Tests have no window.
  const above = 'matchMedia' in globalThis && !matchMedia('(pointer: coarse)').matches;
  return { pos: state.selection.main.from, end: state.selection.main.to, above, create: createBar };
});

/**
 * Marks the view while the mouse selects, so that the bar stays hidden until the button is released, even outside the
 * view.
 */
const pressWatch = ViewPlugin.define(({ dom, contentDOM }) => {
  const mark = (isPressed: boolean) => () => dom.toggleAttribute('data-pressed', isPressed);
  const [begin, end] = [mark(true), mark(false)];
  contentDOM.addEventListener('mousedown', begin);
  for (const name of ['mouseup', 'dragend'] as const) addEventListener(name, end);
  return {
    destroy() {
      contentDOM.removeEventListener('mousedown', begin);
      for (const name of ['mouseup', 'dragend'] as const) removeEventListener(name, end);
    },
  };
});

/** Closes the bar until the selection changes. */
const closeBar: Command = (view) => {
  const bar = view.dom.querySelector(BAR);
  if (bar === null || !bar.checkVisibility({ visibilityProperty: true })) return false;
  view.dispatch({ effects: close.of(null) });
  return true;
};

/** Format bar over the selection, for pointer, touch and keyboard. */
export const formatBar: Extension = [isClosed, tooltip, pressWatch, keymap.of([{ key: 'Escape', run: closeBar }])];

const BAR = '.nv-format-bar';

/** Moves the focus to the bar over the selection; false when there is none. */
export const focusFormatBar: Command = (view) => {
  const first = view.dom.querySelector<HTMLElement>(`${BAR} [tabindex="0"]`);
  first?.focus();
  return first !== null;
};

function createBar(view: EditorView): TooltipView {
  const dom = document.createElement('div');
  dom.className = 'nv-bar nv-format-bar';
  let show: (() => void) | null = null;
  void import('./format-tools.ts').then(({ addFormatTools }) => {
    show = addFormatTools(view, dom);
    repositionTooltips(view);
  });
  return { dom, offset: { x: 0, y: 6 }, update: () => show?.() };
}

/** Syntax nodes in which formatting marks are literal text. */
const LITERAL = new Set(['FencedCode', 'CodeBlock', 'Frontmatter', 'BlockMath', 'HTMLBlock']);

function canFormat(state: EditorState): boolean {
  const { from, to, empty } = state.selection.main;
  if (state.readOnly || empty || state.selection.ranges.length > 1) return false;
  if (state.sliceDoc(from, Math.min(to, from + 200)).trim() === '') return false;
  let node = syntaxTree(state).resolveInner(from, 1);
  for (; !LITERAL.has(node.name); node = node.parent) if (node.parent === null) return true;
  return false;
}
