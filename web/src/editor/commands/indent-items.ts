import { indentLess, indentMore } from '@codemirror/commands';
import { countColumn, type Text } from '@codemirror/state';
import type { Command } from '@codemirror/view';
import { minimalChange, type SourceChange } from '../core/source-change.ts';
import { selectedLines } from './tasks.ts';

/** Indents (1) or outdents (-1) the selected lines, and renumbers the list items that this moves. */
export function indentItems(direction: 1 | -1): Command {
  return (view) => {
    const { state } = view;
    const indent = direction === 1 ? indentMore : indentLess;
    return indent({
      state,
      dispatch(moved) {
        const numbers = moved.state.changes(renumbered(state.doc, moved.newDoc, new Set(selectedLines(state))));
        view.dispatch({
          changes: moved.changes.compose(numbers),
          selection: moved.newSelection.map(numbers),
          userEvent: 'input.indent',
        });
      },
    });
  };
}

interface Item {
  /** Null for a bullet. */
  readonly number: number | null;
  /** The offset of the number. */
  readonly from: number;
  /** The `.` or `)` after the number; a different one starts another list. */
  readonly mark: string;
  /** The column at which the item's content begins; lines indented this far belong to it. */
  readonly content: number;
  /** The line of the item before it in the same list. */
  readonly before: number | null;
}

const ITEM = /^([ \t]*)(?:[-*+]|(\d{1,9})([.)]))(?=[ \t]|$)/;
/** An item, a line within one, or a blank line. */
const OF_LIST = /^(?:[ \t]|$|[-*+](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$))/;
const TAB_SIZE = 4;

/**
 * Returns the renumbering changes after lines were indented. A moved item continues the list it is now in, or starts
 * one with 1; so do the items that followed it before. Other numbers stay as written.
 */
function renumbered(old: Text, doc: Text, moved: ReadonlySet<number>): SourceChange[] {
  const [first, last] = linesAround(doc, moved);
  const [items, itemsBefore] = [itemsOf(doc, first, last), itemsOf(old, first, last)];
  const numbers = new Map<number, number>();
  const changes: SourceChange[] = [];
  for (const [line, { number, from, before }] of items) {
    const was = itemsBefore.get(line);
    if (number === null || was === undefined) continue;
    const isElsewhere = before !== was.before || (before !== null && numbers.has(before));
    const wasNext = number === (itemsBefore.get(was.before ?? 0)?.number ?? 0) + 1;
    if (!moved.has(line) && !(isElsewhere && wasNext)) continue;
    const next = before === null ? 1 : (numbers.get(before) ?? items.get(before)?.number ?? 0) + 1;
    if (next === number) continue;
    numbers.set(line, next);
    changes.push(minimalChange(from, String(number), String(next)));
  }
  return changes;
}

/** Returns the first and last line of the lists that contain these lines. */
function linesAround(doc: Text, lines: ReadonlySet<number>): readonly [number, number] {
  const isIn = (number: number) => number > 0 && number <= doc.lines && OF_LIST.test(doc.line(number).text);
  let [first, last] = [Math.min(...lines), Math.max(...lines)];
  while (isIn(first - 1)) first--;
  while (isIn(last + 1)) last++;
  return [first, last];
}

/** Returns the list items in a range of lines, by line number. */
function itemsOf(doc: Text, first: number, last: number): ReadonlyMap<number, Item> {
  const items = new Map<number, Item>();
  const open: (readonly [number, Item])[] = [];
  for (let line = first; line <= last; line++) {
    const { from, text } = doc.line(line);
    const [whole, space = '', digits, mark = ''] = ITEM.exec(text) ?? [];
    if (whole === undefined) continue;
    const column = countColumn(space, TAB_SIZE);
    let sibling: readonly [number, Item] | undefined;
    while ((open.at(-1)?.[1].content ?? 0) > column) sibling = open.pop();
    const item: Item = {
      number: digits === undefined ? null : Number(digits),
      from: from + space.length,
      mark,
      content: column + whole.length - space.length + 1,
      before: sibling !== undefined && sibling[1].mark === mark ? sibling[0] : null,
    };
    open.push([line, item]);
    items.set(line, item);
  }
  return items;
}
