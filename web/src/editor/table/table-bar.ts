import { EditorState } from '@codemirror/state';
import { type Command, type EditorView, repositionTooltips, showTooltip, type TooltipView } from '@codemirror/view';
import { drawnTables } from './drawn-tables.ts';

/** A bar above the table that is edited: what can be done with its rows and columns, by pointer, finger and keyboard. */
export const tableBar = showTooltip.compute([drawnTables, 'selection', EditorState.readOnly], (state) => {
  const { head } = state.selection.main;
  const table = state.field(drawnTables).all.find(({ from, to }) => from <= head && head <= to);
  if (table === undefined || state.readOnly) return null;
  return { pos: table.from, above: true, strictSide: true, create: createBar };
});

function createBar(view: EditorView): TooltipView {
  const dom = document.createElement('div');
  dom.className = 'nv-bar nv-table-bar';
  void import('./bar-tools.ts').then(({ addTools }) => {
    addTools(view, dom);
    repositionTooltips(view);
  });
  return { dom, offset: { x: 0, y: GAP }, getCoords: (from) => anchorOfBar(view, dom, from) };
}

/** In pixels, between the bar and the table. */
const GAP = 12;

/** Above the table, or at the top of what is visible while the table begins above that. */
function anchorOfBar(view: EditorView, dom: HTMLElement, from: number) {
  const { documentTop, scrollDOM } = view;
  const { to = from } = view.state.field(drawnTables).all.find((table) => table.from === from) ?? {};
  const lowest = documentTop + view.lineBlockAt(to).bottom;
  const highest = scrollDOM.getBoundingClientRect().top + dom.offsetHeight + GAP;
  const top = Math.min(lowest, Math.max(documentTop + view.lineBlockAt(from).top, highest));
  const { left } = view.coordsAtPos(from) ?? view.contentDOM.getBoundingClientRect();
  return { left, right: left, top, bottom: top + 1 };
}

/** Moves the focus to the bar of the table. */
export const focusTableBar: Command = (view) => {
  const first = view.dom.querySelector<HTMLElement>('.nv-table-bar [tabindex="0"]');
  first?.focus();
  return first !== null;
};
