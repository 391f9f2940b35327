import type { Transferable, Worker } from 'node:worker_threads';
import { type ErrorCode, NotevaultError } from '@notevault/protocol/errors.ts';
import { TASK_CPU_MS, WAITING_TASKS } from '../config/limits.ts';
import { FairQueue } from './fair-queue.ts';
import type { TaskOrder, TaskReport, Tasks } from './task-worker.ts';

/** A task exceeded its limit of processor time or memory, and was ended. */
export class TaskLimitError extends Error {
  override readonly name = 'TaskLimitError';
  readonly limit: 'time' | 'memory';
  constructor(limit: 'time' | 'memory') {
    super(`the task went over its limit of ${limit}`);
    this.limit = limit;
  }
}

/** A task threw something other than a NotevaultError. The message stays in the worker, because it may quote a note. */
export class TaskFailed extends Error {
  override readonly name = 'TaskFailed';
  constructor(cause: string) {
    super(`the task failed: ${cause}`);
  }
}

export interface TaskOptions {
  /** Processor time after which the task is ended; 2,000 ms by default. */
  readonly cpuMs?: number;
  /** Approximate size of the input while it waits. */
  readonly bytes?: number;
  /** Whether the task waits however many others of its account do: requests are bounded elsewhere. */
  readonly patient?: boolean;
  /** Buffers of the input that move to the worker instead of being copied. */
  readonly transfer?: readonly Transferable[];
}

export interface TaskResult<Output> {
  readonly output: Output;
  /** Processor time of the worker's thread, including copying the input. */
  readonly cpuMs: number;
}

/** Runs work that must not block the event loop. */
export interface Compute<Of extends Tasks> {
  /** Runs a task for an account. Throws TaskLimitError, TaskFailed, the task's errors; `unavailable` unless patient. */
  run<Name extends keyof Of & string>(
    account: string,
    name: Name,
    input: Parameters<Of[Name]>[0],
    options?: TaskOptions,
  ): Promise<TaskResult<OutputOf<Of, Name>>>;
}

type OutputOf<Of extends Tasks, Name extends keyof Of> = PlainOutput<Awaited<ReturnType<Of[Name]>>>;
type PlainOutput<Answer> = Answer extends { readonly output: infer Output; readonly buffers: readonly ArrayBuffer[] }
  ? Output
  : Answer;

export interface PoolOptions {
  /** Starts a thread that serves tasks, with a limit on its memory. */
  readonly start: () => Worker;
  readonly size: number;
  /** How long a thread may be idle before it is ended. */
  readonly idleMs?: number;
}

interface Task extends PromiseWithResolvers<TaskResult<unknown>> {
  readonly order: TaskOrder;
  readonly cpuMs: number;
  readonly transfer: readonly Transferable[];
}

/** Long enough to read a public page and open the next: starting a thread takes ten times as long as rendering. */
const IDLE_MS = 120_000;

/**
 * A few worker threads that run one task each, with a limit on its processor time. A thread over its limit is ended,
 * and only its task fails. Threads are started when there is work and ended when there is none.
 */
export class WorkerPool<Of extends Tasks> implements Compute<Of>, AsyncDisposable {
  readonly #options: Required<PoolOptions>;
  readonly #queue = new FairQueue<Task>(WAITING_TASKS);
  readonly #idle: TaskThread[] = [];
  readonly #threads = new Set<TaskThread>();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = { idleMs: IDLE_MS, ...options };
  }

  run<Name extends keyof Of & string>(
    account: string,
    name: Name,
    input: Parameters<Of[Name]>[0],
    { cpuMs = TASK_CPU_MS, bytes = 0, patient = false, transfer = [] }: TaskOptions = {},
  ): Promise<TaskResult<OutputOf<Of, Name>>> {
    const done = Promise.withResolvers<TaskResult<unknown>>();
    const task = { ...done, order: { name, input }, cpuMs, transfer };
    if (this.#closed || !(patient || this.#queue.push(account, task, bytes))) {
      return Promise.reject(new NotevaultError('unavailable'));
    }
    if (patient) this.#queue.pushUncounted(account, task);
    this.#startNext();
    return done.promise as Promise<TaskResult<OutputOf<Of, Name>>>;
  }

  get tasks(): number {
    return this.#queue.length + this.#threads.size - this.#idle.length;
  }

  get threads(): number {
    return this.#threads.size;
  }

  /** Ends all threads; waiting and running tasks fail with `unavailable`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const task of this.#queue.clear()) task.reject(new NotevaultError('unavailable'));
    const closed = new NotevaultError('unavailable');
    await Promise.all([...this.#threads].map((thread) => thread.end(closed)));
  }

  #startNext(): void {
    if (this.#closed || this.#queue.length === 0) return;
    const thread = this.#idle.pop() ?? this.#startThread();
    const next = thread === undefined ? undefined : this.#queue.shift();
    if (thread === undefined || next === undefined) return;
    void thread.run(next.item).then((cpuMs) => {
      this.#queue.charge(next.tenant, cpuMs);
      if (this.#threads.has(thread)) this.#idle.push(thread);
      this.#startNext();
    });
  }

  #startThread(): TaskThread | undefined {
    if (this.#threads.size >= this.#options.size) return undefined;
    const thread: TaskThread = new TaskThread(this.#options.start(), this.#options.idleMs, () => {
      if (!this.#threads.delete(thread)) return;
      const at = this.#idle.indexOf(thread);
      if (at >= 0) this.#idle.splice(at, 1);
      this.#startNext();
    });
    this.#threads.add(thread);
    return thread;
  }
}

class TaskThread {
  readonly #worker: Worker;
  readonly #idleMs: number;
  readonly #left: () => void;
  readonly #ready = Promise.withResolvers<void>();
  /** Processor time of the thread at its last report. */
  #usedMs = 0;
  #settle: ((outcome: TaskReport | Error) => void) | undefined;
  /** Why the thread ended, once it has. */
  #end: Error | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param left called once, when the thread can run no further task. */
  constructor(worker: Worker, idleMs: number, left: () => void) {
    this.#worker = worker;
    this.#idleMs = idleMs;
    this.#left = left;
    worker.unref();
    worker.on('message', (report: TaskReport) => this.#heard(report));
    worker.on('error', (error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      this.#end ??= code === 'ERR_WORKER_OUT_OF_MEMORY' ? new TaskLimitError('memory') : new TaskFailed(nameOf(error));
    });
    worker.on('exit', () => this.#gone());
  }

  /** Runs a task and settles its promise. @returns the processor time it took. */
  async run({ order, cpuMs, transfer, resolve, reject }: Task): Promise<number> {
    clearTimeout(this.#timer);
    // Keeps the process alive until the task ends.
    this.#worker.ref();
    await this.#ready.promise;
    const before = this.#usedMs;
    const answer = Promise.withResolvers<TaskReport | Error>();
    this.#settle = answer.resolve;
    if (this.#end !== undefined) this.#settle(this.#end);
    else this.#post(order, transfer, before + cpuMs);
    const outcome = await answer.promise;
    clearTimeout(this.#timer);
    if (outcome instanceof Error) {
      reject(outcome);
      return cpuMs;
    }
    const took = outcome.cpuMs - before;
    if (outcome.kind === 'done') resolve({ output: outcome.output, cpuMs: took });
    else reject(errorOf(outcome));
    this.#worker.unref();
    this.#timer = setTimeout(() => void this.end(new NotevaultError('unavailable')), this.#idleMs).unref();
    return took;
  }

  /** Ends the thread; a running task fails with `reason`. */
  async end(reason: Error): Promise<void> {
    this.#end ??= reason;
    this.#left();
    await this.#worker.terminate();
  }

  #post(order: TaskOrder, transfer: readonly Transferable[], untilMs: number): void {
    try {
      this.#worker.postMessage(order, [...transfer]);
      this.#watch(untilMs);
    } catch (error) {
      // The input cannot be copied, which is a fault of the caller, not of the thread.
      this.#settle?.({ kind: 'failed', cpuMs: this.#usedMs, name: nameOf(error), code: null });
    }
  }

  /** Ends the thread when it has used up its processor time; checks at the earliest time at which it can have. */
  #watch(untilMs: number): void {
    const task = this.#settle;
    const checkUsage = async () => {
      const used = await this.#worker.cpuUsage().catch(() => null);
      if (used === null || this.#settle !== task) return;
      const left = untilMs - (used.user + used.system) / 1000;
      if (left <= 0) await this.end(new TaskLimitError('time'));
      else this.#timer = setTimeout(checkUsage, Math.max(left, 5)).unref();
    };
    this.#timer = setTimeout(checkUsage, Math.max(untilMs - this.#usedMs, 5)).unref();
  }

  #heard(report: TaskReport): void {
    this.#usedMs = report.cpuMs;
    if (report.kind === 'ready') this.#ready.resolve();
    else this.#report(report);
  }

  #report(outcome: TaskReport | Error): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(outcome);
  }

  #gone(): void {
    clearTimeout(this.#timer);
    this.#end ??= new TaskFailed('the thread ended');
    this.#left();
    this.#ready.resolve();
    this.#report(this.#end);
  }
}

function errorOf(report: Exclude<TaskReport, { kind: 'done' }>): Error {
  if (report.kind === 'ready') return new TaskFailed('the thread was restarted');
  return report.code === null ? new TaskFailed(report.name) : new NotevaultError(report.code as ErrorCode);
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
