import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { wordsOf } from '@notevault/note-text/words.ts';
import { passagesOfNote } from '@notevault/search-index/analysis/passages.ts';
import type { Embedder } from '../server/src/ports/embedder/embedder.ts';
import { httpEmbedder } from '../server/src/ports/embedder/http.ts';
import { onnxEmbedder } from '../server/src/ports/embedder/onnx.ts';
import { writeModelOfSize } from '../server/test/kit/content/tiny-model.ts';
import { scratchFolder } from '../server/test/kit/scratch.ts';
// The runtime of models is installed for the optional tests alone: `npm run test:optional` once.
import '../tools/optional/resolve.ts';
import { numberGiven } from './kit/processes.ts';
import { madeNotes } from './kit/vault-texts.ts';

// What does a model cost a vault of 10,000 notes? A model in a folder, made with random weights in the size of
// all-MiniLM-L6-v2 (30,000 words, 384 numbers, 6 layers, 256 tokens), on one thread; and a server that answers at once, which
// leaves what Notevault itself does. `npm run bench -- models 300` embeds 300 notes of one to two kilobytes.
const COUNT = numberGiven(300);
const NOTES = 10_000;
const signal = new AbortController().signal;
const asked = { signal, idf: async (words: readonly string[]) => words.map(() => 1) };
// Each third note of these is in English.
const noteAt = madeNotes();
const notes = Array.from({ length: COUNT }, (_, index) => noteAt(3 * index));
const words = [...new Set(notes.flatMap(({ content }) => wordsOf(content)))];

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

async function measure(name: string, embedder: Embedder): Promise<void> {
  collect();
  const before = process.memoryUsage.rss();
  await embedder.space(signal);
  const cpu = process.cpuUsage();
  const from = performance.now();
  let vectors = 0;
  for (const { path, content } of notes) {
    vectors += (await embedder.embedPassages(passagesOfNote(path, content).passages, signal)).length;
  }
  const seconds = (performance.now() - from) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const asking = performance.now();
  for (let query = 0; query < 20; query++) await embedder.embedQuery(`where is the setting ${query}`, asked);
  const queryMs = (performance.now() - asking) / 20;
  const scale = NOTES / COUNT;
  console.log(
    `${name}: ${NOTES} notes (${Math.round(vectors * scale)} chunks) in ${((seconds * scale) / 60).toFixed(1)} min, ` +
      `${(((user + system) / 1e6) * (scale / 60)).toFixed(1)} min of processor; a query ${queryMs.toFixed(1)} ms; ` +
      `memory +${((process.memoryUsage.rss() - before) / 1e6).toFixed(0)} MB while it runs`,
  );
}

const folder = scratchFolder('bench');
const padding = Array.from({ length: Math.max(0, 30_000 - words.length) }, (_, at) => `word${at}`);
await writeModelOfSize(folder, { words: [...words, ...padding], width: 384, layers: 6, tokens: 256 });
{
  await using embedder = onnxEmbedder({ folder, threads: 1 });
  await measure('onnx, in the size of all-MiniLM-L6-v2', embedder);
}
await rm(folder, { recursive: true });

const server = createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  const input: readonly string[] = JSON.parse(body).input;
  const data = input.map((_, index) => ({
    index,
    embedding: Array.from({ length: 384 }, (_, at) => Math.sin(at + index)),
  }));
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
const delay = (ms: number) => setTimeout(ms);
await measure(
  'http, with a server that answers at once',
  httpEmbedder({ url, model: 'bench', key: null, delay, now: Date.now, jitter: Math.random, timeoutMs: 60_000 }),
);
server.close();
