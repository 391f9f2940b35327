import { syntaxTree } from '@codemirror/language';
import { Transaction } from '@codemirror/state';
import { type EditorView, ViewPlugin } from '@codemirror/view';

/** Maximum rounding difference, in pixels. */
const ROUNDING = 1;

/**
 * Applies transactions. Transactions that the user did not make (edits of others, parser progress) keep the reading
 * position: the cursor if visible, else the first visible line. CodeMirror alone would keep only the first line, and
 * lose it if a second transaction came before the next frame.
 *
 * @param isUndone whether the transactions undo or redo an edit, to which the view then scrolls.
 */
export function applyTransactions(view: EditorView, transactions: readonly Transaction[], isUndone: boolean): void {
  const isHeld = !isUndone && view.dom.isConnected && transactions.some(movesText) && !transactions.some(isByHand);
  // The position to scroll to in the next frame is already in place.
  if (isHeld) measure(view);
  const place = isHeld ? readPlace(view) : null;
  const { scrollTop } = view.scrollDOM;
  view.update(transactions);
  if (isHeld && place === null) stayAt(view, scrollTop);
  if (place === null) return;
  const at = transactions.reduce((to, { changes }) => changes.mapPos(to, place.assoc), place.at);
  scrollBack(view, place.top, () => topOf(view, at));
}

function movesText({ docChanged, startState, state }: Transaction): boolean {
  return docChanged || syntaxTree(startState) !== syntaxTree(state);
}

function isByHand(transaction: Transaction): boolean {
  return transaction.selection !== undefined || transaction.annotation(Transaction.userEvent) !== undefined;
}

/**
 * Returns the position being read and its place on the screen; null while the title is visible, because the title then
 * stays in place.
 */
function readPlace(view: EditorView) {
  const { top, bottom, left } = view.scrollDOM.getBoundingClientRect();
  const cursor = cursorOf(view);
  if (cursor !== null) {
    const shown = topOf(view, cursor);
    if (shown >= top && shown < bottom) return { at: cursor, top: shown, assoc: -1 };
  }
  if (view.documentTop > top) return null;
  const at = view.posAtCoords({ x: left + view.contentDOM.offsetLeft, y: top + ROUNDING }, false);
  return { at, top: topOf(view, at), assoc: 1 };
}

/** Returns the offset of the cursor or of the focused widget; null while the focus is elsewhere. */
function cursorOf(view: EditorView): number | null {
  const { activeElement } = view.root;
  if (activeElement === view.contentDOM) return view.state.selection.main.head;
  return activeElement !== null && view.contentDOM.contains(activeElement) ? view.posAtDOM(activeElement) : null;
}

/** Returns the vertical screen position of an offset; estimated from the line if the offset is not rendered. */
function topOf(view: EditorView, at: number): number {
  return view.coordsAtPos(at, 1)?.top ?? view.documentTop + view.lineBlockAt(at).top;
}

/** Returns the vertical position of a line in the visible page, as last measured. */
function topOfLine(view: EditorView, at: number): number {
  return view.lineBlockAt(at).top - view.scrollDOM.scrollTop;
}

/**
 * Scrolls until a position is back where it was. Repeats, because content gets its true height only when it is
 * rendered.
 */
function scrollBack(view: EditorView, before: number, now: () => number): void {
  for (let tries = 0; tries < 3; tries++) {
    measure(view);
    const moved = now() - before;
    if (Math.abs(moved) < ROUNDING) return;
    view.scrollDOM.scrollTop += moved;
  }
}

/** Keeps the scroll position even at the end of the page, where CodeMirror would follow the end. */
function stayAt(view: EditorView, scrollTop: number): void {
  measure(view);
  view.scrollDOM.scrollTop = scrollTop;
}

/** Measures at once, not in the next frame. */
function measure(view: EditorView): void {
  view.requestMeasure();
  view.elementAtHeight(0);
}

/**
 * Keeps the reading position when heights change: a picture loads, a font, a narrower page. CodeMirror still knows the
 * previous heights.
 */
export const heldWhileResized = ViewPlugin.define((view) => {
  const sizes = new ResizeObserver(() => {
    const { scrollDOM } = view;
    // A pending scroll target is kept as well.
    measure(view);
    const at = readLine(view);
    if (at === null) stayAt(view, scrollDOM.scrollTop);
    else scrollBack(view, topOfLine(view, at), () => topOfLine(view, at));
  });
  sizes.observe(view.contentDOM);
  return { destroy: () => sizes.disconnect() };
});

/**
 * Returns the vertical position of the line being read, as last measured; null at the top of the page, where nothing
 * has to be kept.
 */
function readLine(view: EditorView): number | null {
  const { scrollTop, clientHeight } = view.scrollDOM;
  if (scrollTop === 0) return null;
  const above = view.documentPadding.top;
  const cursor = cursorOf(view);
  const line = cursor === null ? null : view.lineBlockAt(cursor);
  if (line !== null && line.bottom + above > scrollTop && line.top + above < scrollTop + clientHeight) return line.from;
  if (scrollTop < above) return null;
  return view.viewportLineBlocks.find(({ bottom }) => bottom + above > scrollTop)?.from ?? null;
}
