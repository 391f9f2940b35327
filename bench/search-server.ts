import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { load } from './kit/load.ts';
import { numberGiven, type Running, startProcess } from './kit/processes.ts';
import { signUp } from './kit/vault.ts';
import { askedQueries, madeNotes } from './kit/vault-texts.ts';

// What does a search cost through the server: warm, right after a start, and for everything else it does meanwhile?
const notes = numberGiven(10_000);
const searches = 400;
const batch = 100;
const queries = askedQueries();
const noteAt = madeNotes();

const folder = await mkdtemp(join(tmpdir(), 'notevault-bench-'));
const start = () => startProcess('cli/src/main.ts', ['serve', '--port', '0'], { NOTEVAULT_DATA_DIR: folder });
const shot = (index: number) => ({
  method: 'POST',
  path: '/api/search',
  body: JSON.stringify({ query: queries[index % queries.length], mode: 'keyword', limit: 10 }),
});

/** Milliseconds until a search is answered with 200; how often it was asked before is told too. */
async function untilAnswered(server: Running, headers: Record<string, string>) {
  const started = performance.now();
  for (let asked = 1; ; asked++) {
    const { method, path, body } = shot(0);
    const answer = await fetch(server.url + path, {
      method,
      body,
      headers: { ...headers, 'content-type': 'application/json' },
    });
    await answer.arrayBuffer();
    if (answer.status === 200) return { ms: Math.round(performance.now() - started), asked };
    await delay(1000);
  }
}

try {
  let headers: Record<string, string> = {};
  {
    await using server = await start();
    headers = await signUp(server.url);
    const writing = { ...headers, 'content-type': 'application/json' };
    for (let from = 0; from < notes; from += batch) {
      const some = Array.from({ length: Math.min(batch, notes - from) }, (_, at) => ({
        ...noteAt(from + at),
        mtime: 1,
      }));
      const sent = { ...writing, 'x-idempotency-key': `b${from}` };
      const answer = await fetch(`${server.url}/api/notes/batch`, {
        method: 'POST',
        headers: sent,
        body: JSON.stringify({ notes: some }),
      });
      if (answer.status !== 200) throw new Error(`a batch was answered ${answer.status}`);
    }
    const built = await untilAnswered(server, headers);
    await delay(3000);
    await server.loopDelay();
    await delay(2000);
    const idle = await server.loopDelay();
    await load(server.url, headers, 1, 100, shot);
    await server.loopDelay();
    const warm = await load(server.url, headers, 1, searches, shot);
    const searching = await server.loopDelay();
    console.table({
      ...{
        notes,
        'index made from notes, ms': built.ms,
        'of it a note, ms': Math.round((100 * built.ms) / notes) / 100,
      },
      ...{ 'search p50 ms': warm.p50Ms, 'search p99 ms': warm.p99Ms, 'searches/s, one client': warm.perSecond },
      ...{ 'loop delay p99 ms, idle': idle.p99Ms, 'loop delay p99 ms, searching': searching.p99Ms },
      'memory MB': Math.round(await server.memory()),
    });
  }
  await using server = await start();
  // The search thread starts with the server, beside it.
  await delay(2000);
  const login = await fetch(`${server.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'alice@example.org', password: 'correct horse battery' }),
  });
  const { access_token: token } = (await login.json()) as { access_token: string };
  const cold = await untilAnswered(server, { ...headers, authorization: `Bearer ${token}` });
  console.table({ 'first answer after a start, ms': cold.ms, 'memory MB': Math.round(await server.memory()) });
} finally {
  await rm(folder, { recursive: true, force: true });
}
