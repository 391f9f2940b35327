import { splitsPair } from '@notevault/note-text/diff/tokens.ts';
import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';
import type { Note } from '@notevault/protocol/notes.ts';
import { sectionAt } from '../edits/apply-edits.ts';
import { EditFailure } from '../edits/edit.ts';
import { sectionsOf } from '../edits/sections.ts';
import { readCursor, writeCursor } from '../paging.ts';
import { data, ToolFailure } from '../text/answer.ts';
import { endOfTokens } from '../text/tokens.ts';

export type View = 'content' | 'outline' | 'frontmatter';

/** Part of a note that a reading tool returns. */
export interface NoteView {
  readonly text: string;
  /** Whether `text` is all of what was requested. */
  readonly complete: boolean;
  /** Cursor of the next part; null after the last one. */
  readonly cursor: string | null;
  /** UTF-16 units that follow. */
  readonly left: number;
}

/** Returns what was requested of a note, at most `tokens` estimated tokens of it. Throws ToolFailure. */
export function viewOf(
  note: Note,
  view: View,
  section: string | undefined,
  cursor: string | undefined,
  tokens: number,
): NoteView {
  const whole = requested(note, view, section);
  const from = cursor === undefined ? 0 : offsetOf(cursor, note.content_hash, whole.length);
  const to = endOfPiece(whole, from, tokens);
  const complete = from === 0 && to === whole.length;
  const left = whole.length - to;
  return {
    text: whole.slice(from, to),
    complete,
    left,
    cursor: left === 0 ? null : writeCursor(`${note.content_hash} ${to}`),
  };
}

function requested({ content }: Note, view: View, section: string | undefined): string {
  if (section !== undefined) {
    try {
      const { start, end } = sectionAt(content, section);
      return content.slice(start, end);
    } catch (error) {
      if (error instanceof EditFailure) throw editRefused(error);
      throw error;
    }
  }
  if (view === 'frontmatter') {
    const fence = findFrontmatter(content);
    return fence.kind === 'closed' ? content.slice(fence.yamlStart, fence.yamlEnd) : '';
  }
  if (view === 'content') return content;
  const lines = sectionsOf(content).map(({ level, heading, line, start, end }) => {
    return `${'#'.repeat(level)} ${heading}  (line ${line}, ${end - start} characters)`;
  });
  return lines.join('\n');
}

/** Returns the refusal for an edit or a heading path that does not fit the note. */
export function editRefused({ message, candidates, advice }: EditFailure): ToolFailure {
  const near = candidates.length === 0 ? [] : ['The note has:', data(candidates.join('\n'))];
  return new ToolFailure(`${message} Nothing was changed.`, ...near, advice);
}

/** Throws ToolFailure when the note has changed since the cursor was given, because the piece would not fit. */
function offsetOf(cursor: string, hash: string, length: number): number {
  const [of, offset] = readCursor(cursor).split(' ');
  const at = Number(offset);
  if (of !== hash)
    throw new ToolFailure('The note has changed since the first piece was read. Read it again without cursor.');
  if (!Number.isSafeInteger(at) || at < 0 || at > length)
    throw new ToolFailure('The cursor is not one that an answer gave.');
  return at;
}

/** Returns the end of a piece: at a line end where one is near. */
function endOfPiece(text: string, from: number, tokens: number): number {
  const low = endOfTokens(text, from, tokens);
  if (low === text.length) return low;
  const newline = text.lastIndexOf('\n', low - 1) + 1;
  const end = newline > from + (low - from) / 2 ? newline : low;
  return splitsPair(text, end) ? end - 1 : end;
}
