import type { Vault } from '@notevault/protocol/vaults.ts';
import { roleOf } from '../data/role.ts';

export type NewOwner = 'you' | { readonly name: string | null };

type Ownership = Pick<Vault, 'role' | 'owner'>;

/** Returns a vault's new owner; null if the owner is the same, or if this account handed it over. */
export function newOwnerOf(before: Ownership | null, after: Ownership | null): NewOwner | null {
  if (before === null || after === null || roleOf(before) === 'owner') return null;
  if (roleOf(after) === 'owner') return 'you';
  const name = after.owner?.display_name ?? null;
  return name === (before.owner?.display_name ?? null) ? null : { name };
}
