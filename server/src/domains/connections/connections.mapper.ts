import type { ApiKey as ApiKeyBody } from '@notevault/protocol/api-keys.ts';
import type { Connection as ConnectionBody } from '@notevault/protocol/connections.ts';
import { isoTimeOrNull } from '@notevault/protocol/time.ts';
import type { ApiKey } from './api-keys/api-keys.ts';
import type { Connection } from './queries.ts';

/** A key as the API returns it: without its secret. */
export function keyView(key: ApiKey): ApiKeyBody {
  return {
    id: key.id,
    name: key.name,
    created_at: isoTimeOrNull(key.createdAt),
    last_used: isoTimeOrNull(key.lastUsed),
  };
}

/** A connection as the API returns it. */
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
    connected_at: isoTimeOrNull(connection.connectedAt),
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
