import { numberGiven, startProcess, startServer } from './kit/processes.ts';
import { inRounds, middleRow, ratioRows } from './kit/rounds.ts';
import { closePairs, openClientPairs, type } from './kit/typing-clients.ts';
import { signUp } from './kit/vault.ts';

// Twenty people type into twenty notes while twenty watch: how many letters a second, and how long from the keystroke
// to the watcher, compared with Hocuspocus, which keeps documents only in memory? (Notevault stores an edit before it
// acknowledges or relays it.)
const NOTES = 20;
/** Seconds per pace and round. */
const SECONDS = numberGiven(3);
/** Letters of one writer that may be unacknowledged: a fast typist on a slow line, or a paste. */
const AHEAD = 8;
const CALM_MS = 100;

async function measure(ours: boolean) {
  await using server = ours ? await startServer() : await startProcess('bench/kit/hocuspocus-server.ts', []);
  const { token, names, url } = ours ? await ourNotes(server.url) : theirNotes(server.url);
  const pairs = await openClientPairs(url, token, names);
  await type(pairs, 1, { ahead: AHEAD });
  await server.loopDelay();
  const calm = await type(pairs, SECONDS, { everyMs: CALM_MS });
  const inStep = await type(pairs, SECONDS, { everyMs: CALM_MS, inStep: true });
  const before = await server.cpu();
  const full = await type(pairs, SECONDS, { ahead: AHEAD });
  const cpu = ((await server.cpu()) - before) / (full.perSecond * SECONDS);
  const loop = await server.loopDelay();
  closePairs(pairs);
  return {
    'letters/s': full.perSecond,
    'p50 ms': full.p50Ms,
    'p99 ms': full.p99Ms,
    'calm letters/s': calm.perSecond,
    'calm p50 ms': calm.p50Ms,
    'calm p99 ms': calm.p99Ms,
    'in step p50 ms': inStep.p50Ms,
    'in step p99 ms': inStep.p99Ms,
    'CPU µs': Math.round(cpu * 1e6),
    'loop p99 ms': loop.p99Ms,
    MB: Math.round(await server.memory()),
  };
}

async function ourNotes(url: string) {
  const headers = await signUp(url);
  const names: string[] = [];
  for (let at = 0; at < NOTES; at++) {
    const body = JSON.stringify({ path: `note ${at}.md`, content: '', mtime: 1 });
    const json = { ...headers, 'content-type': 'application/json' };
    const made = await fetch(`${url}/api/notes`, { method: 'POST', headers: json, body });
    names.push(((await made.json()) as { note: { id: string } }).note.id);
  }
  return { names, token: (headers.authorization ?? '').slice('Bearer '.length), url: `${url}/api/sync/socket` };
}

function theirNotes(url: string) {
  return { names: Array.from({ length: NOTES }, (_, at) => `note ${at}`), token: 'any', url };
}

const { ours, theirs } = await inRounds({ theirs: () => measure(false), ours: () => measure(true) });
console.table([middleRow('hocuspocus, memory', theirs), middleRow('notevault, durable', ours)]);
console.log('of Hocuspocus');
console.table(ratioRows(['letters/s', 'CPU µs', 'calm p50 ms', 'calm p99 ms'], ours, theirs));
