import type { Connection as ConnectionBody } from '@notevault/protocol/connections.ts';
import { isoTime, isoTimeOrNull } from '@notevault/protocol/values/time.ts';
import type { Connection } from './connections.ts';

export function connectionView(connection: Connection): ConnectionBody {
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
