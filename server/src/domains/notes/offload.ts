import { NotevaultError } from '@notevault/protocol/errors.ts';
import { type Compute, TaskLimitError, type TaskOptions } from '../../concurrency/worker-pool.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import type { NoteDeps } from './notes.deps.ts';
import type { NoteTasks } from './tasks.ts';

/** Processor time of a task: a text of 10 MB takes a second or two, and is never refused for it. */
const TASK_MS = 10_000;

/**
 * Works on a large text or a long document on a worker thread, where it holds up nobody: by the functions that do it here
 * for small ones. Throws as Compute.run does, but `unavailable` for a task over the limit that is usual.
 *
 * @param bytes about what the input takes.
 */
export async function offload<Name extends keyof NoteTasks & string>(
  { compute }: Pick<NoteDeps, 'compute'>,
  { userId }: Pick<OpenVault, 'userId'>,
  name: Name,
  input: Parameters<NoteTasks[Name]>[0],
  bytes: number,
  options: TaskOptions = {},
) {
  const typed = compute as Compute<NoteTasks>;
  try {
    return (await typed.run(userId, name, input, { bytes, cpuMs: TASK_MS, ...options })).output;
  } catch (error) {
    // Whoever sets a limit knows what it means to go over it.
    if (error instanceof TaskLimitError && options.cpuMs === undefined) {
      throw new NotevaultError('unavailable', {}, error);
    }
    throw error;
  }
}
