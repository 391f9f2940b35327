import { load } from './kit/load.ts';
import { numberGiven, startProcess } from './kit/processes.ts';
import { notePath, noteText } from './kit/texts.ts';
import { signUp } from './kit/vault.ts';

// How many durable upserts of new 2 KB notes a second at 32 connections, and how many reads of them, compared with the
// raw engine?
const CONNECTIONS = 32;
const WRITES = numberGiven(4000);
const READS = 2 * WRITES;
const upsert = (index: number) => ({
  method: 'POST',
  path: '/api/notes',
  body: JSON.stringify({ path: notePath(index), content: noteText(index, 2048), mtime: 1767225600 }),
});
const read = (index: number) => ({ method: 'GET', path: `/api/notes/${encodeURI(notePath(index % WRITES))}` });

async function measure(name: string, script: string, args: string[], signIn: boolean) {
  await using server = await startProcess(script, args);
  const atRest = await server.memory();
  const headers = signIn ? await signUp(server.url) : {};
  await load(server.url, headers, CONNECTIONS, 500, (index) => upsert(1_000_000 + index));
  await server.loopDelay();
  const before = await server.cpu();
  const writes = await load(server.url, headers, CONNECTIONS, WRITES, upsert);
  const between = await server.cpu();
  const writing = await server.loopDelay();
  const reads = await load(server.url, headers, CONNECTIONS, READS, read);
  const cpu = { write: ((between - before) * 1e6) / WRITES, read: (((await server.cpu()) - between) * 1e6) / READS };
  const reading = await server.loopDelay();
  return { name, atRest, writes, writing, reads, reading, cpu, after: await server.memory() };
}

const raw = await measure('raw engine', 'bench/kit/raw-server.ts', [], false);
const ours = await measure('notevault', 'cli/src/main.ts', ['serve', '--port', '0'], true);
console.table(
  [raw, ours].map(({ name, atRest, writes, writing, reads, reading, cpu, after }) => ({
    '': name,
    'upserts/s': writes.perSecond,
    'CPU µs': Math.round(cpu.write),
    'p50 ms': writes.p50Ms,
    'p99 ms': writes.p99Ms,
    'loop p99 ms': writing.p99Ms,
    'reads/s': reads.perSecond,
    'read CPU µs': Math.round(cpu.read),
    'read p99 ms': reads.p99Ms,
    'read loop p99 ms': reading.p99Ms,
    'MB at rest': Math.round(atRest),
    'MB after': Math.round(after),
  })),
);
const ratio = (a: number, b: number) => (a / b).toFixed(2);
console.log(
  `upserts ${ratio(ours.writes.perSecond, raw.writes.perSecond)} of raw, reads ${ratio(ours.reads.perSecond, raw.reads.perSecond)} of raw`,
);
