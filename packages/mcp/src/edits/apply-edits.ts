import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';
import { checkLength, EditFailure, type NoteEdit } from './edit.ts';
import { nearest } from './nearest.ts';
import { removeProperty, setProperty } from './properties.ts';
import { replaceText } from './replace-text.ts';
import { findSections, type Section, sectionsOf } from './sections.ts';

/** Applies edits one after the other; throws EditFailure if any of them cannot be applied. */
export function applyNoteEdits(content: string, edits: readonly NoteEdit[]): string {
  return edits.reduce((text, edit, index) => {
    try {
      return checkLength(applied(text, edit));
    } catch (error) {
      if (!(error instanceof EditFailure) || edits.length === 1) throw error;
      throw new EditFailure(`Edit ${index + 1} of ${edits.length}: ${error.message}`, error.candidates, error.advice);
    }
  }, content);
}

function applied(content: string, edit: NoteEdit): string {
  switch (edit.op) {
    case 'replace_text':
      return replaceText(content, edit);
    case 'set_property':
      return setProperty(content, edit.key, edit.value);
    case 'remove_property':
      return removeProperty(content, edit.key);
    case 'append':
    case 'prepend':
      return edit.heading === undefined ? inNote(content, edit.op, edit.text) : inSection(content, edit, edit.heading);
    default:
      return inSection(content, edit, edit.heading);
  }
}

type SectionEdit = Extract<NoteEdit, { text: string }>;

function inSection(content: string, { op, text }: SectionEdit, heading: string): string {
  const section = sectionAt(content, heading);
  const { start, bodyStart, end } = section;
  const textStart = afterBlankLine(content, bodyStart);
  switch (op) {
    case 'replace_section':
      // Models often repeat the heading, which must not be there twice.
      return spliced(content, repeatsHeading(text, section) ? start : Math.min(textStart, end), end, text, true);
    case 'insert_before':
      return spliced(content, start, start, text, true);
    case 'insert_after':
      return spliced(content, end, end, text, true);
    case 'prepend':
      return spliced(content, Math.min(textStart, end), Math.min(textStart, end), text, false);
    default:
      return spliced(content, endOfText(content, bodyStart, end), end, text, true, appendGap(content, bodyStart, end));
  }
}

function inNote(content: string, op: 'append' | 'prepend', text: string): string {
  const { bodyStart } = findFrontmatter(content);
  if (op === 'prepend') return spliced(content, bodyStart, bodyStart, text, false);
  const newline = newlineOf(content);
  const before = withoutLineEnds(content);
  return before === '' ? withLines(text, newline) : `${before}${newline}${withLines(text, newline)}`;
}

/** Throws EditFailure unless the path names exactly one section. */
export function sectionAt(content: string, heading: string): Section {
  const sections = sectionsOf(content);
  const found = findSections(sections, heading);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (found.length > 1) {
    const advice = 'Give the whole path, joined by " > ", with its number in brackets if it has one.';
    throw new EditFailure(`${found.length} headings match.`, found.map(named), advice);
  }
  const near = nearest(sections, heading, ({ path }) => path.split(' > ').at(-1) ?? path);
  const shown = near.length > 0 ? near : sections.slice(0, 10);
  const advice =
    sections.length === 0 ? 'The note has no headings.' : 'get_notes with view "outline" lists all headings.';
  throw new EditFailure('No heading matches.', shown.map(named), advice);
}

function named({ path, line }: Section): string {
  return `${path} (line ${line})`;
}

/** Replaces a stretch by lines of text, so that what stands before and after keeps lines of its own. */
function spliced(content: string, from: number, to: number, text: string, blankAfter: boolean, gap = ''): string {
  const newline = newlineOf(content);
  const [head, tail] = [content.slice(0, from), content.slice(to)];
  const before = head === '' || head.endsWith('\n') ? head : head + newline;
  const lines = text === '' ? '' : withLines(text, newline);
  const needsBlank = blankAfter && tail !== '' && lines !== '' && !/(^|\n)\r?\n$/.test(lines) && !/^\r?\n/.test(tail);
  return before + gap + lines + (needsBlank ? newline : '') + tail;
}

/** Removes trailing line ends. A regular expression would backtrack at every line end inside the text. */
function withoutLineEnds(text: string): string {
  let end = text.length;
  while (end > 0 && '\r\n'.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Returns whether a text begins with the heading of the section that it replaces. */
function repeatsHeading(text: string, { heading, level }: Section): boolean {
  const [first = ''] = text
    .slice(0, heading.length + 200)
    .trimStart()
    .split('\n', 1);
  return first.replace(/\s+#*\s*$/, '').trimEnd() === `${'#'.repeat(level)} ${heading}`;
}

function afterBlankLine(content: string, at: number): number {
  return at + (/^[ \t]*\r?\n/.exec(content.slice(at, at + 200))?.[0].length ?? 0);
}

/** Returns the end of the last line of a section that is not blank. */
function endOfText(content: string, from: number, to: number): number {
  const kept = content.slice(from, to).trimEnd().length;
  if (kept === 0) return from;
  const newline = content.indexOf('\n', from + kept);
  return newline < 0 || newline >= to ? to : newline + 1;
}

/** Returns the line end to insert before appended text: a blank line after a heading without text, otherwise none. */
function appendGap(content: string, from: number, to: number): string {
  return content.slice(from, to).trim() === '' ? newlineOf(content) : '';
}

function newlineOf(content: string): string {
  return content.includes('\r\n') ? '\r\n' : '\n';
}

/** Text with the line ends of the note, and one at its end. */
function withLines(text: string, newline: string): string {
  const lines = text.replace(/\r?\n/g, newline);
  return lines.endsWith(newline) ? lines : lines + newline;
}
