import { minimalChange, type SourceChange } from '../core/source-change.ts';
import { type Alignment, delimiter, widthOf } from './model.ts';
import { blankless, type SourceCell, type SourceTable } from './source.ts';

/**
 * Returns the changes that add outer pipes and missing cells to every line, so that rows and columns can be moved and
 * removed.
 */
export function completeChanges({ lines, alignments }: SourceTable): SourceChange[] {
  return lines.flatMap(({ from, to, text, cells }) => {
    const { start, end } = blankless(text);
    const isOpen = cells.at(-1)?.to === from + end;
    const missing = '  |'.repeat(Math.max(0, alignments.length - cells.length));
    return [
      { from, to: from + start },
      { from: from + start, insert: text.charAt(start) === '|' ? '' : '|' },
      { from: from + end, insert: (isOpen ? '|' : '') + missing },
      { from: from + end, to },
    ];
  });
}

/**
 * Aligns the columns of a complete table for a fixed-width font. Only blanks and dashes next to pipes change, so that
 * letters typed meanwhile stay with their words.
 */
export function alignChanges({ lines, alignments }: SourceTable): SourceChange[] {
  return alignments.flatMap((alignment, column) => {
    const rule = lines[1]?.cells[column];
    const cells = lines.toSpliced(1, 1).flatMap((line) => line.cells[column] ?? []);
    const width = Math.max(3, ...cells.map(({ text }) => widthOf(text)));
    return [
      ...cells.flatMap((cell) => padChanges(cell, width, alignment)),
      ...(rule === undefined ? [] : ruleChanges(rule, delimiter(alignment, width))),
    ];
  });
}

function padChanges({ from, to, text, textFrom }: SourceCell, width: number, alignment: Alignment): SourceChange[] {
  if (text === '') return [blanks(from, to, width + 2, 'end')];
  const missing = Math.max(0, width - widthOf(text));
  const before = alignment === 'right' ? missing : alignment === 'center' ? missing >> 1 : 0;
  return [blanks(from, textFrom, 1 + before, 'start'), blanks(textFrom + text.length, to, 1 + missing - before, 'end')];
}

/** Returns the change that gives a run of blanks a length, by editing its start or end. */
function blanks(from: number, to: number, wanted: number, side: 'start' | 'end'): SourceChange {
  const more = wanted - (to - from);
  if (more >= 0) return { from: side === 'start' ? from : to, insert: ' '.repeat(more) };
  return side === 'start' ? { from, to: from - more } : { from: to + more, to };
}

function ruleChanges({ from, to, text, textFrom }: SourceCell, rule: string): SourceChange[] {
  return [
    blanks(from, textFrom, 1, 'start'),
    minimalChange(textFrom, text, rule),
    blanks(textFrom + text.length, to, 1, 'end'),
  ];
}
