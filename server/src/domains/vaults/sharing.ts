import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Rule } from '@notevault/protocol/operations.ts';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle, WriteHandle } from '../../ports/database/database.ts';
import type { SealingKey } from '../../ports/keyring/keyring.ts';
import type { Principal } from '../access/access.ts';
import { vaultIdOf } from './access.ts';
import { checkVaultsCap, type Owner } from './create.ts';
import { promoteOldest, sealedMeta } from './lifecycle.ts';
import { metaOf, type OpenKeys, openKeys, openVaultKey, type VaultWithCounts } from './opened-vault.ts';
import { allowed } from './queries.ts';
import { freeSlug } from './sealed-vault.ts';
import * as store from './vaults.store.ts';
import type { VaultDeps } from './vaults.ts';

/** The row of a vault, for whoever decides about its people. */
export type SharedRow = VaultWithCounts;

/** What the domain of members needs of vaults. */
export function createSharing(deps: VaultDeps) {
  return {
    /** An active vault that the rule allows the caller. Throws like `get`, and `owner_required`. */
    findAllowed: async (handle: ReadHandle, principal: Principal, id: string, rule: Rule): Promise<SharedRow> =>
      allowed(principal, await handle.get(store.findActive, { id: vaultIdOf(id) }), rule),
    /** An active vault, whoever asks. */
    findActive: (handle: ReadHandle, id: VaultId): Promise<SharedRow | undefined> =>
      handle.get(store.findActive, { id }),
    openKey: openVaultKey.bind(null, deps),
    nameOf: (key: SealingKey, row: SharedRow) => metaOf(key, row).name,
    /** The keys that a change of the owner needs, who will be `to`; opened before its transaction. */
    openHandOverKeys: openKeys.bind(null, deps),
    /**
     * Makes a member the owner, and the owner an editor. Must be called under the locks on both accounts. Throws
     * `limit_exceeded` when the vault does not fit the plan of the new owner.
     */
    async changeOwner(handle: WriteHandle, row: SharedRow, to: Owner, keys: OpenKeys): Promise<void> {
      const { userId } = to;
      const counts = { notes: row.note_count, bytes: row.attachment_bytes };
      await checkVaultsCap(handle, deps, { ...to, role: 'editor' }, counts);
      const member = await handle.get(store.takeMember, { id: row.id, userId });
      if (member === undefined) throw new NotevaultError('member_not_found');
      const old = metaOf(keys.key, row);
      const slug = await freeSlug(handle, keys.userKey, { userId, vaultId: row.id, name: old.name });
      const isDefault = (await handle.get(store.findDefault, { userId })) === undefined;
      await handle.run(store.setOwner, {
        id: row.id,
        user_id: userId,
        is_default: Number(isDefault),
        client_blind: member.client_blind,
        ...sealedMeta(row, keys, { ...old, slug }),
      });
      const { user_id: before, client_blind: clientBlind } = row;
      await handle.run(store.insertFormerOwner, { id: row.id, userId: before, clientBlind, now: deps.clock.now() });
      await promoteOldest(handle, before);
    },
    /** The active vaults of an account that have members. */
    async ownedWithMembers(handle: ReadHandle, userId: UserId): Promise<VaultId[]> {
      return (await handle.all(store.findOwnedWithMembers, { userId })).map(({ id }) => id);
    },
  };
}
