import { NIL_UUID, type UserId, type VaultId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle, WriteHandle } from '../../ports/database/database.ts';
import {
  currentStanding,
  isChecked,
  markChecked,
  RightsChanged,
  type RightsVersions,
  type Standing,
  type Subject,
} from '../rights/rights.ts';
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

/**
 * Compares a standing with the stored versions, which no other transaction can raise until the end of this one. Throws
 * `RightsChanged`.
 */
export async function holdRights(handle: WriteHandle, standing: Standing): Promise<void> {
  const { userId, vaultId } = standing;
  const [account, [vault]] = await Promise.all([
    handle.get(store.holdAccount, { userId }),
    handle.allMany(store.holdVaults, {}, vaultId === null ? [] : [vaultId]),
  ]);
  const versions = { account: account?.rights_version ?? null, vault: vault?.rights_version ?? null };
  if (!standing.holds(versions)) throw new RightsChanged(standing);
}

/** The same for several standings in vaults, by the versions of those alone. */
export async function checkRightsIn(handle: WriteHandle, standings: readonly Standing[]): Promise<void> {
  const ids = new Set(standings.flatMap(({ vaultId }) => vaultId ?? []));
  const rows = await handle.allMany(store.holdVaults, {}, [...ids]);
  const versions = new Map(rows.map((row) => [row.vault_id, row.rights_version]));
  for (const standing of standings) {
    if (standing.vaultId !== null) checkInVault(standing, versions.get(standing.vaultId) ?? -1);
  }
}

/** Checks the vault's version, read under the lock on its feed, for a caller. Throws `RightsChanged`. */
export function checkInVault(standing: Standing | undefined, version: number): void {
  if (standing !== undefined && !standing.holdsInVault(version)) throw new RightsChanged(standing);
}

/**
 * Raises the rights versions of an account and of all vaults that it has. Must be called in every transaction that takes
 * a right away from the account or one of its credentials: whatever it began before is decided anew, and nothing of that
 * commits after this transaction without the right.
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
