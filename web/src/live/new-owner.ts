import type { Vault } from '@notevault/protocol/vaults.ts';
import { roleOf } from '../data/role.ts';

export type NewOwner = 'you' | { readonly name: string | null };

type Ownership = Pick<Vault, 'role' | 'owner'>;

/** Whose a vault has become; null if it is whose it was. Who has handed it over knows. */
export function newOwnerOf(before: Ownership | null, after: Ownership | null): NewOwner | null {
  if (before === null || after === null || roleOf(before) === 'owner') return null;
  if (roleOf(after) === 'owner') return 'you';
  const name = after.owner?.display_name ?? null;
  return name === (before.owner?.display_name ?? null) ? null : { name };
}
