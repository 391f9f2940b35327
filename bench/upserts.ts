import { load } from './kit/load.ts';
import { postgresCpu } from './kit/postgres-cpu.ts';
import { databaseOfBench, numberGiven, type Running, startProcess, startServerOn } from './kit/processes.ts';
import { inRounds, middleRow, ratioRows } from './kit/rounds.ts';
import { notePath, noteText } from './kit/texts.ts';
import { signUp } from './kit/vault.ts';

// How many durable upserts of new 2 KB notes a second at 32 connections, and how many reads of them, compared with the
// raw engine; with `--postgres`, on PostgreSQL too, compared with SQLite in the same run?
const CONNECTIONS = 32;
/** Number of writes per round. */
const WRITES = numberGiven(3000);
const READS = 2 * WRITES;
const upsert = (index: number) => ({
  method: 'POST',
  path: '/api/notes',
  body: JSON.stringify({ path: notePath(index), content: noteText(index, 2048), mtime: 1767225600 }),
});
const read = (index: number) => ({ method: 'GET', path: `/api/notes/${encodeURI(notePath(index % WRITES))}` });

async function measure(start: () => Promise<Running>, signIn: boolean, databaseUrl?: string) {
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
  return {
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
    'MB after': Math.round(await server.memory()),
  };
}

/** Runs the comparison on PostgreSQL, with `--postgres`. */
async function onPostgres() {
  const database = await databaseOfBench();
  return database === null ? null : measure(() => startServerOn(database), true, database.url);
}

const found = await inRounds({
  raw: () => measure(() => startProcess('bench/kit/raw-server.ts', []), false),
  ours: () => measure(() => startServerOn(null), true),
  postgres: onPostgres,
});
const { raw, ours } = found;
const postgres = found.postgres.filter((row) => row !== null);
console.table([
  middleRow('raw engine', raw),
  middleRow('notevault', ours),
  ...(postgres.length > 0 ? [middleRow('notevault, PostgreSQL', postgres)] : []),
]);
const columns = ['upserts/s', 'CPU µs', 'reads/s', 'read CPU µs'] as const;
console.log('of the raw engine');
console.table(ratioRows(columns, ours, raw));
if (postgres.length > 0) {
  console.log('PostgreSQL of SQLite');
  console.table(ratioRows(columns, postgres, ours));
}
