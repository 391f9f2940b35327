import { load } from './kit/load.ts';
import { numberGiven, startServer } from './kit/processes.ts';
import { notePath, noteText } from './kit/texts.ts';
import { signUp } from './kit/vault.ts';

// Does an upsert of a new 2 KB note cost the same in a vault of 1,000 notes and in one of 50,000?
const CONNECTIONS = 32;
const SAMPLE = 1000;
const LARGE = numberGiven(50_000);
const shot = (index: number) => ({
  method: 'POST',
  path: '/api/notes',
  body: JSON.stringify({ path: notePath(index), content: noteText(index, 2048), mtime: 1767225600 }),
});

await using server = await startServer();
const headers = await signUp(server.url);
let written = 0;
const write = async (count: number) => {
  const from = written;
  written += count;
  const before = await server.cpu();
  const { perSecond, p50Ms, p99Ms } = await load(server.url, headers, CONNECTIONS, count, (index) =>
    shot(from + index),
  );
  const cpu = Math.round((((await server.cpu()) - before) * 1e6) / count);
  return { 'notes before': from, 'upserts/s': perSecond, 'CPU µs each': cpu, 'p50 ms': p50Ms, 'p99 ms': p99Ms };
};
await write(SAMPLE);
const small = await write(SAMPLE);
await write(LARGE - written);
const large = await write(SAMPLE);
console.table([small, large]);
const cost = (row: { 'CPU µs each': number }) => row['CPU µs each'];
console.log(
  `at ${LARGE} notes an upsert costs ${(cost(large) / cost(small)).toFixed(2)} times what it costs at ${SAMPLE}`,
);
