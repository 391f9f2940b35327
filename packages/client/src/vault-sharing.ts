import type { Vault } from '@notevault/protocol/vaults.ts';

/** Whose a vault is and what its role allows, in words: `shared by Alice, to read`; null for one of one's own. */
export function sharingInWords({ role, owner }: Pick<Vault, 'role' | 'owner'>): string | null {
  if (role === undefined || role === 'owner') return null;
  const by = owner?.display_name == null ? 'shared with you' : `shared by ${owner.display_name}`;
  return `${by}, to ${role === 'viewer' ? 'read' : 'edit'}`;
}
