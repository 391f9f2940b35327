import { parseTimestamp } from '@notevault/note-text/frontmatter/dates.ts';
import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import type { QueryRequest } from '@notevault/protocol/queries.ts';
import { TASK_STATES, type Tasks, type TasksQuery } from '@notevault/protocol/tasks.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import { type PackedLinks, packLinks } from '@notevault/search-index/properties/note-links.ts';
import { needsLinks, type PagePosition } from '@notevault/search-index/properties/query.ts';
import type { TaskFilter, TaskPosition } from '@notevault/search-index/properties/task-list.ts';
import { createYield } from '../../../../concurrency/yield.ts';
import type { OpenVault } from '../../../content/vaults/vaults.ts';
import type { IndexCatchUp } from '../index/index-catch-up.ts';
import type { IndexPersistence } from '../index/index-persistence.ts';
import type { SearchDeps } from '../search.ts';
import type { IndexRequest } from '../worker/worker-api.ts';
import { type WorkerClient, WorkerDied } from '../worker/worker-client.ts';
import { pageCursorOf, pagePositionOf } from './page-cursor.ts';
import { checkQuery } from './query-request.ts';
import { type FieldErrors, folderOfRequest } from './search-request.ts';

/** The index may be evicted, or its thread end, while it is asked; it is then asked again, at most this often. */
const MAX_ATTEMPTS = 5;

export type VaultQuery = ReturnType<typeof createVaultQuery>;

/** Creates queries over the index's data about notes other than their words. */
export function createVaultQuery(deps: SearchDeps, catchUp: IndexCatchUp, persistence: IndexPersistence) {
  const { db, vaults, notes, links, worker } = deps;

  /**
   * Asks the index of a vault, which is caught up with all writes that were answered.
   *
   * @param request resolves to null when the index is not in memory or is behind. Throws `unavailable`.
   */
  async function ask<Result>(
    vault: OpenVault,
    request: (index: IndexRequest) => Promise<Result | null>,
  ): Promise<Result> {
    await notes.live.flush(vault);
    const { changeSeq: seq } = await vaults.feed(db, vault);
    let died: unknown;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      try {
        const found = await request({ vault: vault.id, epoch: vault.feedEpoch, seq });
        if (found !== null) return found;
        persistence.storeIfDue(vault, await catchUp.catchUp(vault));
      } catch (error) {
        if (!(error instanceof WorkerDied)) throw error;
        died = error;
      }
    }
    throw new NotevaultError('unavailable', {}, died);
  }

  async function packedLinks(vault: OpenVault): Promise<PackedLinks> {
    const edges = await db.read((handle) => links.graphEdges(handle, vault));
    const yieldIfDue = createYield();
    const steps = packLinks(edges);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      await yieldIfDue();
    }
  }

  return {
    ask,
    /** Answers a query over properties, as JSON. Throws a validation error, `invalid_cursor`, `unavailable`. */
    async query(userId: UserId, vault: OpenVault, request: QueryRequest): Promise<Buffer[]> {
      const { query, columns, limit } = checkQuery(request);
      const scope = { vault, userId, asked: ['query', query] as const };
      const after = pagePositionOf<PagePosition>(scope, request.cursor ?? null);
      const packed = needsLinks(query) ? await packedLinks(vault) : null;
      const { rows, total, next } = await ask(vault, (index) =>
        worker.request('query', { ...index, query, page: { after, limit }, links: packed }),
      );
      const cursor = next === null ? null : pageCursorOf(scope, next);
      const rest = `,"total":${total},"next_cursor":${JSON.stringify(cursor)}}`;
      return [Buffer.from(`{"columns":${JSON.stringify(columns)},"rows":`), Buffer.from(rows), Buffer.from(rest)];
    },
  };
}

/** Lists tasks of a vault, a page at a time. Throws a validation error, `invalid_cursor`, `unavailable`. */
export async function vaultTasks(
  { worker, index }: { readonly worker: WorkerClient; readonly index: VaultQuery },
  userId: UserId,
  vault: OpenVault,
  request: TasksQuery,
  limit: number,
): Promise<Tasks> {
  const filter = filterOf(request);
  const scope = { vault, userId, asked: ['tasks', filter] as const };
  const page = { after: pagePositionOf<TaskPosition>(scope, request.cursor ?? null), limit };
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
