import { type Load, load, type Shot } from './kit/load.ts';
import { numberGiven, type Running, startServer } from './kit/processes.ts';
import { closePairs, openClientPairs, type } from './kit/typing-clients.ts';
import { signUp } from './kit/vault.ts';

// What does a tool call cost over the same REST call, in a vault of 1,000 and of 10,000 notes (100,000 if given)? And
// do people who type notice 50 assistants that read, search and write beside them?
const SIZES = [1_000, numberGiven(10_000)];
const CALLS = 300;
const AGENTS = 50;
const TYPISTS = 10;
const SECONDS = 8;
const CALM_MS = 100;

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A call of a tool, as a client of the current revision sends it. */
function toolCall(name: string, input: Record<string, unknown>): Shot {
  return {
    method: 'POST',
    path: '/api/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name },
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name, arguments: input, _meta: META },
    }),
  };
}

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
const typed = ids.slice(0, TYPISTS);
const clients = await openClientPairs(`${server.url}/api/sync/socket`, token, typed);
await type(clients, 1, { everyMs: CALM_MS });
const alone = await type(clients, SECONDS, { everyMs: CALM_MS });
let running = true;
const vault = headers['x-vault-id'] ?? '';
const agents = Array.from({ length: AGENTS }, async (_, agent) => {
  for (let index = agent; running; index += AGENTS) {
    const id = ids[(index * 37) % ids.length] ?? '';
    const shots = [
      toolCall('get_notes', { vault, ids: [id] }),
      toolCall('search_notes', { vault, query: `note ${index}`, mode: 'keyword' }),
      toolCall('append_to_note', { vault, id, text: 'a line' }),
    ];
    for (const shot of shots) await load(server.url, headers, 1, 1, () => shot);
    // A model thinks between its calls.
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
});
const beside = await type(clients, SECONDS, { everyMs: CALM_MS });
running = false;
await Promise.all(agents);
closePairs(clients);
await server[Symbol.asyncDispose]();
console.table([
  { typing: 'alone', 'p50 ms': alone.p50Ms, 'p99 ms': alone.p99Ms },
  { typing: `beside ${AGENTS} assistants`, 'p50 ms': beside.p50Ms, 'p99 ms': beside.p99Ms },
]);
