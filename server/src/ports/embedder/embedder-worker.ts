import { parentPort, workerData } from 'node:worker_threads';
import { runInBackground } from '../../concurrency/thread-priority.ts';
import { collectWhenIdle } from '../gc/gc.ts';
import { builtinEmbedder } from './builtin.ts';
import { type Embedder, EmbedderError } from './embedder.ts';
import { onnxEmbedder } from './onnx.ts';
import type { ThreadData, WorkerRequest, WorkerResponse } from './threaded.ts';

// The worker thread of `ThreadedEmbedder`.
const data = workerData as ThreadData;
// The built-in embedder has no queries here, for which somebody would wait.
if (data.kind === 'builtin') runInBackground();
const embedder: Embedder = data.kind === 'builtin' ? builtinEmbedder() : onnxEmbedder(data);
const running = new Map<number, AbortController>();
const even = async (words: readonly string[]) => words.map(() => 1);
const collect = collectWhenIdle();

parentPort?.on('message', async (question: WorkerRequest) => {
  collect();
  const { number } = question;
  if (question.operation === 'cancel') {
    running.get(number)?.abort();
    return;
  }
  const controller = new AbortController();
  running.set(number, controller);
  try {
    parentPort?.postMessage({ number, result: await answer(question, controller.signal) } satisfies WorkerResponse);
  } catch (error) {
    const code = error instanceof EmbedderError ? error.code : 'unusable';
    const message = error instanceof EmbedderError ? error.message : 'The embedder failed.';
    parentPort?.postMessage({ number, failure: { code, message } } satisfies WorkerResponse);
  } finally {
    running.delete(number);
  }
});

function answer(question: Exclude<WorkerRequest, { operation: 'cancel' }>, signal: AbortSignal): Promise<unknown> {
  switch (question.operation) {
    case 'space':
      return embedder.space(signal);
    case 'passages':
      return embedder.embedPassages(question.passages, signal);
    case 'query':
      return embedder.embedQuery(question.query, { signal, idf: even });
  }
}
