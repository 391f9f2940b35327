import type { FetchRoute } from '../../../http/fetch/fetch-route.ts';
import type { Mcp } from './mcp.ts';

/** The endpoint for assistants; its protocol describes itself, so it is not in the OpenAPI document. */
export function mcpRoutes(mcp: Mcp): FetchRoute[] {
  const error = { code: -32_700, message: 'Parse error: the body is not JSON' };
  return [
    {
      path: '/mcp',
      mistaken: ['/mcp', '/mcp/', '/api/mcp/'],
      scope: 'mcp',
      invalidJson: { jsonrpc: '2.0', id: null, error },
      handle: (call) => mcp.serve(call),
    },
  ];
}
