import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Rule } from '@notevault/protocol/operations.ts';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle, WriteHandle } from '../../ports/database/database.ts';
import type { SealingKey } from '../../ports/keyring/keyring.ts';
import type { Principal } from '../access/access.ts';
import { vaultIdOf } from './access.ts';
import { checkVaultsCap } from './create.ts';
import { promoteOldest } from './lifecycle.ts';
import { metaOf, openUserKey, openVaultKey, type VaultWithCounts } from './opened-vault.ts';
import { allowed } from './queries.ts';
import { freeSlug, sealMeta, slugBlindOf } from './sealed-vault.ts';
import * as store from './vaults.store.ts';
import type { VaultDeps } from './vaults.ts';

/** The row of a vault, for whoever decides about its people. */
export type SharedRow = VaultWithCounts;

/** The keys that a change of the owner needs; opened before its transaction. */
export interface HandOverKeys {
  readonly key: SealingKey;
  /** That of the account that becomes the owner. */
  readonly userKey: SealingKey;
}

/** What the domain of members needs of vaults. */
export interface SharingOfVaults {
  /** An active vault that the rule allows the caller. Throws like `get`, and `owner_required`. */
  findAllowed(handle: ReadHandle, principal: Principal, id: string, rule: Rule): Promise<SharedRow>;
  /** An active vault, whoever asks. */
  findActive(handle: ReadHandle, id: VaultId): Promise<SharedRow | undefined>;
  openKey(id: VaultId): Promise<SealingKey>;
  nameOf(key: SealingKey, row: SharedRow): string;
  openHandOverKeys(id: VaultId, to: UserId): Promise<HandOverKeys>;
  /**
   * Makes a member the owner, and the owner an editor. Must be called under the locks on both accounts. Throws
   * `limit_exceeded` when the vault does not fit the plan of the new owner.
   */
  changeOwner(
    handle: WriteHandle,
    row: SharedRow,
    to: { readonly userId: UserId; readonly tier: string },
    keys: HandOverKeys,
  ): Promise<void>;
  /** The active vaults of an account that have members. */
  ownedWithMembers(handle: ReadHandle, userId: UserId): Promise<VaultId[]>;
}

export function createSharing(deps: VaultDeps): SharingOfVaults {
  const { clock } = deps;
  return {
    findAllowed: async (handle, principal, id, rule) =>
      allowed(principal, await handle.get(store.findActive, { id: vaultIdOf(id) }), rule),
    findActive: (handle, id) => handle.get(store.findActive, { id }),
    openKey: (id) => openVaultKey(deps, id),
    nameOf: (key, row) => metaOf(key, row).name,
    async openHandOverKeys(id, to) {
      const [key, userKey] = await Promise.all([openVaultKey(deps, id), openUserKey(deps, to)]);
      return { key, userKey };
    },
    async changeOwner(handle, row, { userId, tier }, { key, userKey }) {
      const counts = { notes: row.note_count, bytes: row.attachment_bytes };
      await checkVaultsCap(handle, deps, { userId, tier, role: 'editor' }, counts);
      const member = await handle.get(store.takeMember, { id: row.id, userId });
      if (member === undefined) throw new NotevaultError('member_not_found');
      const old = metaOf(key, row);
      const slug = await freeSlug(handle, userKey, { userId, vaultId: row.id, name: old.name });
      const metaVersion = row.meta_version + 1;
      const isDefault = (await handle.get(store.findDefault, { userId })) === undefined;
      await handle.run(store.setOwner, {
        id: row.id,
        userId,
        isDefault: Number(isDefault),
        clientBlind: member.client_blind,
        slugBlind: slugBlindOf(userKey, slug),
        meta: sealMeta(key, row.id, metaVersion, { ...old, slug }),
        metaVersion,
      });
      const { user_id: before, client_blind: clientBlind } = row;
      await handle.run(store.insertFormerOwner, { id: row.id, userId: before, clientBlind, now: clock.now() });
      await promoteOldest(handle, before);
    },
    async ownedWithMembers(handle, userId) {
      return (await handle.all(store.findOwnedWithMembers, { userId })).map(({ id }) => id);
    },
  };
}
