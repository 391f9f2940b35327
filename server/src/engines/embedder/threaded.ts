import { Worker } from 'node:worker_threads';
import {
  type Asked,
  type Embedder,
  EmbedderError,
  type EmbedderErrorCode,
  type Passage,
  type Space,
} from './embedder.ts';
import type { OnnxOptions } from './onnx.ts';

/** Which embedder the thread runs. */
export type ThreadData = { readonly kind: 'builtin' } | ({ readonly kind: 'onnx' } & OnnxOptions);

/** What the thread is asked, and answers. */
export type Question =
  | { readonly number: number; readonly verb: 'space' }
  | { readonly number: number; readonly verb: 'passages'; readonly passages: readonly Passage[] }
  | { readonly number: number; readonly verb: 'query'; readonly query: string }
  | { readonly number: number; readonly verb: 'cancel' };
export type Reply =
  | { readonly number: number; readonly answer: unknown }
  | { readonly number: number; readonly failure: { readonly code: EmbedderErrorCode; readonly message: string } };

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/**
 * An embedder in a thread of its own, so that calculating holds up nobody. A thread that dies fails what it was asked
 * (`unavailable`), and the next call starts another.
 */
export function threadedEmbedder(name: string, data: ThreadData): Embedder {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let last = 0;

  function running(): Worker {
    if (worker !== null) return worker;
    const own = new Worker(new URL('./embedder-worker.ts', import.meta.url), { workerData: data });
    own.unref();
    own.on('message', (reply: Reply) => {
      const asked = waiting.get(reply.number);
      if ('answer' in reply) asked?.resolve(reply.answer);
      else asked?.reject(new EmbedderError(reply.failure.code, reply.failure.message));
    });
    // An error ends the thread; what ended it may quote a text.
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

  async function ask(question: DistributiveOmit<Question, 'number'>, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    const number = ++last;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const own = running();
    waiting.set(number, { resolve, reject });
    const cancel = () => {
      own.postMessage({ number, verb: 'cancel' } satisfies Question);
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
    space: async (signal) => (await ask({ verb: 'space' }, signal)) as Space,
    embedPassages: async (passages, signal) => (await ask({ verb: 'passages', passages }, signal)) as Float32Array[],
    embedQuery: async (query, { signal }: Asked) => (await ask({ verb: 'query', query }, signal)) as Float32Array,
    async [Symbol.asyncDispose]() {
      const own = worker;
      worker = null;
      for (const { reject } of waiting.values()) reject(new EmbedderError('unavailable', 'The embedder was closed.'));
      await own?.terminate();
    },
  };
}

type DistributiveOmit<Of, Key extends PropertyKey> = Of extends unknown ? Omit<Of, Key> : never;
