import { performance } from 'node:perf_hooks';
import { load } from './kit/load.ts';
import { numberGiven, startServer } from './kit/processes.ts';
import { signUp } from './kit/vault.ts';

// What do a manifest, a tree and the tags of 10,000 notes cost, read for the first time, again, and when nothing has
// changed; beside the cheapest authenticated request?
const NOTES = numberGiven(10_000);
const READS = 30;

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

const first = async (path: string) => {
  const at = performance.now();
  const answer = await fetch(`${server.url}/api${path}`, { headers });
  const { byteLength } = await answer.arrayBuffer();
  return { ms: Math.round(performance.now() - at), kb: Math.round(byteLength / 1024) };
};
const again = async (name: string, path: string, reads = READS) => {
  const before = await server.cpu();
  const { p50Ms, p99Ms } = await load(server.url, headers, 1, reads, () => ({ method: 'GET', path: `/api${path}` }));
  const cpu = Math.round((((await server.cpu()) - before) * 1e5) / reads) / 100;
  return { '': name, 'p50 ms': p50Ms, 'p99 ms': p99Ms, 'CPU ms each': cpu };
};

const cold = await first('/sync/manifest');
console.log(`first manifest of ${NOTES} notes: ${cold.ms} ms, ${cold.kb} KB`);
const { change_seq: seq } = (await (await fetch(`${server.url}/api/sync/manifest`, { headers })).json()) as {
  change_seq: number;
};
console.table([
  await again('manifest', '/sync/manifest'),
  await again('tree', '/vault/tree'),
  await again('tags', '/tags'),
  await again('unchanged', `/sync/manifest?since_seq=${seq}`, 1000),
  await again('GET /me', '/me', 1000),
  await again('GET one note', '/notes/folder%200/note%20number%200.md', 1000),
]);
console.log(`memory: ${Math.round(await server.memory())} MB`);
