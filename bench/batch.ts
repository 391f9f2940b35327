import { load } from './kit/load.ts';
import { numberGiven, startServer } from './kit/processes.ts';
import { inRounds, middleRow, ratioRows } from './kit/rounds.ts';
import { notePath, noteText } from './kit/texts.ts';
import { signUp } from './kit/vault.ts';

// How many new notes of 2 KB a second does POST /notes/batch write, a hundred at a time, compared with single upserts?
/** Number of notes per round. */
const NOTES = numberGiven(5000);
const PER_BATCH = 100;
const note = (index: number) => ({ path: notePath(index), content: noteText(index, 2048), mtime: 1767225600 });

async function measure(connections: number, perRequest: number) {
  await using server = await startServer();
  const headers = await signUp(server.url);
  const count = Math.ceil(NOTES / perRequest);
  const bodyOf = (from: number) =>
    JSON.stringify(
      perRequest === 1
        ? note(from)
        : { notes: Array.from({ length: perRequest }, (_, at) => note(from * perRequest + at)) },
    );
  const shot = (from: number) => (index: number) => ({
    method: 'POST',
    path: perRequest === 1 ? '/api/notes' : '/api/notes/batch',
    body: bodyOf(from + index),
    headers: perRequest === 1 ? {} : { 'x-idempotency-key': `batch-${from + index}` },
  });
  await load(server.url, headers, connections, Math.ceil(count / 10), shot(1_000_000));
  await server.loopDelay();
  const before = await server.cpu();
  const run = await load(server.url, headers, connections, count, shot(0));
  const cpu = ((await server.cpu()) - before) * 1e6;
  const loop = await server.loopDelay();
  return {
    'notes/s': Math.round(run.perSecond * perRequest),
    'CPU µs a note': Math.round(cpu / (count * perRequest)),
    'p50 ms': run.p50Ms,
    'p99 ms': run.p99Ms,
    'loop p99 ms': loop.p99Ms,
    'loop max ms': loop.maxMs,
    MB: Math.round(await server.memory()),
  };
}

const { single, one, four } = await inRounds({
  single: () => measure(32, 1),
  one: () => measure(1, PER_BATCH),
  four: () => measure(4, PER_BATCH),
});
console.table([
  middleRow('single, 32 connections', single),
  middleRow(`batches of ${PER_BATCH}, 1 connection`, one),
  middleRow(`batches of ${PER_BATCH}, 4 connections`, four),
]);
console.log('of single upserts');
console.table([
  ...ratioRows(['notes/s'], one, single, '1 connection,'),
  ...ratioRows(['notes/s'], four, single, '4 connections,'),
]);
