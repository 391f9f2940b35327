import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import type { EditorState, Text } from '@codemirror/state';
import { blockIdOf, findHeading, hasBlockId } from '@notevault/note-text/links/anchors.ts';
import { classAt, UNSPACED } from '@notevault/note-text/words/classes.ts';
import { eachRun, type Runs, segmentsOf } from '@notevault/note-text/words/runs.ts';
import { headingLevel } from '../syntax/heading-folds.ts';
import { topBlocks } from '../syntax/top-blocks.ts';
import type { HeadingFact, SelectionFact } from './facts.ts';

/** Longest parse for a jump to a heading, in ms: with less, the heading is missed in a long note or on a slow device. */
const JUMP_PARSE_MS = 2_000;

/**
 * Returns the headings of a note, in order; reads only the top of the tree.
 *
 * @param parseMs longest time to finish parsing, in ms; headings that are not parsed by then are left out.
 */
export function headingsOf(state: EditorState, parseMs = 50): HeadingFact[] {
  const { doc } = state;
  const blocks = topBlocks(ensureSyntaxTree(state, doc.length, parseMs) ?? syntaxTree(state));
  return blocks.flatMap(({ name, from, to }) => {
    const level = headingLevel(name);
    return level > 0 ? [{ level, text: headingText(doc.sliceString(from, to)), from }] : [];
  });
}

/** The text of a heading without its marks, as an outline shows it. */
export function headingText(source: string): string {
  const [underlined = '', underline] = source.split(/\n[ >]*(?:=+|-+)[ \t]*$/);
  if (underline !== undefined) {
    return underlined
      .split('\n')
      .map((line) => line.trim())
      .join(' ');
  }
  return source
    .replace(/^#{1,6}(?:[ \t]+|$)/, '')
    .replace(/(?:^|[ \t]+)#+[ \t]*$/, '')
    .trim();
}

export function selectionOf(state: EditorState): SelectionFact {
  const { from, to, head } = state.selection.main;
  const line = state.doc.lineAt(head);
  return { from, to, line: line.number, column: head - line.from + 1, selectedCharacters: to - from };
}

/** Characters counted in one slice, which takes about a millisecond. */
const SLICE = 20_000;

/**
 * Counts the words of a text in slices.
 *
 * @param pause called between slices; counting ends when it resolves to false.
 * @returns the number of words, or null when it was stopped.
 */
export async function wordCountOf(text: string, pause: () => Promise<boolean>): Promise<number | null> {
  let count = 0;
  let at = 0;
  const runs: Runs = {
    word: () => {
      count++;
    },
    stretch(start, end) {
      const stretch = text.slice(start, end);
      for (const { index } of segmentsOf(stretch)) if (classAt(stretch, index) === UNSPACED) count++;
    },
  };
  while (at < text.length) {
    at = eachRun(text, at, text.length, runs, Math.min(text.length, at + SLICE));
    if (at < text.length && !(await pause())) return null;
  }
  return count;
}

/**
 * Returns the position that an anchor names: a heading (by its text, or a path `A#B` of texts) or a block (`^id`); null
 * if the note has none.
 */
export function anchorPosition(state: EditorState, anchor: string): number | null {
  const block = blockIdOf(anchor);
  if (block !== null) return blockPosition(state.doc, block);
  const headings = headingsOf(state, JUMP_PARSE_MS);
  return headings[findHeading(headings, anchor)]?.from ?? null;
}

function blockPosition(doc: Text, id: string): number | null {
  for (let number = 1; number <= doc.lines; number++) {
    const line = doc.line(number);
    if (hasBlockId(line.text, id)) return line.from;
  }
  return null;
}
