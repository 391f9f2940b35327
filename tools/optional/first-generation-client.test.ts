/** Every tool, by the official client of the first generation, which many hosts still have. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { allTools } from '@notevault/mcp/all-tools.ts';
import type { ToolResult } from '../../server/test/kit/clients/mcp.ts';
import { onSqlite } from '../../server/test/kit/engines.ts';
import { startServer, type TestServer } from '../../server/test/kit/server.ts';
import { callAll } from '../../server/test/mcp/tool-calls.ts';

async function connect(server: TestServer, token: string) {
  const client = new Client({ name: 'old client', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/api/mcp`), { requestInit }) as never);
  return {
    async call(name: string, input: Record<string, unknown> = {}): Promise<ToolResult> {
      const _meta = { 'notevault/structured': true };
      const result = (await client.callTool({ name, arguments: input, _meta })) as {
        content: { type: string; text?: string }[];
        structuredContent?: object;
        isError?: boolean;
      };
      const text = result.content.map((part) => part.text ?? '').join('\n');
      return { text, isError: result.isError === true, data: result.structuredContent ?? {} };
    },
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

onSqlite('a client of the first generation', (open) => {
  test('a client of the first generation can call every tool', async () => {
    await using server = await startServer({
      open,
      config: { publicUrl: 'https://notes.example', mcpWritesPerMinute: 0 },
    });
    const vault = (await server.alice.post('/vaults', { name: 'Home' })).body.vault.id;
    await server.alice.post('/notes', { path: 'a.md', content: '# A\n\nwords #tag\n', mtime: 1 });
    await server.alice.post('/attachments', { path: 'file.txt', content_base64: btoa('bytes'), mtime: 1 });
    const { key } = (await server.alice.post('/api-keys', { name: 'key' })).body;
    await using assistant = await connect(server, key);
    assert.equal((await assistant.tools()).length, allTools.length);
    const known = { vault, path: 'a.md', word: 'old', id: '', hash: '', version: 0, uri: '' };
    for (const [name, { isError, text }] of await callAll(assistant, known)) {
      assert.equal(isError, false, `${name}: ${text}`);
    }
  });
});
