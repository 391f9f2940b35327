import { type Static, Type } from 'typebox';
import { Nullable, sentId, Timestamp, Uuid } from './values/schemas.ts';

const LevelOrNull = Type.Unsafe<'none' | 'read' | 'write' | null>({
  type: ['string', 'null'],
  enum: ['none', 'read', 'write', null],
  description:
    'Level on every vault that is not in `vault_access`, including vaults created later; `write` allows the key to create vaults. If absent: `write` without `vault_access`, else `none`.',
});

export const NewKeyBody = Type.Object({
  name: Type.String(),
  default_access: Type.Optional(LevelOrNull),
  vault_access: Type.Optional(
    Type.Unsafe<Record<string, unknown> | null>({
      type: ['object', 'null'],
      additionalProperties: true,
      description: 'Vault id → `none`, `read` or `write`. Every vault must belong to the caller.',
    }),
  ),
  scope: Type.Optional(Nullable(Type.String({ description: '`mcp`, or `mcp:read` for a key that only reads.' }))),
});
export type NewKeyBody = Static<typeof NewKeyBody>;

export const KeyParams = Type.Object({ id: sentId('Id of a key.') });

export const ApiKey = Type.Object({
  id: Uuid,
  name: Type.String(),
  created_at: Nullable(Timestamp),
  last_used: Nullable(Timestamp),
});
export type ApiKey = Static<typeof ApiKey>;
export const KeysResponse = Type.Object({ keys: Type.Array(ApiKey) });

/** The only answer that contains the secret; it cannot be read again. */
export const KeyCreated = Type.Object({ id: Uuid, name: Type.String(), key: Type.String() });
export type KeyCreated = Static<typeof KeyCreated>;
export const Deleted = Type.Object({ deleted: Type.Boolean() });
