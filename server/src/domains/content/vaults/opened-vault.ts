import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Role } from '@notevault/protocol/operations.ts';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import { KeyringError, type SealingKey } from '../../../ports/keyring/keyring.ts';
import type { VaultRoles } from '../../foundation/access/access.ts';
import { openMeta, type VaultMeta } from './sealed-vault.ts';
import type { VaultDeps } from './vaults.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A vault as one of its people sees it. */
export interface Vault {
  readonly id: VaultId;
  readonly name: string;
  readonly slug: string;
  readonly description: string | null;
  readonly isDefault: boolean;
  readonly noteCount: number;
  readonly attachmentCount: number;
  readonly createdAt: number;
  readonly deletedAt: number | null;
  readonly purgeAt: number | null;
}

/** The owner and members of a vault, as one of them sees them. */
export interface Sharing {
  readonly role: Role;
  readonly ownerName: string | null;
  /** Number of members other than the owner. */
  readonly members: number;
}

export function sharingOf(row: VaultWithCounts, role: Role): Sharing {
  return { role, ownerName: row.owner_name, members: row.members?.split(' ').length ?? 0 };
}

/** A vault's row with the counts of its feed. */
export interface VaultWithCounts extends VaultRoles {
  readonly is_default: number;
  readonly client_blind: Buffer | null;
  readonly meta: Buffer;
  readonly meta_version: number;
  readonly created_at: number;
  readonly deleted_at: number | null;
  readonly note_count: number;
  readonly attachment_count: number;
  readonly attachment_bytes: number;
  readonly owner_name: string | null;
}

export function purgeDelayMs(deps: Pick<VaultDeps, 'purgeAfterDays'>): number {
  return deps.purgeAfterDays * DAY_MS;
}

/** @param role of the account that looks at it: a vault is the default of its owner only. */
export function vaultOf(row: VaultWithCounts, key: SealingKey, purgeDelay: number, role: Role = 'owner'): Vault {
  return {
    ...metaOf(key, row),
    id: row.id,
    isDefault: role === 'owner' && row.is_default === 1,
    noteCount: row.note_count,
    attachmentCount: row.attachment_count,
    createdAt: row.created_at,
    deletedAt: row.deleted_at,
    purgeAt: row.deleted_at === null ? null : row.deleted_at + purgeDelay,
  };
}

/** Opens the vault's keys; null when it was purged. Throws `vault_unreadable`. */
export function vaultKeyOf({ keys }: VaultDeps, id: VaultId): Promise<SealingKey | null> {
  return keys.open({ kind: 'vault', id }).catch(unreadable);
}

/** Like vaultKeyOf, but throws `vault_not_found` when it was purged meanwhile. */
export async function openVaultKey(deps: VaultDeps, id: VaultId): Promise<SealingKey> {
  const key = await vaultKeyOf(deps, id);
  if (key === null) throw new NotevaultError('vault_not_found');
  return key;
}

/** Opens the stored name, slug and description; throws `vault_unreadable` and never returns an empty name instead. */
export function metaOf(key: SealingKey, row: Parameters<typeof openMeta>[1]): VaultMeta {
  try {
    return openMeta(key, row);
  } catch (error) {
    return unreadable(error);
  }
}

function unreadable(error: unknown): never {
  if (error instanceof KeyringError) throw new NotevaultError('vault_unreadable', {}, error);
  throw error;
}

/** The keys of a vault, and of the account that owns it or will. */
export interface OpenKeys {
  readonly key: SealingKey;
  readonly userKey: SealingKey;
}

/** Throws `vault_not_found`, `unauthorized`. */
export async function openKeys(deps: VaultDeps, id: VaultId, owner: UserId): Promise<OpenKeys> {
  const [key, userKey] = await Promise.all([openVaultKey(deps, id), openUserKey(deps, owner)]);
  return { key, userKey };
}

/** Opens the user's keys; throws `unauthorized` when the account was closed meanwhile. */
export async function openUserKey({ keys }: VaultDeps, id: UserId): Promise<SealingKey> {
  const key = await keys.open({ kind: 'user', id });
  if (key === null) throw new NotevaultError('unauthorized');
  return key;
}
