import { parseTimestamp } from './frontmatter/dates.ts';
import { findFrontmatter } from './frontmatter/fence.ts';
import { scanBlocks } from './scan/blocks.ts';
import { scanInline } from './scan/inline.ts';
import { InlineText } from './scan/inline-text.ts';
import { TagSet } from './tags.ts';

/** A list item with a box: `- [ ] text`. */
export interface Task {
  /** Line number in the note, from 1. */
  readonly line: number;
  /** Text after the checkbox on its line, trimmed; at most 1,000 UTF-16 units. */
  readonly text: string;
  /** `[x]`, `[X]` and the cancelled `[-]` are done; any other mark, such as `[/]`, is open. */
  readonly state: 'open' | 'done';
  /** `2026-12-01`: the day written as `📅 2026-12-01` or `due:: 2026-12-01`. */
  readonly due: string | null;
  /** Tags without `#`, as `scan` returns them. */
  readonly tags: readonly string[];
}

/** A task and where the mark in its box is, in UTF-16 units. */
export interface PlacedTask extends Task {
  readonly markAt: number;
}

/** Maximum number of tasks read from a note. */
const maxTasks = 5_000;
const maxTextLength = 1_000;

/** The calendar of Obsidian’s Tasks, or a field of Dataview, also in brackets. */
const dueDate = /(?:[📅📆🗓]\ufe0f? {0,8}|(?<![\p{L}\p{N}_-])due:: {0,8})(\d{4}-\d{2}-\d{2})(?!\d)/gu;

/**
 * Reads the tasks of a note’s markdown, in order and in time linear in its length. Boxes in code, comments and the
 * frontmatter are none; see `scan` for the grammar.
 */
export function tasksOf(content: string): PlacedTask[] {
  const { boxes } = scanBlocks(content, findFrontmatter(content).bodyStart);
  const lines = new LineCounter(content);
  return boxes.slice(0, maxTasks).map(({ start, end }) => {
    const markAt = start + 1;
    const text = content
      .slice(start + 3, end)
      .trim()
      .slice(0, maxTextLength)
      .toWellFormed();
    const state = /[xX-]/.test(content.charAt(markAt)) ? 'done' : 'open';
    const tags = new TagSet();
    // A link with a label is found by its own line alone, as most are.
    scanInline(new InlineText(content, [{ start: start + 3, end }]), new Map(), { links: [], tags, code: null });
    return { line: lines.at(start), text, state, due: dueOf(text), tags: tags.tags, markAt };
  });
}

/** Returns the first valid day. */
function dueOf(text: string): string | null {
  for (const [, day = ''] of text.matchAll(dueDate)) if (parseTimestamp(day) !== null) return day;
  return null;
}

/** Returns the text in which a task has the other state, or the given one. */
export function withTaskState(content: string, task: PlacedTask, state: Task['state']): string {
  if (task.state === state) return content;
  return content.slice(0, task.markAt) + (state === 'done' ? 'x' : ' ') + content.slice(task.markAt + 1);
}

/**
 * Gives the task that is on a line with a text the other state, or a given one. Returns null when there is no such task.
 */
export function withToggledTask(from: {
  readonly content: string;
  readonly line: number;
  readonly text: string;
  /** Null for the other one. */
  readonly state: Task['state'] | null;
}): { readonly content: string; readonly task: Task } | null {
  const found = tasksOf(from.content).find(({ line, text }) => line === from.line && text === from.text);
  if (found === undefined) return null;
  const { markAt: _, ...task } = found;
  const state = from.state ?? (task.state === 'open' ? 'done' : 'open');
  return { content: withTaskState(from.content, found, state), task: { ...task, state } };
}

/** Numbers the lines of a text, from 1; they end in LF, CR or both. */
export class LineCounter {
  readonly #text: string;
  #line = 1;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the line of an offset; offsets must ascend from call to call. */
  at(offset: number): number {
    for (; this.#at < offset; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      const isEnd = code === 0x0a || (code === 0x0d && this.#text.charCodeAt(this.#at + 1) !== 0x0a);
      if (isEnd) this.#line++;
    }
    return this.#line;
  }
}
