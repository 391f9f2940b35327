import type { Task } from '@notevault/protocol/tasks.ts';
import type { TaskOrder } from '../../page/search-params.ts';

export const DUE_GROUPS = ['overdue', 'today', 'week', 'later', 'none'] as const;
export type DueGroup = (typeof DUE_GROUPS)[number];

/** Tasks under one title: a due group, the path of a note, or a tag; an empty name for those without a tag. */
export interface TaskGroup {
  readonly name: string;
  readonly tasks: readonly Task[];
}

/** Returns the key that identifies a task in two lists. */
export function taskKey({ note_id: id, line, text }: Pick<Task, 'note_id' | 'line' | 'text'>): string {
  return `${id} ${line} ${text}`;
}

/**
 * Puts tasks into groups, each in the order in which it came.
 *
 * @param today as `2026-11-23`, where the browser is.
 */
export function groupTasks(tasks: readonly Task[], by: TaskOrder, today: string): TaskGroup[] {
  if (by === 'due') return dueGroups(tasks, today);
  const groups = new Map<string, Task[]>();
  for (const task of tasks) for (const name of by === 'note' ? [task.path] : tagNames(task)) add(groups, name, task);
  const named = [...groups].map(([name, found]) => ({ name, tasks: found }));
  const byName = new Intl.Collator(undefined, { numeric: true });
  // Without a tag comes last.
  return named.sort((a, b) => Number(a.name === '') - Number(b.name === '') || byName.compare(a.name, b.name));
}

function dueGroups(tasks: readonly Task[], today: string): TaskGroup[] {
  const groups = new Map<string, Task[]>();
  for (const task of tasks) add(groups, dueGroup(task, today), task);
  return DUE_GROUPS.flatMap((name) => {
    const found = groups.get(name);
    return found === undefined ? [] : [{ name, tasks: found }];
  });
}

function tagNames({ tags }: Task): readonly string[] {
  return tags.length === 0 ? [''] : tags;
}

function add(groups: Map<string, Task[]>, name: string, task: Task): void {
  const group = groups.get(name);
  if (group === undefined) groups.set(name, [task]);
  else group.push(task);
}

/** Days as texts compare as the days do. */
function dueGroup({ due }: Task, today: string): DueGroup {
  if (due === null) return 'none';
  if (due < today) return 'overdue';
  if (due === today) return 'today';
  return due <= endOfWeek(today) ? 'week' : 'later';
}

/** The Sunday of the week of a day. */
function endOfWeek(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + ((7 - date.getUTCDay()) % 7));
  return date.toISOString().slice(0, 10);
}

/** Says a day as it is near: "today", "tomorrow", "Thursday" within six days, else its date. */
export function dueText(due: string, today: string, language: string): string {
  const date = new Date(`${due}T00:00:00Z`);
  const days = Math.round((date.getTime() - Date.parse(`${today}T00:00:00Z`)) / 86_400_000);
  if (Math.abs(days) <= 1) return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(days, 'day');
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...options }).format(date);
  if (days > 1 && days < 7) return format({ weekday: 'long' });
  const isThisYear = due.slice(0, 4) === today.slice(0, 4);
  return format({ day: 'numeric', month: 'long', ...(isThisYear ? {} : { year: 'numeric' }) });
}

/** The text of a task as it is read: without its day, which is shown beside it, and without the marks of markdown. */
export function shownText({ text, due }: Pick<Task, 'text' | 'due'>): string {
  const day = due === null ? text : text.replace(/[[(]?(?:[📅📆🗓]\ufe0f? *|due:: *)\d{4}-\d{2}-\d{2}[\])]?/u, ' ');
  const plain = day
    .replace(/!?\[\[(?:[^[\]|]*\|)?([^[\]]+)\]\]/g, '$1')
    .replace(/!?\[([^[\]]*)\]\([^()\s]*\)/g, '$1')
    .replace(/(\*\*|==|~~|`)(\S(?:.*?\S)?)\1/g, '$2')
    .replace(/\s+/g, ' ')
    .trim();
  return plain === '' ? text : plain;
}
