import { parentPort, workerData } from 'node:worker_threads';
import { collectAtLeisure } from '../memory/memory.ts';
import { builtinEmbedder } from './builtin.ts';
import { type Embedder, EmbedderError } from './embedder.ts';
import { onnxEmbedder } from './onnx.ts';
import type { Question, Reply, ThreadData } from './threaded.ts';

// The thread of `threadedEmbedder`.
const data = workerData as ThreadData;
const embedder: Embedder = data.kind === 'builtin' ? builtinEmbedder() : onnxEmbedder(data);
const running = new Map<number, AbortController>();
const even = async (words: readonly string[]) => words.map(() => 1);
const worked = collectAtLeisure();

parentPort?.on('message', async (question: Question) => {
  worked();
  const { number } = question;
  if (question.verb === 'cancel') {
    running.get(number)?.abort();
    return;
  }
  const controller = new AbortController();
  running.set(number, controller);
  try {
    parentPort?.postMessage({ number, answer: await answer(question, controller.signal) } satisfies Reply);
  } catch (error) {
    const code = error instanceof EmbedderError ? error.code : 'unusable';
    const message = error instanceof EmbedderError ? error.message : 'The embedder failed.';
    parentPort?.postMessage({ number, failure: { code, message } } satisfies Reply);
  } finally {
    running.delete(number);
  }
});

function answer(question: Exclude<Question, { verb: 'cancel' }>, signal: AbortSignal): Promise<unknown> {
  switch (question.verb) {
    case 'space':
      return embedder.space(signal);
    case 'passages':
      return embedder.embedPassages(question.passages, signal);
    case 'query':
      return embedder.embedQuery(question.query, { signal, rarity: even });
  }
}
