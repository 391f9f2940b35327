import { parentPort } from 'node:worker_threads';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { runInBackground } from './thread-priority.ts';

/** Functions a worker thread runs by name. What goes in and out is copied between threads. */
// biome-ignore lint/suspicious/noExplicitAny: each task has an input of its own.
export type Tasks = Readonly<Record<string, (input: any) => unknown>>;

/** The message that starts a task; a worker runs one task at a time. */
export interface TaskOrder {
  readonly name: string;
  readonly input: unknown;
}

/** A worker's report; `cpuMs` is the processor time of its thread since it started. */
export type TaskReport =
  | { readonly kind: 'ready'; readonly cpuMs: number }
  | { readonly kind: 'done'; readonly cpuMs: number; readonly output: unknown }
  /** The name and code of the error, never its message, which may quote a note. */
  | { readonly kind: 'failed'; readonly cpuMs: number; readonly name: string; readonly code: string | null };

/** A task's output with the buffers that move to the other thread instead of being copied. */
export class Transfer<Output> {
  readonly output: Output;
  readonly buffers: readonly ArrayBuffer[];
  constructor(output: Output, buffers: readonly ArrayBuffer[]) {
    this.output = output;
    this.buffers = buffers;
  }
}

/** Serves a WorkerPool from inside a worker thread. @param taskEnded called after every task. */
export function serveTasks(tasks: Tasks, taskEnded: () => void = () => undefined): void {
  runInBackground();
  parentPort?.on('message', async ({ name, input }: TaskOrder) => {
    try {
      const answer = await tasks[name]?.(input);
      const moved = answer instanceof Transfer ? answer : new Transfer(answer, []);
      parentPort?.postMessage({ kind: 'done', cpuMs: cpuMs(), output: moved.output } satisfies TaskReport, [
        ...moved.buffers,
      ]);
    } catch (error) {
      const code = error instanceof NotevaultError ? error.code : null;
      const errorName = error instanceof Error ? error.name : 'unknown';
      parentPort?.postMessage({ kind: 'failed', cpuMs: cpuMs(), name: errorName, code } satisfies TaskReport);
    }
    taskEnded();
  });
  parentPort?.postMessage({ kind: 'ready', cpuMs: cpuMs() } satisfies TaskReport);
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
