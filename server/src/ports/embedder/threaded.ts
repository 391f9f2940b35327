import { Worker } from 'node:worker_threads';
import {
  type Embedder,
  EmbedderError,
  type EmbedderErrorCode,
  type EmbedOptions,
  type Passage,
  type Space,
} from './embedder.ts';
import type { OnnxOptions } from './onnx.ts';

/** Which embedder the thread runs. */
export type ThreadData = { readonly kind: 'builtin' } | ({ readonly kind: 'onnx' } & OnnxOptions);

/** The messages to the thread. */
export type WorkerRequest =
  | { readonly number: number; readonly operation: 'space' }
  | { readonly number: number; readonly operation: 'passages'; readonly passages: readonly Passage[] }
  | { readonly number: number; readonly operation: 'query'; readonly query: string }
  | { readonly number: number; readonly operation: 'cancel' };
export type WorkerResponse =
  | { readonly number: number; readonly result: unknown }
  | { readonly number: number; readonly failure: { readonly code: EmbedderErrorCode; readonly message: string } };

interface PendingRequest {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/**
 * An embedder on its own worker thread, so that calculations block nothing else. When the thread dies, its pending
 * calls fail (`unavailable`), and the next call starts another one.
 */
export function threadedEmbedder(name: string, data: ThreadData): Embedder {
  const waiting = new Map<number, PendingRequest>();
  let worker: Worker | null = null;
  let last = 0;

  function running(): Worker {
    if (worker !== null) return worker;
    const own = new Worker(new URL('./embedder-worker.ts', import.meta.url), { workerData: data });
    own.unref();
    own.on('message', (reply: WorkerResponse) => {
      const options = waiting.get(reply.number);
      if ('result' in reply) options?.resolve(reply.result);
      else options?.reject(new EmbedderError(reply.failure.code, reply.failure.message));
    });
    // An error ends the thread; it is not logged, because its message may quote a text.
    own.on('error', () => undefined);
    own.on('exit', () => {
      if (worker !== own) return;
      worker = null;
      for (const { reject } of waiting.values())
        reject(new EmbedderError('unavailable', 'The embedding thread ended.'));
      waiting.clear();
    });
    worker = own;
    return own;
  }

  async function ask(question: DistributiveOmit<WorkerRequest, 'number'>, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    const number = ++last;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const own = running();
    waiting.set(number, { resolve, reject });
    const cancel = () => {
      own.postMessage({ number, operation: 'cancel' } satisfies WorkerRequest);
      reject(signal.reason);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      own.postMessage({ number, ...question });
      return await promise;
    } finally {
      signal.removeEventListener('abort', cancel);
      waiting.delete(number);
    }
  }

  return {
    name,
    space: async (signal) => (await ask({ operation: 'space' }, signal)) as Space,
    embedPassages: async (passages, signal) =>
      (await ask({ operation: 'passages', passages }, signal)) as Float32Array[],
    embedQuery: async (query, { signal }: EmbedOptions) =>
      (await ask({ operation: 'query', query }, signal)) as Float32Array,
    async [Symbol.asyncDispose]() {
      const own = worker;
      worker = null;
      for (const { reject } of waiting.values()) reject(new EmbedderError('unavailable', 'The embedder was closed.'));
      await own?.terminate();
    },
  };
}

type DistributiveOmit<Of, Key extends PropertyKey> = Of extends unknown ? Omit<Of, Key> : never;
