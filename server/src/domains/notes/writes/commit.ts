import { NotevaultError } from '@notevault/protocol/errors.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { PathOwner, WriteContext } from '../../entries/entries.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { type CommittedNote, WriteConflicts } from './commit-rows.ts';
import type { PlannedWrites } from './group-commit.ts';
import type { WritePlan } from './write-plan.ts';

/** Notes to write in one transaction, each identified by its index. */
export interface WriteBatch<Result> {
  /** Reads what the plans of some notes need, in few statements. */
  prepare?(indexes: readonly number[]): Promise<void>;
  /** Plans a write from what is stored now; a NotevaultError rejects the note. */
  plan(index: number): Promise<WritePlan>;
  /**
   * Called for a note that cannot be written: throws to abort the batch, or records the failure while the others
   * continue.
   */
  reject(index: number, error: NotevaultError): void;
  /** Returns the result, inside the transaction, from what was written. */
  answer(handle: WriteHandle, done: ReadonlyMap<number, CommittedNote>): Promise<Result>;
}

/**
 * Maximum number of attempts; each failed one lost against a faster writer, and more in a row than this are a fault.
 */
const ROUNDS_MAX = 50;

/** Notes that are prepared together; their stored texts are in memory at once. */
const PREPARED_TOGETHER = 32;

/**
 * Reads and prepares outside the transaction, commits if what was read is unchanged, and retries with the notes that
 * have changed meanwhile. Throws `limit_exceeded`, and the errors of `reject`.
 */
export async function writeNotes<Result>(
  deps: NoteDeps,
  context: WriteContext<Result>,
  count: number,
  batch: WriteBatch<Result>,
): Promise<Result> {
  const plans = new Map<number, WritePlan>();
  const yieldIfDue = createYield();
  let unplanned = Array.from({ length: count }, (_, index) => index);
  for (let round = 1; ; round++) {
    for (const [position, index] of unplanned.entries()) {
      await yieldIfDue();
      if (position % PREPARED_TOGETHER === 0) {
        await batch.prepare?.(unplanned.slice(position, position + PREPARED_TOGETHER));
      }
      const plan = await planned(batch.plan(index));
      if (plan instanceof NotevaultError) batch.reject(index, plan);
      else plans.set(index, plan);
    }
    try {
      const finish = async (handle: WriteHandle, done: ReadonlyMap<number, CommittedNote>) => {
        const result = await batch.answer(handle, done);
        await context.inTransaction?.(handle, result);
        return result;
      };
      const writes: PlannedWrites = { vault: context.vault, plans, finish };
      return (await deps.commits.commit(writes)) as Result;
    } catch (error) {
      if (!(error instanceof WriteConflicts)) throw error;
      if (round === ROUNDS_MAX) throw new NotevaultError('unavailable', {}, error);
      unplanned = [];
      for (const { index, cause } of error.conflicts) {
        if (cause === null) unplanned.push(index);
        else batch.reject(index, await rejectionOf(deps, context, plans.get(index), cause));
        plans.delete(index);
      }
    }
  }
}

function planned(planning: Promise<WritePlan>): Promise<WritePlan | NotevaultError> {
  return planning.catch((error) => {
    if (error instanceof NotevaultError) return error;
    throw error;
  });
}

async function rejectionOf(
  deps: NoteDeps,
  { vault }: WriteContext,
  plan: WritePlan | undefined,
  cause: PathOwner | NotevaultError,
) {
  if (cause instanceof NotevaultError) return cause;
  return deps.entries.conflictWith(vault, cause, plan?.kind === 'write' ? plan.next.path : '');
}
