import { type Load, load } from './kit/load.ts';
import { numberGiven, type Running, startProcess, startServer } from './kit/processes.ts';
import { inRounds, middleRow, ratioRows } from './kit/rounds.ts';
import { notePath, noteText } from './kit/texts.ts';
import { signUp } from './kit/vault.ts';

// How long does the event loop stand still while 64 connections write new 2 KB notes and 16 read, and how long do they
// wait, compared with the raw engine under the same load? With `--postgres`, Notevault runs on PostgreSQL.
const WRITERS = 64;
const READERS = 16;
/** In each round. */
const WRITES = numberGiven(4000);
const READS_AT_ONCE = 800;
/** The notes that are read; written before the measurement. */
const READ_NOTES = 500;
const upsert = (index: number) => ({
  method: 'POST',
  path: '/api/notes',
  body: JSON.stringify({ path: notePath(index), content: noteText(index, 2048), mtime: 1767225600 }),
});
const read = (index: number) => ({ method: 'GET', path: `/api/notes/${encodeURI(notePath(index % READ_NOTES))}` });

async function measure(start: () => Promise<Running>, signIn: boolean) {
  await using server = await start();
  const headers = signIn ? await signUp(server.url) : {};
  await load(server.url, headers, WRITERS, READ_NOTES, upsert);
  await load(server.url, headers, READERS, READS_AT_ONCE, read);
  await server.loopDelay();
  let isWriting = true;
  const reads: Load[] = [];
  const reading = async () => {
    while (isWriting) reads.push(await load(server.url, headers, READERS, READS_AT_ONCE, read));
  };
  const writing = load(server.url, headers, WRITERS, WRITES, (index) => upsert(READ_NOTES + index)).finally(() => {
    isWriting = false;
  });
  const [writes] = await Promise.all([writing, reading()]);
  const loop = await server.loopDelay();
  return {
    'upserts/s': writes.perSecond,
    'p50 ms': writes.p50Ms,
    'p99 ms': writes.p99Ms,
    'reads/s': Math.round(reads.reduce((sum, { perSecond }) => sum + perSecond, 0) / reads.length),
    'read p99 ms': Math.max(...reads.map(({ p99Ms }) => p99Ms)),
    'loop p50 ms': loop.p50Ms,
    'loop p99 ms': loop.p99Ms,
  };
}

const { raw, ours } = await inRounds({
  raw: () => measure(() => startProcess('bench/kit/raw-server.ts', []), false),
  ours: () => measure(startServer, true),
});
console.table([middleRow('raw engine', raw), middleRow('notevault', ours)]);
console.log('of the raw engine');
console.table(ratioRows(['upserts/s', 'reads/s', 'loop p99 ms'], ours, raw));
