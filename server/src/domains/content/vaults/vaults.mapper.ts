import { isoTime, isoTimeOrNull } from '@notevault/protocol/values/time.ts';
import type { StorageResponse, Vault as VaultBody, VaultsResponse } from '@notevault/protocol/vaults.ts';
import type { Vault } from './opened-vault.ts';
import type { SharedVault, VaultList } from './queries.ts';
import type { StorageUsage } from './usage.ts';

export function vaultView(vault: Vault): VaultBody {
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

/** A vault with the caller's part in it. */
export function sharedVaultView(vault: SharedVault): VaultBody {
  const { role, ownerName, members } = vault;
  return { ...vaultView(vault), role, owner: { display_name: ownerName }, members };
}

export function vaultsView({ vaults, link }: VaultList): VaultsResponse {
  const list = {
    vaults: vaults.map((vault) => ({ ...sharedVaultView(vault), access: vault.access })),
    access_levels: true,
  };
  if (link === undefined) return list;
  return {
    ...list,
    user_code_valid: link !== null,
    suggested_vault_name: link?.vaultName ?? null,
    suggested_device_name: link?.deviceName ?? null,
  };
}

export function storageView({ plan, tier, ...used }: StorageUsage): StorageResponse {
  return {
    used_bytes: used.bytes,
    reserved_bytes: used.reservedBytes,
    file_count: used.attachments,
    max_bytes: plan.attachment_bytes_cap,
    max_attachment_bytes: plan.max_file_bytes,
    note_count: used.notes,
    vault_count: used.vaults,
    caps: plan,
    tier,
  };
}
