import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { postgresCpu } from './kit/postgres-cpu.ts';
import { databaseOfBench, numberGiven, startServerOn } from './kit/processes.ts';
import { inRounds, middleRow, ratioRows } from './kit/rounds.ts';
import { signUp } from './kit/vault.ts';

// What does renaming a folder of 5,000 notes with 20,000 inbound links cost, and how much longer do others wait than
// while nothing is renamed?
const NOTES = numberGiven(5000);
const LINKS_EACH = 4;
const BATCH = 32;
const QUIET_MS = 5000;

const database = await databaseOfBench();
await using server = await startServerOn(database);
const headers = { ...(await signUp(server.url)), 'content-type': 'application/json' };
const made = await fetch(`${server.url}/api/vaults`, { method: 'POST', headers, body: '{"name":"Other"}' });
const other = { ...headers, 'x-vault-id': ((await made.json()) as { vault: { id: string } }).vault.id };

const post = async (path: string, body: object, as: Record<string, string> = headers) => {
  const answer = await fetch(`${server.url}/api${path}`, { method: 'POST', headers: as, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
};

async function all(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: BATCH }, worker));
}

/** Writes to the other vault and reads from this one, one after the other, until told to stop; reports the waits. */
function bystander() {
  let running = true;
  const repeat = async (request: (index: number) => Promise<unknown>) => {
    const times: number[] = [];
    for (let index = 0; running; index++) {
      const at = performance.now();
      await request(index);
      times.push(performance.now() - at);
    }
    return times.sort((a, b) => a - b);
  };
  const both = Promise.all([
    repeat((index) => post('/notes', { path: `n${index % 10}.md`, content: `${index}`, mtime: 1 }, other)),
    repeat(() => fetch(`${server.url}/api/vaults`, { headers }).then((answer) => answer.text())),
  ]);
  return async () => {
    running = false;
    const [writes, reads] = await both;
    const at = (times: readonly number[], share: number) => Math.round(times[Math.floor(times.length * share)] ?? 0);
    return {
      ...{ 'write p99 ms': at(writes, 0.99), 'longest write ms': Math.round(writes.at(-1) ?? 0) },
      ...{ 'read p99 ms': at(reads, 0.99), 'longest read ms': Math.round(reads.at(-1) ?? 0) },
    };
  };
}

const databaseCpu = async () => (database === null ? 0 : postgresCpu(database.url));

/** Also measures the processor time, which includes that of the requests meanwhile. */
async function measure(work: () => Promise<unknown>) {
  const [cpu, ofDatabase] = [await server.cpu(), await databaseCpu()];
  const stop = bystander();
  const at = performance.now();
  await work();
  const ms = Math.round(performance.now() - at);
  const waits = await stop();
  const seconds = (from: number, to: number) => Math.round((to - from) * 100) / 100;
  const used = {
    'CPU s': seconds(cpu, await server.cpu()),
    '+ PostgreSQL s': seconds(ofDatabase, await databaseCpu()),
  };
  return { ms, ...used, ...waits };
}

async function analyze(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('analyze');
  await client.end();
}

const target = (index: number) => `big/note ${index}`;
await all(NOTES, (index) => post('/notes', { path: `${target(index)}.md`, content: `# ${index}\n`, mtime: 1 }));
const links = (index: number) =>
  Array.from({ length: LINKS_EACH }, (_, at) => `[[${target((index * LINKS_EACH + at) % NOTES)}]]`).join(' ');
await all(NOTES, (index) => post('/notes', { path: `src/s${index}.md`, content: `${links(index)}\n`, mtime: 1 }));
const ids: string[] = [];
await all(1000, async (index) => {
  const note = await post('/notes', { path: `loose/l${index}.md`, content: 'loose\n', mtime: 1 });
  ids.push((note.note as { id: string }).id);
});
await server.loopDelay();

const rename = (old_path: string, new_path: string) => post('/folders/rename', { old_path, new_path });
const places = ['big', 'elsewhere/bigger'] as const;
const { quiet, renaming } = await inRounds({
  quiet: () => measure(() => delay(QUIET_MS)),
  renaming: (round) => measure(() => (round % 2 === 0 ? rename(places[0], places[1]) : rename(places[1], places[0]))),
});
console.table([
  middleRow('nothing is renamed', quiet),
  middleRow(`a folder of ${NOTES} notes, ${NOTES * LINKS_EACH} links to them by path`, renaming),
  // What the rounds differ by.
  ...renaming.map((row, round) => ({ '': `round ${round + 1}`, ...row })),
]);
console.log('others, of when nothing is renamed');
console.table(ratioRows(['write p99 ms', 'read p99 ms'], renaming, quiet));
await rename(places[1], places[0]);

const rows: Record<string, object> = {};
if (database !== null) {
  await analyze(database.url);
  rows['rename it with statistics'] = await measure(() => rename(places[0], places[1]));
  await rename(places[1], places[0]);
}
rows['move 1,000 notes'] = await measure(() =>
  fetch(`${server.url}/api/notes/batch-move`, {
    method: 'POST',
    headers: { ...headers, 'x-idempotency-key': 'move' },
    body: JSON.stringify({ ids, target_folder: 'moved' }),
  }).then((answer) => answer.text()),
);
rows['rename one note with 4 links'] = await measure(() =>
  post('/notes/rename', { old_path: 'big/note 7.md', new_path: 'big/seven.md' }),
);
console.table(rows);
console.log('event loop', await server.loopDelay());
