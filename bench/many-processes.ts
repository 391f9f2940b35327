import { durablePostgres } from '../server/test/kit/database/postgres.ts';
import { type Load, load, type Shot } from './kit/load.ts';
import { postgresCpu } from './kit/postgres-cpu.ts';
import { numberGiven, type Running, startProcess } from './kit/processes.ts';
import { notePath, noteText } from './kit/texts.ts';
import { closePairs, openClientPairs, type } from './kit/typing-clients.ts';
import { signUp } from './kit/vault.ts';

// What do one, two and four processes over one PostgreSQL make of one vault, and what does an operation cost in processor
// time? On a machine of few cores the rates say little; the processor time says what more cores would give.
const COUNTS = [1, 2, 4];
const OPERATIONS = numberGiven(1000);
const CONNECTIONS = 32;
const TYPED_NOTES = 10;
const TYPING_SECONDS = 4;
const EVERY_MS = 100;

const upsert = (prefix: string) => (index: number) => ({
  method: 'POST',
  path: '/api/notes',
  body: JSON.stringify({ path: `${prefix}/${notePath(index)}`, content: noteText(index, 2048), mtime: 1767225600 }),
});
const read = (index: number) => ({ method: 'GET', path: `/api/notes/${encodeURI(`first/${notePath(index % 200)}`)}` });
const search = (index: number) => ({
  method: 'POST',
  path: '/api/search',
  body: JSON.stringify({
    query: noteText(index % 50, 40)
      .split(' ')
      .slice(-2)
      .join(' '),
    mode: 'keyword',
    limit: 10,
  }),
});

/** Sends requests to all servers at once, over an equal share of the connections; as many to each as one alone gets. */
async function loadAll(
  servers: readonly Running[],
  headers: Record<string, string>,
  shot: (index: number) => Shot,
): Promise<Load & { readonly perSecond: number }> {
  const connections = CONNECTIONS / servers.length;
  const loads = await Promise.all(
    servers.map(({ url }, at) => load(url, headers, connections, OPERATIONS, (index) => shot(at * OPERATIONS + index))),
  );
  const worst = (of: (each: Load) => number) => Math.max(...loads.map(of));
  return {
    perSecond: Math.round(loads.reduce((sum, { perSecond }) => sum + perSecond, 0)),
    p50Ms: worst(({ p50Ms }) => p50Ms),
    p95Ms: worst(({ p95Ms }) => p95Ms),
    p99Ms: worst(({ p99Ms }) => p99Ms),
  };
}

async function measure(count: number): Promise<Record<string, number | string>> {
  await using database = await durablePostgres();
  await using started = new AsyncDisposableStack();
  const servers: Running[] = [];
  for (let at = 0; at < count; at++) {
    const env = { NOTEVAULT_DATABASE_URL: database.url };
    const folder = servers[0]?.folder ?? null;
    servers.push(started.use(await startProcess('cli/src/main.ts', ['serve', '--port', '0'], env, folder)));
  }
  const [first, last] = [servers[0] as Running, servers.at(-1) as Running];
  const headers = await signUp(first.url);
  const cpuOf = async (of: readonly Running[]) =>
    (await Promise.all(of.map((server) => server.cpu()))).reduce((sum, cpu) => sum + cpu, 0);
  /** Runs work of a number of operations; also returns the processor time of each in µs, of the servers and PostgreSQL. */
  async function costing<Result>(operations: number, work: () => Promise<Result>) {
    const [before, others, postgres] = [
      await cpuOf(servers),
      await cpuOf(servers.slice(1)),
      await postgresCpu(database.url),
    ];
    const result = await work();
    const µs = (seconds: number) => Math.round((seconds * 1e6) / operations);
    return {
      result,
      cpu: `${µs((await cpuOf(servers)) - before)} + ${µs((await postgresCpu(database.url)) - postgres)}`,
      others: µs((await cpuOf(servers.slice(1))) - others),
    };
  }
  await load(first.url, headers, CONNECTIONS, 200, upsert('first'));
  // Each process compiles what it runs often, which at first costs more than the operations.
  await loadAll(servers, headers, upsert('warm'));
  await loadAll(servers, headers, read);
  const all = OPERATIONS * count;
  const writes = await costing(all, () => loadAll(servers, headers, upsert('all')));
  const hints = await costing(OPERATIONS, () => load(first.url, headers, CONNECTIONS, OPERATIONS, upsert('one')));
  const reads = await costing(all, () => loadAll(servers, headers, read));
  await loadAll(servers, headers, search);
  const searches = await costing(all, () => loadAll(servers, headers, search));
  const names = await Promise.all(Array.from({ length: TYPED_NOTES }, (_, at) => emptyNote(first.url, headers, at)));
  const token = (headers.authorization ?? '').slice('Bearer '.length);
  const socket = ({ url }: Running) => `${url}/api/sync/socket`;
  const pairs = await openClientPairs(socket(first), token, names, socket(last));
  await type(pairs, 1, { everyMs: EVERY_MS });
  const letters = TYPED_NOTES * TYPING_SECONDS * (1000 / EVERY_MS);
  const typing = await costing(letters, () => type(pairs, TYPING_SECONDS, { everyMs: EVERY_MS }));
  closePairs(pairs);
  return {
    processes: count,
    'upserts/s': writes.result.perSecond,
    'upsert µs': writes.cpu,
    'µs of each other process': count === 1 ? '' : Math.round(hints.others / (count - 1)),
    'reads/s': reads.result.perSecond,
    'read µs': reads.cpu,
    'searches/s': searches.result.perSecond,
    'search µs': searches.cpu,
    'seen p50 ms': typing.result.p50Ms,
    'seen p99 ms': typing.result.p99Ms,
    'letter µs': typing.cpu,
  };
}

async function emptyNote(url: string, headers: Record<string, string>, at: number): Promise<string> {
  const made = await fetch(`${url}/api/notes`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ path: `typed ${at}.md`, content: '', mtime: 1 }),
  });
  return ((await made.json()) as { note: { id: string } }).note.id;
}

const rows: Record<string, number | string>[] = [];
for (const count of COUNTS) rows.push(await measure(count));
console.log('on PostgreSQL, with fsync and synchronous_commit on; processor time: of all processes + of PostgreSQL');
console.table(rows);
