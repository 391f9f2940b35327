/** Half-open range of UTF-16 offsets; both ends count as touching. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * When the marks of a construct are shown.
 * - `touch`: a cursor is at or inside it, or a selection meets it. For marks within a line.
 * - `inside`: a cursor is strictly inside it, or a selection covers part of it. For what is replaced by a control.
 * - `line`: a cursor or selection is on one of its lines. For marks that begin a line.
 * - `block`: as `line`, for what is replaced by a block.
 * - `never`: the marks stay hidden.
 */
export type RevealRule = 'touch' | 'inside' | 'line' | 'block' | 'never';

/** State that decides about revealing a range, besides the range itself. */
export interface RevealState {
  /** False while reading, and while the editor has no focus: then nothing is revealed. */
  readonly isActive: boolean;
  readonly selection: readonly Range[];
  /** The range of the lines that a range is on, without the last line end. */
  linesOf(range: Range): Range;
}

/** Whether the marks of the construct at `range` are shown. */
export function isRevealed(rule: RevealRule, range: Range, state: RevealState): boolean {
  if (!state.isActive || rule === 'never') return false;
  return state.selection.some((selected) => meets(rule, range, selected, state));
}

function meets(rule: RevealRule, range: Range, selected: Range, state: RevealState): boolean {
  switch (rule) {
    case 'inside':
      return selected.from < range.to && selected.to > range.from;
    case 'line':
    case 'block': {
      const lines = state.linesOf(range);
      return selected.from <= lines.to && selected.to >= lines.from;
    }
    default:
      return selected.from <= range.to && selected.to >= range.from;
  }
}
