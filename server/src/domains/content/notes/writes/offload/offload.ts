import { NotevaultError } from '@notevault/protocol/errors.ts';
import { type Compute, TaskLimitError, type TaskOptions } from '../../../../../concurrency/worker-pool.ts';
import type { OpenVault } from '../../../vaults/vaults.ts';
import type { NoteDeps } from '../../notes.deps.ts';
import type { NoteTasks } from './tasks.ts';

/** Processor time limit of a task: a text of 10 MB takes a second or two and must not be refused. */
const TASK_MS = 10_000;

/**
 * Processes a large text or document on a worker thread, by the functions for small ones. Throws like Compute.run, but
 * `unavailable` for a task over the default limit. @param bytes the approximate size of the input.
 */
export async function offload<Name extends keyof NoteTasks & string>(
  { compute }: Pick<NoteDeps, 'compute'>,
  { callerId }: Pick<OpenVault, 'callerId'>,
  name: Name,
  input: Parameters<NoteTasks[Name]>[0],
  bytes: number,
  options: TaskOptions = {},
) {
  const typed = compute as Compute<NoteTasks>;
  try {
    return (await typed.run(callerId, name, input, { bytes, cpuMs: TASK_MS, ...options })).output;
  } catch (error) {
    // A caller that sets a limit handles the error itself.
    if (error instanceof TaskLimitError && options.cpuMs === undefined) {
      throw new NotevaultError('unavailable', {}, error);
    }
    throw error;
  }
}
