import { tagKey } from '@notevault/note-text/tags.ts';
import type { Task } from '@notevault/note-text/tasks.ts';
import { tasksIn } from '../index/columns.ts';
import type { VaultIndex } from '../index/vault-index.ts';
import { allowedNotes } from './query.ts';

export interface TaskFilter {
  /** Null for both. */
  readonly state: Task['state'] | null;
  /** Tasks that are due on this day or before it; null for all tasks. */
  readonly dueUntil: string | null;
  /** Tasks with this tag or one below it; null for all tasks. */
  readonly tag: string | null;
  /** Folder to search, with its subfolders; null for all. */
  readonly folder: string | null;
}

/** A place in the order of tasks: by day, those without one last, then by note and line. */
export interface TaskPosition {
  readonly due: string | null;
  readonly id: string;
  readonly line: number;
}

export interface FoundTask extends Task {
  readonly id: string;
  readonly path: string;
}

export interface TaskPage {
  readonly tasks: readonly FoundTask[];
  readonly hasMore: boolean;
}

const NOTES_PER_STEP = 64;

/** Lists the first tasks after a position; see `runQuery` about the steps. */
export function* listTasks(
  index: VaultIndex,
  filter: TaskFilter,
  { after, limit }: { readonly after: TaskPosition | null; readonly limit: number },
): Generator<void, TaskPage> {
  const folderOnly = { folder: filter.folder, tags: null };
  const parts = index.segments.map((segment) => ({ segment, mask: allowedNotes(segment, folderOnly) }));
  let best: FoundTask[] = [];
  for (const { segment, mask } of parts) {
    for (let note = 0; note < mask.length; note++) {
      if (note % NOTES_PER_STEP === NOTES_PER_STEP - 1) yield;
      if (mask[note] !== 1) continue;
      for (const task of tasksIn(segment.facts, note)) {
        if (!passes(task, filter)) continue;
        const found = { ...task, id: segment.id(note), path: '' };
        if (after === null || compare(found, after) > 0) best.push(found);
      }
      // Sorting now and then keeps few in memory.
      if (best.length > 4 * (limit + 1)) best = best.sort(compare).slice(0, limit + 1);
    }
    yield;
  }
  best = best.sort(compare).slice(0, limit + 1);
  const tasks = best.slice(0, limit).map((task) => {
    const found = index.find(task.id);
    return { ...task, path: found?.segment.path(found.note) ?? '' };
  });
  return { tasks: tasks.filter(({ path }) => path !== ''), hasMore: best.length > limit };
}

function passes({ state, due, tags }: Task, filter: TaskFilter): boolean {
  if (filter.state !== null && state !== filter.state) return false;
  if (filter.dueUntil !== null && (due === null || due > filter.dueUntil)) return false;
  if (filter.tag === null) return true;
  const wanted = tagKey(filter.tag.replace(/^#/, ''));
  return tags.some((tag) => tagKey(tag) === wanted || tagKey(tag).startsWith(`${wanted}/`));
}

function compare(a: TaskPosition, b: TaskPosition): number {
  const [own, other] = [a.due ?? '~', b.due ?? '~'];
  if (own !== other) return own < other ? -1 : 1;
  if (a.id !== b.id) return a.id < b.id ? -1 : 1;
  return a.line - b.line;
}
