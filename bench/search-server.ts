import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { load, type Shot } from './kit/load.ts';
import { databaseOfBench, type LoopDelay, numberGiven, type Running, startProcess } from './kit/processes.ts';
import { signUp } from './kit/vault.ts';
import { askedQueries, madeNotes } from './kit/vault-texts.ts';

// What does a search cost through the server, by words, by vectors and by both: warm, right after a start, and for
// other users of the server's event loop? `npm run bench -- search-server 1000` measures it with that many notes.
const notes = numberGiven(10_000);
const searches = 400;
const batch = 100;
/**
 * Idle, reading and searching alternate, so that other work on the machine disturbs them alike; the median of each
 * counts.
 */
const windows = 9;
const windowMs = 1500;
const queries = askedQueries();
const noteAt = madeNotes();
const modes = ['keyword', 'vector', 'hybrid'] as const;

const folder = await mkdtemp(join(tmpdir(), 'notevault-bench-'));
const database = await databaseOfBench();
const env = {
  NOTEVAULT_DATA_DIR: folder,
  NOTEVAULT_EMBEDDER_SHARE: '100',
  ...(database === null ? {} : { NOTEVAULT_DATABASE_URL: database.url }),
};
const start = () => startProcess('cli/src/main.ts', ['serve', '--port', '0'], env);

const search =
  (mode: (typeof modes)[number]) =>
  (index: number): Shot => ({
    method: 'POST',
    path: '/api/search',
    body: JSON.stringify({ query: queries[index % queries.length], mode, limit: 10 }),
  });
const read = (index: number): Shot => {
  const path = noteAt(index % notes)
    .path.split('/')
    .map(encodeURIComponent)
    .join('/');
  return { method: 'GET', path: `/api/notes/${path}` };
};

/** Milliseconds until a search is answered with 200. */
async function untilAnswered(server: Running, headers: Record<string, string>): Promise<number> {
  const started = performance.now();
  const { method, path, body = '' } = search('keyword')(0);
  const sent = { method, body, headers: { ...headers, 'content-type': 'application/json' } };
  for (;;) {
    const answer = await fetch(server.url + path, sent);
    await answer.arrayBuffer();
    if (answer.status === 200) return Math.round(performance.now() - started);
    await delay(500);
  }
}

async function write(server: Running, headers: Record<string, string>): Promise<void> {
  for (let from = 0; from < notes; from += batch) {
    const some = Array.from({ length: Math.min(batch, notes - from) }, (_, at) => ({ ...noteAt(from + at), mtime: 1 }));
    const answer = await fetch(`${server.url}/api/notes/batch`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'x-idempotency-key': `b${from}` },
      body: JSON.stringify({ notes: some }),
    });
    if (answer.status !== 200) throw new Error(`a batch was answered ${answer.status}`);
  }
}

/** Waits until all notes have vectors; resolves to how long that took. */
async function untilEmbedded(server: Running, headers: Record<string, string>): Promise<number> {
  const started = performance.now();
  for (;;) {
    const answer = await fetch(`${server.url}/api/search/status`, { headers });
    const { pending } = (await answer.json()) as { pending: number };
    if (pending === 0) return Math.round(performance.now() - started);
    await delay(500);
  }
}

/** Sends requests one after the other for the length of a window; without requests the window is idle. */
async function window(server: Running, headers: Record<string, string>, shot?: (index: number) => Shot) {
  await server.loopDelay();
  const end = performance.now() + windowMs;
  let sent = 0;
  if (shot === undefined) await delay(windowMs);
  else for (; performance.now() < end; sent += 10) await load(server.url, headers, 1, 10, (at) => shot(sent + at));
  return { ...(await server.loopDelay()), sent };
}

const kinds = {
  idle: undefined,
  'reading notes': read,
  ...Object.fromEntries(modes.map((mode) => [`searching, ${mode}`, search(mode)])),
};

async function loopDelays(server: Running, headers: Record<string, string>) {
  const seen = new Map<string, (LoopDelay & { sent: number })[]>();
  for (let count = 0; count < windows; count++) {
    for (const [kind, shot] of Object.entries(kinds)) {
      seen.set(kind, [...(seen.get(kind) ?? []), await window(server, headers, shot)]);
    }
  }
  const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  return Object.fromEntries(
    [...seen].map(([kind, all]) => [
      kind,
      {
        'loop delay p50 ms': median(all.map(({ p50Ms }) => p50Ms)),
        'loop delay p99 ms': median(all.map(({ p99Ms }) => p99Ms)),
        'requests/s': Math.round((1000 * median(all.map(({ sent }) => sent))) / windowMs),
      },
    ]),
  );
}

try {
  let headers: Record<string, string> = {};
  {
    await using server = await start();
    headers = await signUp(server.url);
    await write(server, headers);
    const first = await untilAnswered(server, headers);
    const embedded = await untilEmbedded(server, headers);
    console.table({ notes, 'first search after the writes, ms': first, 'then until all have vectors, ms': embedded });
    const costs: Record<string, object> = {};
    for (const mode of modes) {
      await load(server.url, headers, 1, 2 * queries.length, search(mode));
      const { p50Ms, p95Ms, perSecond } = await load(server.url, headers, 1, searches, search(mode));
      costs[mode] = { 'p50 ms': p50Ms, 'p95 ms': p95Ms, 'searches/s, one client': perSecond };
    }
    console.table(costs);
    console.table(await loopDelays(server, headers));
    console.log(`memory ${Math.round(await server.memory())} MB`);
  }
  await using server = await start();
  // The search thread starts in the background with the server.
  await delay(2000);
  const login = await fetch(`${server.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'alice@example.org', password: 'correct horse battery' }),
  });
  const { access_token: token } = (await login.json()) as { access_token: string };
  const cold = await untilAnswered(server, { ...headers, authorization: `Bearer ${token}` });
  console.table({ 'first answer after a start, ms': cold, 'memory MB': Math.round(await server.memory()) });
} finally {
  await database?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
}
