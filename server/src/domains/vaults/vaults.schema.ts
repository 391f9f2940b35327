import { isoTime, isoTimeOrNull } from '@notevault/protocol/time.ts';
import { Type } from 'typebox';
import { Nullable, Timestamp, Unchecked, Uuid } from '../../http/schemas.ts';
import type { VaultList } from './queries.ts';
import type { StorageUsage } from './usage.ts';
import type { Vault } from './vault-mapper.ts';

export const VaultParams = Type.Object({ id: Type.String({ description: 'The vault’s id.' }) });

export const VaultsQuery = Type.Object({
  deleted: Type.Optional(Type.String({ description: '`true` lists deleted vaults instead of active ones.' })),
  user_code: Type.Optional(Type.String({ description: 'Device-link code to look up.' })),
});

export const NewVaultBody = Type.Object({
  name: Type.String(),
  description: Type.Optional(Nullable(Type.String())),
  is_default: Type.Optional(Type.Boolean()),
});

export const RegisterVaultBody = Unchecked<{ client_id?: unknown; name?: unknown }>({
  client_id: Type.Unknown({ description: 'The client’s own stable id for the vault.' }),
  name: Type.Unknown({ description: 'Name, used when the vault is new.' }),
});

export const UpdateVaultBody = Type.Object({
  name: Type.Optional(Type.String()),
  description: Type.Optional(Nullable(Type.String())),
  is_default: Type.Optional(Type.Boolean()),
});

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
export const VaultSchema = Type.Object(VaultFields);
export const VaultResponse = Type.Object({ vault: VaultSchema });
export const RegisterVaultResponse = Type.Object({ ...VaultFields, status: Type.String() });
export const VaultDeleted = Type.Object({ deleted: Type.Boolean(), id: Uuid });
export const VaultPurged = Type.Object({ purged: Type.Boolean(), id: Uuid });

export const VaultsResponse = Type.Object({
  vaults: Type.Array(VaultSchema),
  access_levels: Type.Boolean(),
  user_code_valid: Type.Optional(Type.Boolean()),
  suggested_vault_name: Type.Optional(Nullable(Type.String())),
  suggested_device_name: Type.Optional(Nullable(Type.String())),
});

export function vaultView(vault: Vault) {
  return {
    id: vault.id,
    name: vault.name,
    slug: vault.slug,
    description: vault.description,
    is_default: vault.isDefault,
    encrypted: true,
    note_count: vault.noteCount,
    attachment_count: vault.attachmentCount,
    created_at: isoTime(vault.createdAt),
    deleted_at: isoTimeOrNull(vault.deletedAt),
    purge_at: isoTimeOrNull(vault.purgeAt),
  };
}

export function vaultsView({ vaults, link }: VaultList) {
  const list = { vaults: vaults.map(vaultView), access_levels: true };
  if (link === undefined) return list;
  return {
    ...list,
    user_code_valid: link !== null,
    suggested_vault_name: link?.vaultName ?? null,
    suggested_device_name: link?.deviceName ?? null,
  };
}

const Cap = Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'null: no cap.' });
export const StorageResponse = Type.Object({
  used_bytes: Type.Integer(),
  file_count: Type.Integer(),
  max_bytes: Cap,
  max_attachment_bytes: Cap,
  note_count: Type.Integer(),
  vault_count: Type.Integer(),
  caps: Type.Object({
    ...{ vaults_cap: Cap, notes_cap: Cap, attachments_enabled: Type.Boolean(), max_file_bytes: Cap },
    ...{ attachment_bytes_cap: Cap, pats_cap: Cap, cross_vault_search: Type.Boolean(), requests_per_minute: Cap },
  }),
  tier: Type.String(),
});

export function storageView({ plan, tier, ...used }: StorageUsage) {
  return {
    used_bytes: used.bytes,
    file_count: used.attachments,
    max_bytes: plan.attachment_bytes_cap,
    max_attachment_bytes: plan.max_file_bytes,
    note_count: used.notes,
    vault_count: used.vaults,
    caps: plan,
    tier,
  };
}
