import { ConnectionsResponse } from '@notevault/protocol/connections.ts';
import { type Route, route } from '../../../../http/route.ts';
import type { Connections } from './connections.ts';

export function connectionsRoutes(connections: Connections): Route[] {
  return [
    route({
      method: 'GET',
      path: '/connections',
      operation: 'listConnections',
      summary: 'Everything that may act for the account: OAuth clients, devices, personal access tokens',
      responses: { 200: ConnectionsResponse },
      errors: ['vault_unreadable'],
      handle: async ({ principal }) => ({ body: await connections.list(principal) }),
    }),
  ];
}
