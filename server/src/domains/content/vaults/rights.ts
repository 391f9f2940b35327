import { NIL_UUID, type UserId, type VaultId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle, WriteHandle } from '../../../ports/database/database.ts';
import {
  currentStanding,
  isChecked,
  markChecked,
  NO_RIGHTS,
  RightsChanged,
  type RightsVersions,
  type Standing,
  type Subject,
} from '../../foundation/rights/rights.ts';
import * as store from './rights.store.ts';

const NO_VAULT = NIL_UUID as VaultId;

/** The stored versions, without a lock: for a look before the work begins. */
export async function findRights(handle: ReadHandle, { userId, vaultId }: Subject): Promise<RightsVersions> {
  const found = await handle.get(store.findRights, { userId, vaultId: vaultId ?? NO_VAULT });
  return found ?? { account: null, vault: null };
}

/** Makes a decision anew if a right was taken away since. Throws its refusal. */
export async function confirmRights(handle: ReadHandle, standing: Standing): Promise<void> {
  if (!standing.holds(await findRights(handle, standing))) await standing.renew();
}

export async function isSuspended(handle: ReadHandle, userId: UserId): Promise<boolean> {
  return (await handle.get(store.findSuspended, { userId })) !== undefined;
}

/** Compares a standing with the stored versions, locked until the end of this transaction. Throws `RightsChanged`. */
export async function holdRights(handle: WriteHandle, standing: Standing): Promise<void> {
  if (standing.vaultId !== null) return holdRightsIn(handle, [standing]);
  const account = await handle.get(store.holdAccount, { userId: standing.userId });
  checkRights(standing, { account: account?.rights_version ?? null, vault: null });
}

/**
 * Like `holdRights`, for several standings in vaults. Locking the vaults is enough: whatever raises an account's
 * version also raises those of its vaults, and so waits for the lock.
 */
export async function holdRightsIn(handle: WriteHandle, standings: readonly Standing[]): Promise<void> {
  const keyOf = (vaultId: VaultId, userId: UserId) => `${vaultId} ${userId}`;
  const subjects = new Map<string, { readonly vaultId: VaultId; readonly userId: UserId }>();
  for (const { vaultId, userId } of standings) {
    if (vaultId !== null) subjects.set(keyOf(vaultId, userId), { vaultId, userId });
  }
  const rows = await handle.allMany(store.holdRightsIn, {}, [...subjects.values()]);
  const versions = new Map(rows.map((row) => [keyOf(row.vault_id, row.user_id), row]));
  for (const standing of standings) {
    const { vaultId, userId } = standing;
    if (vaultId !== null) checkRights(standing, versions.get(keyOf(vaultId, userId)) ?? NO_RIGHTS);
  }
}

/** Compares a standing with versions that were read under the lock on its vault's feed. Throws `RightsChanged`. */
export function checkRights(standing: Standing, versions: RightsVersions): void {
  if (!standing.holds(versions)) throw new RightsChanged(standing);
}

/**
 * Raises the rights versions of an account and of its vaults. Must be called in every transaction that removes a right
 * from the account or one of its credentials: requests that began before are then decided again, and cannot commit
 * afterwards without the right.
 */
export async function raiseAccountRights(handle: WriteHandle, userId: UserId): Promise<void> {
  await handle.get(store.claimAccount, { userId });
  await handle.all(store.claimVaultsOf, { userId });
  await settleOwn(handle);
  await handle.run(store.raiseAccount, { userId });
  await handle.run(store.raiseVaultsOf, { userId });
}

/** Raises the rights version of a vault; the same for a transaction that takes a right in it away from anybody. */
export async function raiseVaultRights(handle: WriteHandle, vaultId: VaultId): Promise<void> {
  await handle.get(store.claimVault, { vaultId });
  await settleOwn(handle);
  await handle.run(store.raiseVault, { vaultId });
}

/** Checks the caller for the last time, because the versions that they stand on may be raised now. */
async function settleOwn(handle: WriteHandle): Promise<void> {
  const standing = currentStanding();
  if (standing === undefined || isChecked()) return;
  await holdRights(handle, standing);
  markChecked();
  handle.onCommit(() => standing.settle());
}
