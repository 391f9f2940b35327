import { syntaxTree } from '@codemirror/language';
import type { ChangeSet, EditorState, RangeSet } from '@codemirror/state';
import type { Decoration } from '@codemirror/view';
import { type TopBlock, topBlocks } from '../syntax/top-blocks.ts';
import type { BuiltDecorations } from './decoration-builder.ts';
import type { Range } from './reveal.ts';

/** A change of the text, of the selection, or of both. */
export interface Change {
  readonly startState: EditorState;
  readonly state: EditorState;
  readonly changes: ChangeSet;
}

/**
 * Returns the lines whose rendering may differ after a change, in order: those it wrote, the blocks it added or
 * removed, and the blocks that a cursor entered or left. Nothing else in the note affects how a block is rendered.
 *
 * @param visible the visible ranges of the note after the change.
 */
export function changedLines({ startState, state, changes }: Change, visible: readonly Range[]): readonly Range[] {
  const { invertedDesc } = changes;
  const wasVisible = visible.map(({ from, to }) => ({
    from: invertedDesc.mapPos(from, -1),
    to: invertedDesc.mapPos(to, 1),
  }));
  const [before, after] = [blocksIn(startState, wasVisible), blocksIn(state, visible)];
  const [known, left] = [before, after].map((blocks) => new Set(blocks.map(({ tree }) => tree)));
  const gone = before.filter(({ tree }) => left?.has(tree) !== true);
  const moved = [...gone, ...startState.selection.ranges].map(({ from, to }) => ({
    from: changes.mapPos(from, -1),
    to: changes.mapPos(to, 1),
  }));
  const written: Range[] = [];
  const blocks: Range[] = [];
  changes.iterChangedRanges((_from, _to, from, to) => written.push({ from, to }));
  const lines = [...written, ...moved, ...state.selection.ranges].map((range) => wholeLines(state, range));
  for (const block of after) {
    const range = wholeLines(state, block);
    if (known?.has(block.tree) !== true || lines.some((line) => meets(line, range))) blocks.push(range);
  }
  return joined([...lines, ...blocks]);
}

/** Returns the decorations with those of some lines replaced. */
export function withRedrawn(
  before: BuiltDecorations,
  changes: ChangeSet,
  lines: readonly Range[],
  drawn: BuiltDecorations,
): BuiltDecorations {
  const [filterFrom, filterTo] = [lines[0]?.from ?? 0, lines.at(-1)?.to ?? 0];
  const filter = (from: number, to: number) => !lines.some((line) => meets(line, { from, to }));
  const put = (old: RangeSet<Decoration>, added: RangeSet<Decoration>) => {
    const add = [];
    for (const at = added.iter(); at.value !== null; at.next()) add.push(at.value.range(at.from, at.to));
    return old.map(changes).update({ add, filter, filterFrom, filterTo });
  };
  return { decorations: put(before.decorations, drawn.decorations), atomic: put(before.atomic, drawn.atomic) };
}

/** Returns the intersections of two sorted lists of ranges. */
export function overlaps(ranges: readonly Range[], others: readonly Range[]): Range[] {
  return ranges.flatMap((range) =>
    others
      .filter((other) => meets(range, other))
      .map(({ from, to }) => ({ from: Math.max(range.from, from), to: Math.min(range.to, to) })),
  );
}

function blocksIn(state: EditorState, ranges: readonly Range[]): TopBlock[] {
  return topBlocks(syntaxTree(state)).filter((block) => ranges.some((range) => meets(range, block)));
}

function wholeLines({ doc }: EditorState, { from, to }: Range): Range {
  return { from: doc.lineAt(from).from, to: doc.lineAt(to).to };
}

function meets(one: Range, other: Range): boolean {
  return one.from <= other.to && other.from <= one.to;
}

function joined(ranges: Range[]): Range[] {
  const apart: Range[] = [];
  for (const range of ranges.sort((a, b) => a.from - b.from)) {
    const last = apart.at(-1);
    if (last === undefined || range.from > last.to) apart.push(range);
    else apart[apart.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
  }
  return apart;
}
