import { syntaxTree } from '@codemirror/language';
import { type EditorState, Facet } from '@codemirror/state';
import { titleHeading } from '@notevault/note-text/names/title-heading.ts';
import { topBlocks } from '../syntax/top-blocks.ts';
import type { Range } from './reveal.ts';

/** Title of the note; empty in views that are part of another page, such as embedded notes. */
export const noteTitle = Facet.define<string, string>({ combine: (values) => values[0] ?? '' });

/** Returns the heading after an offset if it repeats the note's title; else null. */
export function titleBehind(state: EditorState, offset: number): Range | null {
  const title = state.facet(noteTitle);
  if (title === '') return null;
  const found = titleHeading(state.sliceDoc(offset, offset + 1_000), title);
  return found === null ? null : { from: offset + found.from, to: offset + found.to };
}

/**
 * Returns the number added to heading levels. The note's name is the page's only level-1 heading, so a text that has
 * others gets all its headings one level lower. A heading that repeats the name does not count.
 */
export function levelShift(state: EditorState): 0 | 1 {
  const tree = syntaxTree(state);
  const title = state.facet(noteTitle);
  const known = shifts.get(tree);
  if (known?.title === title) return known.shift;
  const shift = topBlocks(tree).some(({ name, from }) => isFirstLevel(name) && !isTitle(state, from)) ? 1 : 0;
  shifts.set(tree, { title, shift });
  return shift;
}

/** Cached, because every rendered heading needs it. */
const shifts = new WeakMap<ReturnType<typeof syntaxTree>, { readonly title: string; readonly shift: 0 | 1 }>();

/** Returns whether a level-1 heading repeats the note's title. */
export function isTitle(state: EditorState, from: number): boolean {
  const before = topBlocks(syntaxTree(state))[0];
  const start = before?.name === 'Frontmatter' ? before.to : 0;
  return titleBehind(state, start)?.from === from;
}

function isFirstLevel(name: string): boolean {
  return name === 'ATXHeading1' || name === 'SetextHeading1';
}
