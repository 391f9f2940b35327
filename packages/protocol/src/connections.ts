import { type Static, Type } from 'typebox';
import { Nullable, Timestamp, Uuid } from './values/schemas.ts';

const Text = Nullable(Type.String());

/** An application, device or key that acts for an account. */
export const Connection = Type.Object({
  kind: Type.Unsafe<'oauth' | 'device' | 'pat'>({ type: 'string', enum: ['oauth', 'device', 'pat'] }),
  client_id: Text,
  first_ip: Text,
  first_user_agent: Text,
  key_id: Text,
  logo: Text,
  name: Text,
  scope: Text,
  slug: Text,
  software_id: Text,
  software_version: Text,
  vault_name: Text,
  connected_at: Nullable(Timestamp),
  last_used_at: Nullable(Timestamp),
  vault_id: Nullable(Uuid),
  verified: Nullable(Type.Boolean()),
  redirect_uri: Text,
  redirect_uris: Nullable(Type.Array(Type.String())),
  cimd_url: Text,
});
export type Connection = Static<typeof Connection>;
export const ConnectionsResponse = Type.Array(Connection);
export type ConnectionsResponse = Static<typeof ConnectionsResponse>;
