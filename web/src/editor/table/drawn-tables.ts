import { syntaxTree } from '@codemirror/language';
import {
  type EditorState,
  type Range as PlacedRange,
  StateEffect,
  StateField,
  type Transaction,
} from '@codemirror/state';
import { BlockWrapper, Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';
import { type EditorMode, editorMode } from '../core/modes.ts';
import { directionOf } from '../core/text-direction.ts';
import { changesInteraction, isComposing, isFrozen } from '../preview/preview-state.ts';
import type { Range } from '../preview/reveal.ts';
import { topBlocks } from '../syntax/top-blocks.ts';
import { type Alignment, parseTable } from './model.ts';

/** A table shown as a grid. Its source lines are the rows, and its cells are edited in place. */
export interface DrawnTable extends Range {
  /** The delimiter row, which is not shown. */
  readonly rule: Range;
  readonly alignments: readonly Alignment[];
  /** Direction of its columns. */
  readonly direction: 'ltr' | 'rtl';
}

interface DrawnTables {
  readonly tree: ReturnType<typeof syntaxTree>;
  readonly mode: EditorMode;
  /** All top-level tables of the note. */
  readonly all: readonly DrawnTable[];
  /** Tables currently shown as a grid. */
  readonly drawn: readonly DrawnTable[];
  /** Offset in the table that is shown as source; null if there is none. */
  readonly source: number | null;
}

/** Shows the source of the table at an offset until the cursor leaves it; null shows the grid again. */
export const showSource = StateEffect.define<number | null>({
  map: (at, changes) => (at === null ? null : changes.mapPos(at)),
});

/**
 * Tables that are shown as grids while editing. The note's own text is laid out as a grid, without copies of cells that
 * could lose others' edits. Cursor, input method, history and presence are the editor's own.
 */
export const drawnTables = StateField.define<DrawnTables>({
  create: (state) => choose(state, readTables(state), null),
  update(value, transaction) {
    const { state } = transaction;
    const source = sourceAfter(value.source, transaction);
    const isOtherText =
      transaction.docChanged || syntaxTree(state) !== value.tree || state.facet(editorMode) !== value.mode;
    const isOther = isOtherText || transaction.selection !== undefined || source !== value.source;
    if (!isOther && !changesInteraction(transaction)) return value;
    if (isComposing(transaction) || isFrozen(state)) return { ...mapTables(value, transaction), source };
    return choose(state, isOtherText ? readTables(state) : value.all, source);
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ drawn }) => hideRules(drawn)),
    EditorView.blockWrappers.from(field, ({ drawn }) => BlockWrapper.set(drawn.map(wrap))),
  ],
});

/** Returns the drawn table at an offset; null if there is none. */
export function drawnTableAt(state: EditorState, at: number): DrawnTable | null {
  return state.field(drawnTables, false)?.drawn.find(({ from, to }) => from <= at && at <= to) ?? null;
}

function sourceAfter(source: number | null, { effects, changes }: Transaction): number | null {
  let after = source === null ? null : changes.mapPos(source);
  for (const effect of effects) if (effect.is(showSource)) after = effect.value;
  return after;
}

/**
 * Maps the state through changes without rebuilding it, because decorations must not be rebuilt around a composition.
 */
function mapTables(value: DrawnTables, { changes }: Transaction): DrawnTables {
  if (changes.empty) return value;
  const map = (table: DrawnTable): DrawnTable => ({
    ...table,
    from: changes.mapPos(table.from, -1),
    to: changes.mapPos(table.to, 1),
    rule: { from: changes.mapPos(table.rule.from, 1), to: changes.mapPos(table.rule.to, -1) },
  });
  return { ...value, all: value.all.map(map), drawn: value.drawn.map(map) };
}

/** Reads the top-level tables of a note. Tables in quotes and lists stay text. */
function readTables(state: EditorState): DrawnTable[] {
  const blocks = topBlocks(syntaxTree(state)).filter(({ name }) => name === 'Table');
  return blocks.map(({ from, to }) => readTable(state, from, to)).filter((table) => table !== null);
}

function readTable({ doc }: EditorState, start: number, end: number): DrawnTable | null {
  const head = doc.lineAt(start);
  if (head.from !== start || head.number === doc.lines) return null;
  const rule = doc.line(head.number + 1);
  const parsed = parseTable(`${head.text}\n${rule.text}`);
  if (parsed === null) return null;
  const { alignments } = parsed;
  const direction = directionOf(doc.sliceString(start, Math.min(end, start + 1_000)));
  return { from: start, to: doc.lineAt(end).to, rule: { from: rule.from, to: rule.to }, alignments, direction };
}

function choose(state: EditorState, all: readonly DrawnTable[], source: number | null): DrawnTables {
  const mode = state.facet(editorMode);
  const { ranges, main } = state.selection;
  const isIn = ({ from, to }: Range, at: number) => from <= at && at <= to;
  const shown = all.find((table) => source !== null && isIn(table, source) && isIn(table, main.head));
  // The delimiter row stays visible while it is being typed.
  const isDrawn = (table: DrawnTable) => table !== shown && !ranges.some(({ head }) => isIn(table.rule, head));
  const drawn = mode === 'preview' ? all.filter(isDrawn) : [];
  return { tree: syntaxTree(state), mode, all, drawn, source: shown === undefined ? null : source };
}

class RuleWidget extends WidgetType {
  override eq(): boolean {
    return true;
  }
  toDOM(): HTMLElement {
    const element = document.createElement('div');
    element.className = 'nv-grid-rule';
    element.ariaHidden = 'true';
    return element;
  }
}

const hiddenRule = Decoration.replace({ widget: new RuleWidget(), block: true });

function hideRules(drawn: readonly DrawnTable[]): DecorationSet {
  return Decoration.set(drawn.map(({ rule }) => hiddenRule.range(rule.from, rule.to)));
}

function wrap({ from, to, alignments, direction }: DrawnTable): PlacedRange<BlockWrapper> {
  const style = `--nv-columns: ${alignments.length}`;
  const attributes = { class: 'nv-grid', role: 'table', dir: direction, style };
  return BlockWrapper.create({ tagName: 'div', attributes }).range(from, to);
}
