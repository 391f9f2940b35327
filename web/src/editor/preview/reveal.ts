/** Half-open range of UTF-16 offsets; both ends count as touching. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Rule for when the marks of a construct are revealed.
 * - `touch`: a cursor is at or inside it, or a selection meets it. For marks within a line.
 * - `inside`: a cursor is strictly inside it, or a selection covers part of it. For constructs replaced by a control.
 * - `line`: a cursor or selection is on one of its lines. For marks that begin a line.
 * - `block`: as `line`, for constructs replaced by a block widget.
 * - `never`: the marks stay hidden.
 */
export type RevealRule = 'touch' | 'inside' | 'line' | 'block' | 'never';

/** State on which revealing a range depends. */
export interface RevealState {
  /** False while reading, and while the editor has no focus: then nothing is revealed. */
  readonly isActive: boolean;
  readonly selection: readonly Range[];
  /** Returns the full lines of a range, without the last line end. */
  linesOf(range: Range): Range;
}

/** Returns whether the marks of the construct at `range` are revealed. */
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
