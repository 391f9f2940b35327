import { Nullable, Timestamp, Uuid } from '@notevault/protocol/schemas.ts';
import { Type } from 'typebox';
import type { ApiKey } from './api-keys/api-keys.ts';
import type { Connection } from './queries.ts';

const LevelOrNull = Type.Unsafe<'none' | 'read' | 'write' | null>({
  ...{ type: ['string', 'null'], enum: ['none', 'read', 'write', null] },
  description:
    'Level on every vault not in `vault_access`, also on ones made later; `write` lets the key make vaults. Absent: `write` without `vault_access`, else `none`.',
});

export const NewKeyBody = Type.Object({
  name: Type.String(),
  default_access: Type.Optional(LevelOrNull),
  vault_access: Type.Optional(
    Type.Unsafe<Record<string, unknown> | null>({
      ...{ type: ['object', 'null'], additionalProperties: true },
      description: 'Vault id → `none`, `read` or `write`. Every vault must be the caller’s own.',
    }),
  ),
  scope: Type.Optional(Nullable(Type.String({ description: '`mcp`, or `mcp:read` for a key that only reads.' }))),
});

export const KeyParams = Type.Object({ id: Type.String({ description: 'Id of a key.' }) });

const KeyMeta = Type.Object({
  id: Uuid,
  name: Type.String(),
  created_at: Nullable(Timestamp),
  last_used: Nullable(Timestamp),
});
export const KeysResponse = Type.Object({ keys: Type.Array(KeyMeta) });

/** The secret is in here and nowhere else ever after. */
export const KeyCreated = Type.Object({ id: Uuid, name: Type.String(), key: Type.String() });
export const Deleted = Type.Object({ deleted: Type.Boolean() });

const Text = Nullable(Type.String());
export const ConnectionsResponse = Type.Array(
  Type.Object({
    kind: Type.Unsafe<Connection['kind']>({ type: 'string', enum: ['oauth', 'device', 'pat'] }),
    ...{ client_id: Text, first_ip: Text, first_user_agent: Text, key_id: Text, logo: Text, name: Text, scope: Text },
    ...{ slug: Text, software_id: Text, software_version: Text, vault_name: Text },
    ...{ connected_at: Nullable(Timestamp), last_used_at: Nullable(Timestamp) },
    vault_id: Nullable(Uuid),
    verified: Nullable(Type.Boolean()),
    redirect_uri: Text,
    redirect_uris: Nullable(Type.Array(Type.String())),
    cimd_url: Text,
  }),
);

export function keyView(key: ApiKey) {
  return { id: key.id, name: key.name, created_at: iso(key.createdAt), last_used: iso(key.lastUsed) };
}

export function connectionView(connection: Connection) {
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
    connected_at: iso(connection.connectedAt),
    last_used_at: iso(connection.lastUsedAt),
    first_ip: connection.firstIp,
    first_user_agent: connection.firstUserAgent,
    vault_id: connection.vaultId,
    vault_name: connection.vaultName,
    verified: connection.verified,
    redirect_uri: connection.redirectUri,
    redirect_uris: connection.redirectUris,
    cimd_url: connection.cimdUrl,
  };
}

function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
