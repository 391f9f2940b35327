import { type Static, Type } from 'typebox';
import { Nullable, sentAlways, sentId, Timestamp, Unchecked, Uuid } from './values/schemas.ts';

export const VaultParams = Type.Object({ id: sentId('The vault’s id.') });

export const VaultsQuery = Type.Object({
  deleted: Type.Optional(Type.String({ description: '`true` lists deleted vaults instead of active ones.' })),
  user_code: Type.Optional(Type.String({ description: 'Code of a device link to look up.' })),
});
export type VaultsQuery = Static<typeof VaultsQuery>;

export const NewVaultBody = Type.Object({
  name: Type.String(),
  description: Type.Optional(Nullable(Type.String())),
  is_default: Type.Optional(Type.Boolean()),
});
export type NewVaultBody = Static<typeof NewVaultBody>;

export const RegisterVaultBody = Unchecked<{ client_id?: unknown; name?: unknown }>({
  client_id: sentAlways(Type.String({ description: 'A stable id that the client chooses for the vault.' })),
  name: sentAlways(Type.String({ description: 'Name of the vault; used only if the vault is new.' })),
});

export const UpdateVaultBody = Type.Object({
  name: Type.Optional(Type.String()),
  description: Type.Optional(Nullable(Type.String())),
  is_default: Type.Optional(Type.Boolean()),
});
export type UpdateVaultBody = Static<typeof UpdateVaultBody>;

const VaultFields = {
  id: Uuid,
  name: Type.String(),
  slug: Nullable(Type.String()),
  description: Nullable(Type.String()),
  is_default: Type.Boolean(),
  encrypted: Type.Boolean(),
  note_count: Type.Integer(),
  attachment_count: Type.Integer(),
  created_at: Nullable(Timestamp),
  deleted_at: Nullable(Timestamp),
  purge_at: Nullable(Timestamp),
};
export const RoleField = Type.Enum(['viewer', 'editor', 'owner'], { description: 'The caller’s role in the vault.' });
export const Vault = Type.Object({
  ...VaultFields,
  role: Type.Optional(RoleField),
  owner: Type.Optional(Type.Object({ display_name: Nullable(Type.String()) })),
  members: Type.Optional(Type.Integer({ description: 'How many people have the vault beside its owner.' })),
  access: Type.Optional(Type.Enum(['read', 'write'], { description: 'In lists: what the credential may do there.' })),
});
export type Vault = Static<typeof Vault>;
export const VaultResponse = Type.Object({ vault: Vault });
export type VaultResponse = Static<typeof VaultResponse>;
export const RegisterVaultResponse = Type.Object({ ...VaultFields, status: Type.String() });
export const VaultDeleted = Type.Object({ deleted: Type.Boolean(), id: Uuid });
export const VaultPurged = Type.Object({ purged: Type.Boolean(), id: Uuid });

export const VaultsResponse = Type.Object({
  vaults: Type.Array(Vault),
  access_levels: Type.Boolean(),
  user_code_valid: Type.Optional(Type.Boolean()),
  suggested_vault_name: Type.Optional(Nullable(Type.String())),
  suggested_device_name: Type.Optional(Nullable(Type.String())),
});
export type VaultsResponse = Static<typeof VaultsResponse>;

const Cap = Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'null: no cap.' });
export const StorageResponse = Type.Object({
  used_bytes: Type.Integer(),
  reserved_bytes: Type.Integer({
    description: 'Bytes of open uploads that keep room beside `used_bytes`; GET /user/storage/uploads lists them.',
  }),
  file_count: Type.Integer(),
  max_bytes: Cap,
  max_attachment_bytes: Cap,
  note_count: Type.Integer(),
  vault_count: Type.Integer(),
  caps: Type.Object({
    vaults_cap: Cap,
    notes_cap: Cap,
    attachments_enabled: Type.Boolean(),
    max_file_bytes: Cap,
    attachment_bytes_cap: Cap,
    pats_cap: Cap,
    cross_vault_search: Type.Boolean(),
    requests_per_minute: Cap,
  }),
  tier: Type.String(),
});
export type StorageResponse = Static<typeof StorageResponse>;
