import type { Task, TaskState } from '@notevault/protocol/tasks.ts';
import { taskKey } from './task-groups.ts';

/** A task that was ticked on the page: it stays where it is until the page is left. */
export interface TickedTask {
  /** With the state that it has now. */
  readonly task: Task;
  /** Why nothing was written. */
  readonly problem?: Problem;
}

export interface Problem {
  readonly kind: 'changed' | 'gone' | 'failed';
  /** Current text of the line, or the reason of the failure. */
  readonly text: string;
}

/**
 * The tasks to show: those that the server lists, with those that were ticked here in their places, whether it lists them
 * still or not. The empty box that Enter leaves behind a list of tasks is left out.
 */
export function withTicked(listed: readonly Task[], touched: ReadonlyMap<string, TickedTask>): Task[] {
  const shown = listed.filter(({ text }) => text !== '').map((task) => touched.get(taskKey(task))?.task ?? task);
  const keys = new Set(listed.map(taskKey));
  const others = [...touched.values()].map(({ task }) => task).filter((task) => !keys.has(taskKey(task)));
  return others.length === 0 ? shown : [...shown, ...others].sort(inOrder);
}

/** Compares tasks in the server's order: by due date, undated last, then by note and line. */
function inOrder(a: Task, b: Task): number {
  if (a.due !== b.due) {
    if (a.due === null || b.due === null) return a.due === null ? 1 : -1;
    return a.due < b.due ? -1 : 1;
  }
  if (a.note_id !== b.note_id) return a.note_id < b.note_id ? -1 : 1;
  return a.line - b.line;
}

export function otherState(state: TaskState): TaskState {
  return state === 'open' ? 'done' : 'open';
}

/** The task where its line is now, if exactly one other line reads like it: somebody wrote above it. */
export function movedTask(task: Task, found: readonly Pick<Task, 'line' | 'text' | 'state'>[]): number | null {
  const same = found.filter(({ text, state }) => text === task.text && state === task.state);
  const [only] = same;
  return same.length === 1 && only !== undefined ? only.line : null;
}

/** A line of a text, from 1, without white space around it; empty if there is none. */
export function lineOf(content: string, line: number): string {
  return content.split(/\r\n|\r|\n/)[line - 1]?.trim() ?? '';
}
