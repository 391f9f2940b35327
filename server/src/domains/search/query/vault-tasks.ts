import { parseTimestamp } from '@notevault/note-text/frontmatter/dates.ts';
import { invalid } from '@notevault/protocol/errors.ts';
import { TASK_STATES, TASKS_PAGE, type Tasks, type TasksQuery } from '@notevault/protocol/tasks.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { TaskFilter, TaskPosition } from '@notevault/search-index/properties/task-list.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { WorkerClient } from '../worker/worker-client.ts';
import { pageCursorOf, pagePositionOf } from './page-cursor.ts';
import { type FieldErrors, folderOfRequest } from './search-request.ts';
import type { VaultQuery } from './vault-query.ts';

/** Lists tasks of a vault, a page at a time. Throws a validation error, `invalid_cursor`, `unavailable`. */
export async function vaultTasks(
  { worker, index }: { readonly worker: WorkerClient; readonly index: VaultQuery },
  userId: UserId,
  vault: OpenVault,
  request: TasksQuery,
): Promise<Tasks> {
  const filter = filterOf(request);
  const scope = { vault, userId, asked: ['tasks', filter] as const };
  const page = { after: pagePositionOf<TaskPosition>(scope, request.cursor ?? null), limit: TASKS_PAGE };
  const found = await index.ask(vault, (asked) => worker.request('tasks', { ...asked, filter, page }));
  const last = found.tasks.at(-1);
  const next = found.hasMore && last !== undefined ? { due: last.due, id: last.id, line: last.line } : null;
  return {
    tasks: found.tasks.map(({ id, path, line, text, state, due, tags }) => {
      return { note_id: id, path, line, text, state, due, tags: [...tags] };
    }),
    next_cursor: next === null ? null : pageCursorOf(scope, next),
  };
}

function filterOf({ state, due_before: day, tag, folder: sent }: TasksQuery): TaskFilter {
  const errors: FieldErrors = {};
  const wanted = TASK_STATES.find((known) => known === state) ?? null;
  if (state !== undefined && wanted === null) errors.state = [`must be one of ${TASK_STATES.join(', ')}`];
  if (day !== undefined && !(/^\d{4}-\d{2}-\d{2}$/.test(day) && parseTimestamp(day) !== null)) {
    errors.due_before = ['must be a date such as 2026-12-01'];
  }
  const folder = folderOfRequest(sent ?? null, errors);
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return { state: wanted, dueUntil: day ?? null, tag: tag ?? null, folder };
}
