import { type Connection as ConnectionBody, ConnectionsResponse } from '@notevault/protocol/connections.ts';
import { isoTime, isoTimeOrNull } from '@notevault/protocol/values/time.ts';
import { type Route, route } from '../../http/route.ts';
import type { Connection, Connections } from './connections.ts';

export function connectionsRoutes(connections: Connections): Route[] {
  return [
    route({
      method: 'GET',
      path: '/connections',
      operation: 'listConnections',
      summary: 'Everything that may act for the account: OAuth clients, devices, personal access tokens',
      responses: { 200: ConnectionsResponse },
      errors: ['vault_unreadable'],
      handle: async ({ principal }) => ({ body: (await connections.list(principal)).map(connectionView) }),
    }),
  ];
}

function connectionView(connection: Connection): ConnectionBody {
  return {
    kind: connection.kind,
    client_id: connection.clientId,
    key_id: connection.keyId,
    name: connection.name,
    scope: connection.scope,
    slug: connection.slug,
    logo: connection.logo,
    software_id: connection.softwareId,
    software_version: connection.softwareVersion,
    connected_at: isoTime(connection.connectedAt),
    last_used_at: isoTimeOrNull(connection.lastUsedAt),
    first_ip: connection.firstIp,
    first_user_agent: connection.firstUserAgent,
    vault_id: connection.vaultId,
    vault_name: connection.vaultName,
    verified: connection.verified,
    redirect_uri: connection.redirectUri,
    redirect_uris: connection.redirectUris === null ? null : [...connection.redirectUris],
    cimd_url: connection.cimdUrl,
  };
}
