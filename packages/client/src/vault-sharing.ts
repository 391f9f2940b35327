import type { Vault } from '@notevault/protocol/vaults.ts';

/** Describes a shared vault's owner and role: `shared by Alice, to read`; null for a vault that the user owns. */
export function sharingInWords({ role, owner }: Pick<Vault, 'role' | 'owner'>): string | null {
  if (role === undefined || role === 'owner') return null;
  const by = owner?.display_name == null ? 'shared with you' : `shared by ${owner.display_name}`;
  return `${by}, to ${role === 'viewer' ? 'read' : 'edit'}`;
}
