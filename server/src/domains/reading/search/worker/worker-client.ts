import type { Worker } from 'node:worker_threads';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { IdleTimer } from '../../../../concurrency/idle-timer.ts';
import type { Clock } from '../../../../ports/clock/clock.ts';
import type { TransferList } from './transfer-list.ts';
import type { WorkerApi, WorkerRequest, WorkerResponse } from './worker-api.ts';

type Params<Method extends keyof WorkerApi> = Parameters<WorkerApi[Method]>[0];
type Result<Method extends keyof WorkerApi> = Awaited<ReturnType<WorkerApi[Method]>>;

interface PendingRequest {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The thread ended before it answered. Only memory is lost: a repeated request makes the index again. */
export class WorkerDied extends Error {
  override readonly name = 'WorkerDied';
}

/** Requests beyond this are refused: their answers would come too late. */
const MAX_PENDING = 512;
const TIMEOUT_MS = 30_000;
/**
 * How long an idle thread keeps its memory. Restarting it costs a search some tenths of a second, and reading the
 * vault's index.
 */
const IDLE_MS = 5 * 60_000;

/**
 * Sends requests to the search thread. It starts the thread at the first request and again when it died, and ends it when
 * it has been idle for long.
 */
export class WorkerClient implements AsyncDisposable {
  readonly #start: () => Worker;
  readonly #reportFailure: (failure: string) => void;
  readonly #pending = new Map<number, PendingRequest>();
  readonly #idle: IdleTimer;
  #worker: Worker | undefined;
  #lastId = 0;
  #indexBytes = 0;
  #isClosed = false;

  /** @param reportFailure called with names of errors, never with words of a note. */
  constructor(start: () => Worker, reportFailure: (failure: string) => void, clock: Pick<Clock, 'schedule'>) {
    this.#start = start;
    this.#idle = new IdleTimer(IDLE_MS, clock.schedule, () => this.#end());
    this.#reportFailure = reportFailure;
  }

  /**
   * Calls a method of the worker. Throws `unavailable` when too many requests are pending or no answer comes in time, and
   * WorkerDied when the thread ends meanwhile.
   *
   * @param transfer the buffers of `params` that move to the thread.
   */
  async request<Method extends keyof WorkerApi>(
    method: Method,
    params: Params<Method>,
    transfer?: TransferList,
  ): Promise<Result<Method>> {
    if (this.#isClosed || this.#pending.size >= MAX_PENDING) throw new NotevaultError('unavailable');
    using _use = this.#idle.use();
    const worker = this.#runningWorker();
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => reject(new NotevaultError('unavailable')), TIMEOUT_MS).unref();
    this.#pending.set(id, { resolve, reject });
    try {
      worker.postMessage({ id, method, params } satisfies WorkerRequest, transfer?.buffers);
      return (await promise) as Result<Method>;
    } finally {
      clearTimeout(timer);
      this.#pending.delete(id);
    }
  }

  /** Memory that all indexes use, as of the last answer. */
  get indexBytes(): number {
    return this.#indexBytes;
  }

  get pendingRequests(): number {
    return this.#pending.size;
  }

  #runningWorker(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = this.#start();
    worker.unref();
    worker.on('message', (response: WorkerResponse) => this.#receive(response));
    worker.on('error', (error) => this.#reportFailure(error instanceof Error ? error.name : 'unknown'));
    worker.on('exit', () => this.#rejectAll(worker));
    this.#worker = worker;
    return worker;
  }

  #receive(response: WorkerResponse): void {
    const pending = this.#pending.get(response.id);
    if ('result' in response) {
      this.#indexBytes = response.bytes;
      pending?.resolve(response.result);
    } else {
      this.#reportFailure(response.failure);
      pending?.reject(new Error(`the search thread failed: ${response.failure}`));
    }
  }

  #rejectAll(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#indexBytes = 0;
    for (const { reject } of this.#pending.values()) reject(new WorkerDied());
    this.#pending.clear();
  }

  /** Ends an idle thread. The next request starts another one at once, even while this one is still ending. */
  #end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#indexBytes = 0;
    void worker?.terminate();
  }

  /** Ends the thread as a crash would. The next request starts another. */
  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#idle[Symbol.dispose]();
    await this.stop();
  }
}
