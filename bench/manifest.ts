import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { load } from './kit/load.ts';
import { numberGiven, type Running, startServer } from './kit/processes.ts';
import { inRounds, middleRow, ratioRows } from './kit/rounds.ts';
import { signUp } from './kit/vault.ts';

// What do a manifest, a tree and the tags of 10,000 notes cost: read for the first time, first after a start, again,
// and when nothing has changed; compared with the cheapest authenticated request?
const NOTES = numberGiven(10_000);
const READS = 30;
/** Long enough for the server to persist its cached lists. */
const PAUSE_MS = 12_000;

await using server = await startServer();
const headers = await signUp(server.url);
const BATCH = 100;
for (let from = 0; from < NOTES; from += BATCH) {
  const notes = Array.from({ length: Math.min(BATCH, NOTES - from) }, (_, at) => ({
    path: `folder ${(from + at) % 97}/note number ${from + at}.md`,
    content: `# Note ${from + at}\n\nAbout #topic${(from + at) % 50}.\n`,
    mtime: 1,
  }));
  const answer = await fetch(`${server.url}/api/notes/batch`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'x-idempotency-key': `${from}` },
    body: JSON.stringify({ notes }),
  });
  if (answer.status !== 200) throw new Error(`a batch was answered ${answer.status}`);
}

/** Reads without compressing, which costs more than the list and is a row of its own. */
const first = async (at: Running, path: string) => {
  const [started, before] = [performance.now(), await at.cpu()];
  const answer = await fetch(`${at.url}/api${path}`, { headers: { ...headers, 'accept-encoding': 'identity' } });
  const { byteLength } = await answer.arrayBuffer();
  const ms = Math.round(performance.now() - started);
  return { ms, 'CPU ms': Math.round((await at.cpu()) * 1000 - before * 1000), KB: Math.round(byteLength / 1024) };
};
const again = async (name: string, path: string, reads = READS, coding = 'identity') => {
  const before = await server.cpu();
  const asked = { ...headers, 'accept-encoding': coding };
  const { p50Ms, p99Ms } = await load(server.url, asked, 1, reads, () => ({ method: 'GET', path: `/api${path}` }));
  const cpu = Math.round((((await server.cpu()) - before) * 1e5) / reads) / 100;
  return { '': name, 'p50 ms': p50Ms, 'p99 ms': p99Ms, 'CPU ms each': cpu };
};

const opened = await first(server, '/sync/manifest');
console.log(`first manifest of ${NOTES} notes, after they were written: ${opened.ms} ms, ${opened.KB} KB`);
const { change_seq: seq } = (await (await fetch(`${server.url}/api/sync/manifest`, { headers })).json()) as {
  change_seq: number;
};
console.table([
  await again('manifest', '/sync/manifest'),
  await again('manifest, compressed', '/sync/manifest', READS, 'br'),
  await again('tree', '/vault/tree'),
  await again('tags', '/tags'),
  await again('unchanged', `/sync/manifest?since_seq=${seq}`, 1000),
  await again('GET /me', '/me', 1000),
  await again('GET one note', '/notes/folder%200/note%20number%200.md', 1000),
]);
console.log(`memory: ${Math.round(await server.memory())} MB`);

await delay(PAUSE_MS);
let last: Running = server;
const { starts } = await inRounds({
  starts: async () => {
    last = await last.restarted();
    // Lets the process finish its start, and the client connect.
    await delay(2000);
    await fetch(`${last.url}/api/me`, { headers });
    return [await first(last, '/sync/manifest'), await first(last, '/sync/manifest')] as const;
  },
});
await last[Symbol.asyncDispose]();
const [cold, warm] = [starts.map(([first]) => first), starts.map(([, next]) => next)];
console.table([middleRow('first manifest after a start', cold), middleRow('the next', warm)]);
console.log('the first, of the next');
console.table(ratioRows(['ms'], cold, warm));
