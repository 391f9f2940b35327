/** Calls of tools whose client leaves before the answer, at a chosen moment. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { createMcpServer } from '@notevault/mcp/mcp-server.ts';
import { Secret } from '../../src/config/values.ts';
import type { McpDeps } from '../../src/domains/exchanging/mcp/mcp.ts';
import type { Database } from '../../src/ports/database/database.ts';
import { startServer, type TestServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';

type CreateServer = NonNullable<McpDeps['createServer']>;
export type Fetch = typeof globalThis.fetch;

/** The last revision of each era of the protocol, and one that most clients speak. */
export const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28'] as const;
const PATHS = ['one.md', 'two.md', 'three.md'];

/** A server whose tools send their requests through a function of the test, with alice's vault and key. */
export async function serverWithTools(open: () => Promise<Database>, through: (fetch: Fetch) => Fetch) {
  const createServer: CreateServer = (deps) => createMcpServer({ ...deps, fetch: through(deps.fetch ?? fetch) });
  const config = { metricsToken: new Secret('metrics') };
  const server = await startServer({ open, config, createMcpServer: createServer });
  await server.alice.post('/vaults', { name: 'Home' });
  for (const path of PATHS) await server.alice.post('/notes', { path, content: path, mtime: 1 });
  return { server, key: (await server.alice.post('/api-keys', { name: 'assistant' })).body.key as string };
}

/** Calls a tool, in a batch of so many calls if `batch` is not 0; resolves to the text of the answer, and to null when `leave` was called first. */
export function rawCall(server: TestServer, key: string, revision: string, progress = false, batch = 0) {
  const isModern = revision >= '2026';
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const meta = { ...(isModern ? envelope : {}), ...(progress ? { progressToken: 'p' } : {}) };
  const params = { name: 'get_notes', arguments: { paths: PATHS }, _meta: meta };
  const sent = request(`${server.url}/api/mcp`, {
    method: 'POST',
    agent: false,
    headers: {
      ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...{ accept: 'application/json, text/event-stream', 'mcp-protocol-version': revision },
      ...(isModern ? { 'mcp-method': 'tools/call', 'mcp-name': 'get_notes' } : {}),
    },
  });
  const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params });
  sent.end(JSON.stringify(batch === 0 ? call(1) : Array.from({ length: batch }, (_, id) => call(id))));
  const answer = async () => {
    const [response] = await once(sent, 'response');
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    return text;
  };
  return { answer: answer().catch(() => null), leave: () => void sent.destroy() };
}

export async function gauge(server: TestServer, name: string): Promise<number> {
  const { body } = await server.bearer('metrics').get('/../metrics');
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1] ?? Number.NaN);
}

/** Cuts calls of each era during the first, second or third request of their tool; then nothing may be in use. */
export async function cutCalls(open: () => Promise<Database>, count: number): Promise<void> {
  let leave = () => {};
  let left = 0;
  const through =
    (fetch: Fetch): Fetch =>
    async (input, init) => {
      const answer = fetch(input, init);
      left -= 1;
      if (left !== 0) return answer;
      answer.catch(() => undefined);
      leave();
      await once(init?.signal ?? new AbortController().signal, 'abort');
      return answer;
    };
  const { server, key } = await serverWithTools(open, through);
  await using _ = server;
  for (let at = 0; at < count; at++) {
    const revision = REVISIONS[at % REVISIONS.length] ?? REVISIONS[0];
    left = 1 + (Math.floor(at / REVISIONS.length) % 3);
    const call = rawCall(server, key, revision, at % 2 === 1);
    leave = call.leave;
    await call.answer;
    assert.ok(left <= 0, 'the tool had begun');
  }
  left = 0;
  await until(async () => (await gauge(server, 'notevault_mcp_calls')) === 0, 'no call');
  // The scrape itself is one.
  await until(async () => (await gauge(server, 'notevault_http_requests_in_flight')) === 1, 'no request');
  assert.equal(await gauge(server, 'notevault_answer_bytes'), 0);
  for (const revision of REVISIONS) assert.match((await rawCall(server, key, revision).answer) ?? '', /"result"/);
}
