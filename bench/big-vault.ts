import { setTimeout as delay } from 'node:timers/promises';
import type { FreshDatabase } from '../server/test/kit/database/postgres.ts';
import { load, type Shot } from './kit/load.ts';
import { postgresCpu } from './kit/postgres-cpu.ts';
import { databaseOfBench, numberGiven, type Running, startServerOn } from './kit/processes.ts';
import { inRounds, middleOf, ratioRow } from './kit/rounds.ts';
import { noteText } from './kit/texts.ts';
import { signUp } from './kit/vault.ts';

// What do import, manifest, tree, search and the rename of the top folder cost in a vault of 100,000 notes and 20,000
// attachments, and does any of it grow faster than the vault? Measured at a tenth of the size too, and divided by it.
// The rename is repeated, and the manifest after it compared with the next, which finds it in memory. How much of the
// memory that the renames took is left a minute later?
const NOTES = numberGiven(100_000);
const SHARE = 10;
const NOTES_PER_ATTACHMENT = 5;
const BATCH = 100;
const NOTES_PER_FOLDER = 200;
const CONNECTIONS = 4;
const SEARCHES = 50;
/** Within this time V8 has collected the garbage of the work and returned its memory. */
const MEMORY_MS = 60_000;

const pathOf = (index: number) => `top/folder ${Math.floor(index / NOTES_PER_FOLDER)}/note ${index}.md`;
const batch = (from: number, count: number): Shot => ({
  method: 'POST',
  path: '/api/notes/batch',
  headers: { 'x-idempotency-key': `${from}` },
  body: JSON.stringify({
    notes: Array.from({ length: Math.min(BATCH, count - from) }, (_, at) => ({
      path: pathOf(from + at),
      content: noteText(from + at, 500),
      mtime: 1767225600,
    })),
  }),
});
const attachment = (index: number): Shot => ({
  method: 'PUT',
  path: `/api/attachments/${encodeURI(`top/files/${Math.floor(index / NOTES_PER_FOLDER)}/file ${index}.txt`)}`,
  headers: { 'content-type': 'application/octet-stream' },
  body: `the content of file ${index}`,
});
const search = (index: number): Shot => ({
  method: 'POST',
  path: '/api/search',
  body: JSON.stringify({ query: `lantern harbour ${index}`, mode: 'keyword', limit: 10 }),
});
const get = (path: string) => (): Shot => ({ method: 'GET', path: `/api${path}` });

interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
  /** Processor time of PostgreSQL meanwhile, in ms; 0 on SQLite. */
  readonly databaseCpuMs: number;
  /** Peak resident memory during the work, in MB. */
  readonly peakMb: number;
}

/** Wall and processor time of some work, in ms, and its memory. */
async function costOf(server: Running, database: FreshDatabase | null, work: () => Promise<unknown>): Promise<Cost> {
  const databaseCpu = async () => (database === null ? 0 : postgresCpu(database.url));
  await server.resetPeak();
  const [cpu, ofDatabase] = [await server.cpu(), await databaseCpu()];
  const at = performance.now();
  await work();
  const ms = Math.round(performance.now() - at);
  const cpuMs = Math.round(((await server.cpu()) - cpu) * 1000);
  const databaseCpuMs = Math.round(((await databaseCpu()) - ofDatabase) * 1000);
  return { ms, cpuMs, databaseCpuMs, peakMb: Math.round(await server.peakMemory()) };
}

/** Searches until the index is there: on a busy machine the server answers 503 before that. */
async function searchOnceIndexed(url: string, headers: Record<string, string>): Promise<void> {
  const { method, path, body = '' } = search(0);
  for (;;) {
    const json = { ...headers, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method, headers: json, body });
    await answer.arrayBuffer();
    if (answer.status === 200) return;
    if (answer.status !== 503) throw new Error(`a search was answered ${answer.status}`);
    await delay(1000 * Number(answer.headers.get('retry-after')));
  }
}

/** Renames the top folder there and back, and reads the manifest after it; the median of each. */
async function renames(server: Running, database: FreshDatabase | null, headers: Record<string, string>) {
  const places = ['top', 'renamed'] as const;
  const ask = (shot: () => Shot) => costOf(server, database, () => load(server.url, headers, 1, 1, shot));
  const { rounds } = await inRounds({
    rounds: async (round) => {
      const [old_path, new_path] = round % 2 === 0 ? places : places.toReversed();
      const body = JSON.stringify({ old_path, new_path });
      const rename = await ask(() => ({ method: 'POST', path: '/api/folders/rename', body }));
      return { rename, manifest: await ask(get('/sync/manifest')), next: await ask(get('/sync/manifest')) };
    },
  });
  const ms = (of: (round: (typeof rounds)[number]) => Cost) => rounds.map((round) => of(round).ms);
  console.table([
    ratioRow(
      'rename, of the manifest after it',
      ms(({ rename }) => rename),
      ms(({ manifest }) => manifest),
    ),
    ratioRow(
      'manifest after it, of the next',
      ms(({ manifest }) => manifest),
      ms(({ next }) => next),
    ),
  ]);
  const middle = (of: (round: (typeof rounds)[number]) => Cost): Cost => {
    const figure = (key: keyof Cost) => middleOf(rounds.map((round) => of(round)[key]));
    return {
      ...{ ms: figure('ms'), cpuMs: figure('cpuMs') },
      ...{ databaseCpuMs: figure('databaseCpuMs'), peakMb: figure('peakMb') },
    };
  };
  return { rename: middle(({ rename }) => rename), manifest: middle(({ manifest }) => manifest) };
}

/** Measures a vault of a size on a server of its own; resolves to the cost of each operation. */
async function measure(notes: number): Promise<Map<string, Cost>> {
  const files = notes / NOTES_PER_ATTACHMENT;
  // Vectors are made in the background for long, and would count against whatever is measured meanwhile.
  await using database = await databaseOfBench();
  // Named here, because the database outlives the first server.
  const onDatabase = database === null ? {} : { NOTEVAULT_DATABASE_URL: database.url };
  let server = await startServerOn(null, { NOTEVAULT_EMBEDDER_SHARE: '1', ...onDatabase });
  try {
    const headers = await signUp(server.url);
    const rows = new Map<string, Cost>();
    const once = async (name: string, shot: (index: number) => Shot, connections = 1, count = 1) => {
      rows.set(name, await costOf(server, database, () => load(server.url, headers, connections, count, shot)));
    };
    await once('import the notes', (index) => batch(index * BATCH, notes), CONNECTIONS, Math.ceil(notes / BATCH));
    await once('upload the attachments', attachment, CONNECTIONS, files);
    rows.set('first search', await costOf(server, database, () => searchOnceIndexed(server.url, headers)));
    await once(`${SEARCHES} searches`, search, 1, SEARCHES);
    await once('manifest', get('/sync/manifest'));
    server = await server.restarted();
    await once('first manifest after a start', get('/sync/manifest'));
    await once('the same again', get('/sync/manifest'));
    await once('tree', get('/vault/tree'));
    rows.set(
      'first search after a start',
      await costOf(server, database, () => searchOnceIndexed(server.url, headers)),
    );
    const before = await server.ownMemory();
    const renamed = await renames(server, database, headers);
    rows.set('rename the top folder', renamed.rename);
    rows.set('manifest after it', renamed.manifest);
    await delay(MEMORY_MS);
    const after = await server.ownMemory();
    const seconds = MEMORY_MS / 1000;
    console.log(
      `own memory ${Math.round(before)} MB before the renames, ${Math.round(after)} MB ${seconds} s after them`,
    );
    const { resident, files: mapped, heapUsed, threadHeaps } = await server.collected();
    const parts = `${Math.round(mapped)} of mapped files, ${Math.round(heapUsed)} in the main heap, ${Math.round(threadHeaps)} in those of threads`;
    console.log(`${notes} notes, ${files} attachments, collected: ${Math.round(resident)} MB resident, ${parts}`);
    return rows;
  } finally {
    await server[Symbol.asyncDispose]();
  }
}

const small = await measure(NOTES / SHARE);
const large = await measure(NOTES);
console.table(
  [...large].map(([name, { ms, cpuMs, databaseCpuMs, peakMb }]) => {
    const ofSmall = small.get(name) ?? { ms: 0, cpuMs: 0, databaseCpuMs: 0, peakMb: 0 };
    const allOfSmall = ofSmall.cpuMs + ofSmall.databaseCpuMs;
    return {
      '': name,
      [`ms at ${NOTES / SHARE}`]: ofSmall.ms,
      [`CPU ms at ${NOTES / SHARE}`]: ofSmall.cpuMs,
      [`+ PostgreSQL at ${NOTES / SHARE}`]: ofSmall.databaseCpuMs,
      [`ms at ${NOTES}`]: ms,
      [`CPU ms at ${NOTES}`]: cpuMs,
      [`+ PostgreSQL at ${NOTES}`]: databaseCpuMs,
      [`MB at ${NOTES / SHARE}`]: ofSmall.peakMb,
      [`MB at ${NOTES}`]: peakMb,
      'CPU, times': Math.round(((cpuMs + databaseCpuMs) / Math.max(allOfSmall, 10)) * 10) / 10,
    };
  }),
);
