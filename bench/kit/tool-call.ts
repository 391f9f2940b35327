import type { Shot } from './load.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A call of a tool, as a client of the current revision sends it. */
export function toolCall(name: string, input: Record<string, unknown>): Shot {
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
