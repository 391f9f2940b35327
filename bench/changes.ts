import { performance } from 'node:perf_hooks';
import { load } from './kit/load.ts';
import { numberGiven, startServer } from './kit/processes.ts';
import { signUp } from './kit/vault.ts';

// How long does a page of 500 changes take, and the first sync of a vault of 26,000 small notes by pages with their content?
const NOTES = numberGiven(26_000);
const READS = 40;

await using server = await startServer();
const headers = await signUp(server.url);
const BATCH = 100;
for (let from = 0; from < NOTES; from += BATCH) {
  const notes = Array.from({ length: Math.min(BATCH, NOTES - from) }, (_, at) => ({
    path: `folder ${(from + at) % 97}/note number ${from + at}.md`,
    content: `# Note ${from + at}\n\n${'Some words of a small note. '.repeat(20)}\n`,
    mtime: 1,
  }));
  const answer = await fetch(`${server.url}/api/notes/batch`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'x-idempotency-key': `${from}` },
    body: JSON.stringify({ notes }),
  });
  if (answer.status !== 200) throw new Error(`a batch was answered ${answer.status}`);
}

/** Reads every page from the first to the last, as a new device does. */
async function sync(query: string): Promise<{ cursors: string[]; rows: number; seconds: number }> {
  const at = performance.now();
  const cursors: string[] = [];
  let rows = 0;
  for (let cursor = ''; ; ) {
    const answer = await fetch(`${server.url}/api/sync/changes?limit=500&${query}&cursor=${cursor}`, {
      headers: { ...headers, 'x-device-id': 'bench' },
    });
    const page = (await answer.json()) as { changes: unknown[]; next_cursor: string | null };
    rows += page.changes.length;
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
    cursors.push(cursor);
  }
  return { cursors, rows, seconds: Math.round((performance.now() - at) / 10) / 100 };
}

const whole = await sync('fields=all');
console.log(`first sync of ${whole.rows} notes with content: ${whole.seconds} s in ${whole.cursors.length + 1} pages`);
const meta = await sync('fields=meta');
console.log(`the same without content: ${meta.seconds} s`);
const page = async (name: string, query: string) => {
  const before = await server.cpu();
  const { p50Ms, p99Ms } = await load(server.url, headers, 1, READS, (index) => ({
    method: 'GET',
    path: `/api/sync/changes?${query}&cursor=${whole.cursors[index % whole.cursors.length]}`,
  }));
  const cpu = Math.round((((await server.cpu()) - before) * 1e5) / READS) / 100;
  return { '': name, 'p50 ms': p50Ms, 'p99 ms': p99Ms, 'CPU ms each': cpu };
};
console.table([
  await page('500 changes', 'limit=500'),
  await page('500 changes with content', 'limit=500&fields=all'),
  await page('100 changes', 'limit=100'),
]);
console.log(`memory: ${Math.round(await server.memory())} MB`);
