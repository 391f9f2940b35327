import type { Worker } from 'node:worker_threads';
import { IdleTimer } from '../../concurrency/idle-timer.ts';
import { startThread } from '../../program/program.ts';
import type { Clock } from '../clock/clock.ts';
import {
  type Embedder,
  EmbedderError,
  type EmbedderErrorCode,
  type EmbedOptions,
  type Passage,
  type Space,
} from './embedder.ts';
import type { OnnxOptions } from './onnx.ts';

export type ThreadData = { readonly kind: 'builtin' } | ({ readonly kind: 'onnx' } & OnnxOptions);

export type WorkerRequest =
  | { readonly number: number; readonly operation: 'space' }
  | { readonly number: number; readonly operation: 'passages'; readonly passages: readonly Passage[] }
  | { readonly number: number; readonly operation: 'query'; readonly query: string }
  | { readonly number: number; readonly operation: 'cancel' };
export type WorkerResponse =
  | { readonly number: number; readonly result: unknown }
  | { readonly number: number; readonly failure: { readonly code: EmbedderErrorCode; readonly message: string } };

interface PendingRequest {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** How long an idle thread keeps its memory, perhaps a large model. */
const IDLE_MS = 5 * 60_000;

type DistributiveOmit<Of, Key extends PropertyKey> = Of extends unknown ? Omit<Of, Key> : never;

/**
 * An embedder on its own worker thread, so that calculations block nothing else. When the thread dies, its pending
 * calls fail (`unavailable`), and the next call starts another one. It ends when it has been idle for long.
 */
export class ThreadedEmbedder implements Embedder {
  readonly name: string;
  readonly onDemand: boolean;
  readonly #data: ThreadData;
  readonly #pending = new Map<number, PendingRequest>();
  readonly #idle: IdleTimer;
  #worker: Worker | null = null;
  #last = 0;
  #space: Space | undefined;

  constructor(name: string, data: ThreadData, clock: Pick<Clock, 'schedule'>) {
    this.name = name;
    this.onDemand = data.kind === 'builtin';
    this.#idle = new IdleTimer(IDLE_MS, clock.schedule, () => this.#end());
    this.#data = data;
  }

  async space(signal: AbortSignal): Promise<Space> {
    // Remembered, so that looking for work each minute does not keep a thread alive that has none.
    this.#space ??= (await this.#request({ operation: 'space' }, signal)) as Space;
    return this.#space;
  }

  async embedPassages(passages: readonly Passage[], signal: AbortSignal): Promise<Float32Array[]> {
    return (await this.#request({ operation: 'passages', passages }, signal)) as Float32Array[];
  }

  async embedQuery(query: string, { signal }: EmbedOptions): Promise<Float32Array> {
    return (await this.#request({ operation: 'query', query }, signal)) as Float32Array;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#idle[Symbol.dispose]();
    const worker = this.#worker;
    this.#worker = null;
    this.#rejectPending('The embedder was closed.');
    await worker?.terminate();
  }

  async #request(request: DistributiveOmit<WorkerRequest, 'number'>, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    using _use = this.#idle.use();
    const number = ++this.#last;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#worker ??= this.#start();
    const worker = this.#worker;
    this.#pending.set(number, { resolve, reject });
    const cancel = () => {
      worker.postMessage({ number, operation: 'cancel' } satisfies WorkerRequest);
      reject(signal.reason);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      worker.postMessage({ number, ...request });
      return await promise;
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#pending.delete(number);
    }
  }

  /** Ends an idle thread. The next call starts another one at once, even while this one is still ending. */
  #end(): void {
    const worker = this.#worker;
    this.#worker = null;
    void worker?.terminate();
  }

  #start(): Worker {
    const worker = startThread(new URL('./embedder-worker.ts', import.meta.url), { workerData: this.#data });
    worker.unref();
    worker.on('message', (response: WorkerResponse) => this.#received(response));
    // An error ends the thread; it is not logged, because its message may quote a text.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#rejectPending('The embedding thread ended.');
      this.#pending.clear();
    });
    return worker;
  }

  #received(response: WorkerResponse): void {
    const pending = this.#pending.get(response.number);
    if ('result' in response) pending?.resolve(response.result);
    else pending?.reject(new EmbedderError(response.failure.code, response.failure.message));
  }

  #rejectPending(message: string): void {
    for (const { reject } of this.#pending.values()) reject(new EmbedderError('unavailable', message));
  }
}
