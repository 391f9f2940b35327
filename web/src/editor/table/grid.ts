import { type EditorState, type Range as PlacedRange, RangeSet, type Text } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { changesInteraction, isFrozen } from '../preview/preview-state.ts';
import { cellOf, type DrawnCell, type DrawnRow, rowAt } from './cells.ts';
import { type DrawnTable, drawnTables } from './drawn-tables.ts';

const hidden = Decoration.replace({});
const headRow = Decoration.line({ class: 'nv-row nv-row-head', attributes: { role: 'row' } });
const bodyRow = Decoration.line({ class: 'nv-row', attributes: { role: 'row' } });

/** Lays out the visible rows of drawn tables: an element for each cell, without pipes and padding. */
export const tableGrid = ViewPlugin.fromClass(
  class {
    grid: Grid;
    #isStale = false;

    readonly #view: EditorView;

    constructor(view: EditorView) {
      this.grid = drawGrid(view);
      this.#view = view;
      view.contentDOM.addEventListener('scroll', this.#onScroll, true);
    }

    destroy(): void {
      this.#view.contentDOM.removeEventListener('scroll', this.#onScroll, true);
    }

    /** Redraws cursor and selection when a wide table scrolls, because they are drawn in a layer over the text. */
    readonly #onScroll = (): void => {
      const { state, composing } = this.#view;
      if (!composing) this.#view.dispatch({ selection: state.selection });
    };

    update(update: ViewUpdate): void {
      const isOther =
        update.docChanged ||
        update.viewportChanged ||
        update.selectionSet ||
        update.startState.field(drawnTables) !== update.state.field(drawnTables) ||
        update.transactions.some(changesInteraction);
      if (!isOther && !this.#isStale) return;
      this.#isStale = update.view.composing || isFrozen(update.state);
      this.grid = this.#isStale ? mapGrid(this.grid, update) : drawGrid(update.view);
    }
  },
  {
    decorations: ({ grid }) => grid.inner,
    provide: (plugin) => [
      EditorView.outerDecorations.of((view) => view.plugin(plugin)?.grid.cells ?? Decoration.none),
      EditorView.atomicRanges.of((view) => view.plugin(plugin)?.grid.atomic ?? RangeSet.empty),
    ],
  },
);

interface Grid {
  /** Decorations of rows, and of hidden text in them. */
  readonly inner: DecorationSet;
  readonly cells: DecorationSet;
  /** Ranges that the cursor skips in one step, from the end of a cell's text to the text of the next. */
  readonly atomic: RangeSet<Decoration>;
}

function mapGrid({ inner, cells, atomic }: Grid, { changes }: ViewUpdate): Grid {
  return { inner: inner.map(changes), cells: cells.map(changes), atomic: atomic.map(changes) };
}

function drawGrid({ state, visibleRanges }: EditorView): Grid {
  const drawing = new GridDrawing(state);
  for (const table of state.field(drawnTables).drawn) {
    for (const { from, to } of visibleRanges) drawing.table(table, Math.max(from, table.from), Math.min(to, table.to));
  }
  return drawing.finish();
}

/** Matches an escaped pipe, inside which the cursor must not stop. */
const ESCAPED_PIPE = /\\\|/g;

class GridDrawing {
  readonly #doc: Text;
  readonly #head: number;
  readonly #inner: PlacedRange<Decoration>[] = [];
  readonly #cells: PlacedRange<Decoration>[] = [];
  readonly #atomic: PlacedRange<Decoration>[] = [];
  #last = -1;

  constructor({ doc, selection }: EditorState) {
    this.#doc = doc;
    this.#head = selection.main.head;
  }

  table(table: DrawnTable, from: number, to: number): void {
    for (let at = from; at <= to; ) {
      const row = rowAt(this.#doc, table, at);
      if (row !== null && row.line.from > this.#last) {
        this.#row(table, row);
        this.#last = row.line.from;
      }
      at = this.#doc.lineAt(at).to + 1;
    }
  }

  #row(table: DrawnTable, row: DrawnRow): void {
    const isHead = row.line.from === table.from;
    this.#inner.push((isHead ? headRow : bodyRow).range(row.line.from));
    const isHere = row.line.from <= this.#head && this.#head <= row.to;
    const active = isHere ? cellOf(row, this.#head) : null;
    let from = row.line.from;
    for (const cell of row.cells) {
      const to = cell.column === row.cells.length - 1 ? row.to : cell.to;
      const isExtra = cell.column >= table.alignments.length;
      const alignment = table.alignments[cell.column] ?? null;
      const classes = ['nv-cell', isExtra && 'nv-cell-extra', cell === active && 'nv-cell-active'];
      const name = `${classes.filter(Boolean).join(' ')}${alignment === null ? '' : ` nv-cell-${alignment}`}`;
      if (from < to) this.#cells.push(mark(name, isHead).range(from, to));
      this.#hide(from, cell.textFrom);
      this.#hide(shownTo(cell, this.#head), to);
      from = to;
    }
    this.#passBetween(table, row);
  }

  #hide(from: number, to: number): void {
    if (from < to) this.#inner.push(hidden.range(from, to));
  }

  #passBetween({ to }: DrawnTable, row: DrawnRow): void {
    let from = row.line.from;
    for (const cell of row.cells) {
      if (from < cell.textFrom) this.#atomic.push(hidden.range(from, cell.textFrom));
      for (const { index } of cell.source.matchAll(ESCAPED_PIPE)) {
        this.#atomic.push(hidden.range(cell.from + index, cell.from + index + 2));
      }
      from = shownTo(cell, this.#head);
    }
    if (from < row.to && row.to <= to) this.#atomic.push(hidden.range(from, row.to));
  }

  finish(): Grid {
    return {
      inner: Decoration.set(this.#inner, true),
      cells: Decoration.set(this.#cells, true),
      atomic: RangeSet.of(this.#atomic, true),
    };
  }
}

/**
 * Returns the end of a cell's visible text. Trailing blanks are visible up to the cursor, so that a typed space
 * appears.
 */
function shownTo({ textTo, to }: DrawnCell, head: number): number {
  return head > textTo && head <= to ? head : textTo;
}

const marks = new Map<string, Decoration>();

function mark(name: string, isHead: boolean): Decoration {
  const key = `${isHead} ${name}`;
  const known = marks.get(key);
  if (known !== undefined) return known;
  const role = isHead ? 'columnheader' : 'cell';
  const made = Decoration.mark({ class: name, attributes: { role, dir: 'auto' }, inclusive: true });
  marks.set(key, made);
  return made;
}
