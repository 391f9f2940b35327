import { load } from './kit/load.ts';
import { postgresCpu } from './kit/postgres-cpu.ts';
import { databaseOfBench, numberGiven, type Running, startProcess, startServerOn } from './kit/processes.ts';
import { notePath, noteText } from './kit/texts.ts';
import { signUp } from './kit/vault.ts';

// How many durable upserts of new 2 KB notes a second at 32 connections, and how many reads of them, compared with the
// raw engine; with `--postgres`, on PostgreSQL too, compared with SQLite in the same run?
const CONNECTIONS = 32;
const WRITES = numberGiven(4000);
const READS = 2 * WRITES;
const upsert = (index: number) => ({
  method: 'POST',
  path: '/api/notes',
  body: JSON.stringify({ path: notePath(index), content: noteText(index, 2048), mtime: 1767225600 }),
});
const read = (index: number) => ({ method: 'GET', path: `/api/notes/${encodeURI(notePath(index % WRITES))}` });

async function measure(name: string, start: () => Promise<Running>, signIn: boolean, databaseUrl?: string) {
  await using server = await start();
  const databaseCpu = async () => (databaseUrl === undefined ? 0 : postgresCpu(databaseUrl));
  const atRest = await server.memory();
  const headers = signIn ? await signUp(server.url) : {};
  await load(server.url, headers, CONNECTIONS, 500, (index) => upsert(1_000_000 + index));
  await server.loopDelay();
  const before = await server.cpu();
  const databaseBefore = await databaseCpu();
  const writes = await load(server.url, headers, CONNECTIONS, WRITES, upsert);
  const between = await server.cpu();
  const databaseBetween = await databaseCpu();
  const writing = await server.loopDelay();
  const reads = await load(server.url, headers, CONNECTIONS, READS, read);
  const cpu = { write: ((between - before) * 1e6) / WRITES, read: (((await server.cpu()) - between) * 1e6) / READS };
  const database = {
    write: ((databaseBetween - databaseBefore) * 1e6) / WRITES,
    read: (((await databaseCpu()) - databaseBetween) * 1e6) / READS,
  };
  const reading = await server.loopDelay();
  return { name, atRest, writes, writing, reads, reading, cpu, database, after: await server.memory() };
}

const raw = await measure('raw engine', () => startProcess('bench/kit/raw-server.ts', []), false);
const ours = await measure('notevault', () => startServerOn(null), true);
const database = await databaseOfBench();
const onPostgres =
  database === null ? null : await measure('notevault, PostgreSQL', () => startServerOn(database), true, database.url);
console.table(
  [raw, ours, ...(onPostgres === null ? [] : [onPostgres])].map(
    ({ name, atRest, writes, writing, reads, reading, cpu, database, after }) => ({
      '': name,
      'upserts/s': writes.perSecond,
      'CPU µs': Math.round(cpu.write),
      '+ PostgreSQL': Math.round(database.write),
      'p50 ms': writes.p50Ms,
      'p99 ms': writes.p99Ms,
      'loop p99 ms': writing.p99Ms,
      'reads/s': reads.perSecond,
      'read CPU µs': Math.round(cpu.read),
      'read + PostgreSQL': Math.round(database.read),
      'read p99 ms': reads.p99Ms,
      'read loop p99 ms': reading.p99Ms,
      'MB at rest': Math.round(atRest),
      'MB after': Math.round(after),
    }),
  ),
);
const ratio = (a: number, b: number) => (a / b).toFixed(2);
console.log(
  `upserts ${ratio(ours.writes.perSecond, raw.writes.perSecond)} of raw, reads ${ratio(ours.reads.perSecond, raw.reads.perSecond)} of raw`,
);
if (onPostgres !== null) {
  const [upserts, reads] = [
    ratio(onPostgres.writes.perSecond, ours.writes.perSecond),
    ratio(onPostgres.reads.perSecond, ours.reads.perSecond),
  ];
  console.log(`on PostgreSQL, upserts ${upserts} and reads ${reads} of those on SQLite`);
}
