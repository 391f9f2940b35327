import { join } from 'node:path';
import { type Load, load, type Shot } from './kit/load.ts';
import { numberGiven, type Running, startServer } from './kit/processes.ts';
import { startProgram } from './kit/programs.ts';
import { inRounds, middleRow, ratioRows } from './kit/rounds.ts';
import { toolCall } from './kit/tool-call.ts';
import { closePairs, openClientPairs, type } from './kit/typing-clients.ts';
import { newKey, signUp } from './kit/vault.ts';

// What does a tool call cost over the same REST call, in a vault of 1,000 and of 10,000 notes (100,000 if given)? And
// do people who type notice 50 assistants that read, search and write beside them? `--typing` asks only that.
const SIZES = process.argv.includes('--typing') ? [] : [1_000, numberGiven(10_000)];
const CALLS = 300;
const AGENTS = 50;
const TYPISTS = 10;
/** In each round. */
const SECONDS = 5;
const CALM_MS = 100;

/** A server with a vault of small notes. */
async function filled(notes: number) {
  const server = await startServer({ NOTEVAULT_MCP_WRITES_PER_MINUTE: '0', NOTEVAULT_EMBEDDER_SHARE: '1' });
  const headers = await signUp(server.url);
  const ids: string[] = [];
  for (let from = 0; from < notes; from += 100) {
    const batch = Array.from({ length: Math.min(100, notes - from) }, (_, at) => ({
      path: `folder ${(from + at) % 97}/note ${from + at}.md`,
      content: `# Note ${from + at}\n\n${'Some words of a small note. '.repeat(20)}\n`,
      mtime: 1,
    }));
    const answer = await fetch(`${server.url}/api/notes/batch`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'x-idempotency-key': `${from}` },
      body: JSON.stringify({ notes: batch }),
    });
    const { results } = (await answer.json()) as { results: { id: string }[] };
    ids.push(...results.map(({ id }) => id));
  }
  return { server, headers, ids };
}

interface Cost extends Load {
  readonly cpuMs: number;
}

async function costOf(server: Running, headers: Record<string, string>, shot: (index: number) => Shot): Promise<Cost> {
  await load(server.url, headers, 1, 30, shot);
  const before = await server.cpu();
  const figures = await load(server.url, headers, 1, CALLS, shot);
  return { ...figures, cpuMs: Math.round((((await server.cpu()) - before) * 1e5) / CALLS) / 100 };
}

for (const size of SIZES) {
  const { server, headers, ids } = await filled(size);
  await using _ = server;
  const vault = headers['x-vault-id'] ?? '';
  const id = (index: number) => ids[(index * 37) % ids.length] ?? '';
  const pairs: [string, (index: number) => Shot, (index: number) => Shot][] = [
    ['list vaults', () => ({ method: 'GET', path: '/api/vaults' }), () => toolCall('list_vaults', {})],
    [
      'read a note',
      (index) => ({ method: 'GET', path: `/api/notes/by-id/${id(index)}` }),
      (index) => toolCall('get_notes', { vault, ids: [id(index)] }),
    ],
    [
      'recent notes',
      () => ({ method: 'GET', path: '/api/notes/recent?limit=20' }),
      () => toolCall('recent_notes', { vault }),
    ],
    [
      'search',
      (index) => ({
        method: 'POST',
        path: '/api/search',
        body: JSON.stringify({ query: `note ${index}`, mode: 'keyword', limit: 11 }),
      }),
      (index) => toolCall('search_notes', { vault, query: `note ${index}`, mode: 'keyword' }),
    ],
  ];
  const rows = [];
  for (const [what, rest, mcp] of pairs) {
    const [plain, tool] = [await costOf(server, headers, rest), await costOf(server, headers, mcp)];
    rows.push({
      ...{ notes: size, call: what, 'REST p50 ms': plain.p50Ms, 'tool p50 ms': tool.p50Ms },
      ...{ 'REST CPU ms': plain.cpuMs, 'tool CPU ms': tool.cpuMs },
      'overhead CPU ms': Math.round((tool.cpuMs - plain.cpuMs) * 100) / 100,
    });
  }
  console.table(rows);
}

const { server, headers, ids } = await filled(1_000);
const token = (headers.authorization ?? '').slice('Bearer '.length);
const clients = await openClientPairs(`${server.url}/api/sync/socket`, token, ids.slice(0, TYPISTS));
// In a process of their own, and each with a credential of its own, as assistants are.
const keys = await Promise.all(Array.from({ length: AGENTS }, () => newKey(server.url, headers)));

async function typed(calls: () => number) {
  await type(clients, 2, { everyMs: CALM_MS });
  await server.loopDelay();
  const before = calls();
  const { p50Ms, p99Ms } = await type(clients, SECONDS, { everyMs: CALM_MS });
  const perSecond = Math.round((calls() - before) / SECONDS);
  const { p99Ms: loop } = await server.loopDelay();
  return { 'p50 ms': p50Ms, 'p99 ms': p99Ms, 'loop p99 ms': loop, 'calls a second': perSecond };
}

const { alone, beside } = await inRounds({
  alone: () => typed(() => 0),
  beside: async () => {
    await using assistants = startProgram(process.execPath, [join(import.meta.dirname, 'kit/assistants.ts')], {
      BENCH_ASSISTANTS: JSON.stringify({ url: server.url, vault: headers['x-vault-id'], keys, ids }),
    });
    // Awaited here, because the assistants end with this scope.
    return await typed(() => Number(/calls (\d+)\n$/.exec(assistants.output())?.[1] ?? 0));
  },
});
closePairs(clients);
await server[Symbol.asyncDispose]();
console.table([middleRow('typing alone', alone), middleRow(`beside ${AGENTS} assistants`, beside)]);
console.log('beside them, of alone');
console.table(ratioRows(['p50 ms', 'p99 ms'], beside, alone));
