import { NotevaultError } from '@notevault/protocol/errors.ts';
import { type Need, operations, type Role } from '@notevault/protocol/operations.ts';
import { parseUuid, type UserId, type VaultId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import {
  accessOf,
  checkAccess,
  checkPermission,
  type OpenVault,
  type Principal,
  permissionFor,
  permissionOf,
  roleOf,
  type VaultRoles,
} from '../../foundation/access/access.ts';
import { planOf } from '../../foundation/plans/plans.ts';
import { vaultKeyOf } from './opened-vault.ts';
import * as store from './vaults.store.ts';
import type { VaultDeps } from './vaults.ts';

/** Throws `insufficient_access` unless the caller may write to vaults created later. */
export function checkMayCreate(principal: Principal): void {
  checkPermission(permissionOf('owner', principal, null), operations.createVault.later);
}

/** Parses the id in a URL; throws `vault_not_found` when it is malformed. */
export function vaultIdOf(text: string): VaultId {
  const id = parseUuid(text);
  if (id === null) throw new NotevaultError('vault_not_found');
  return id as VaultId;
}

/** Throws `insufficient_access` for a vault that the account has, but that the credential cannot access. */
export function checkMayAdopt(principal: Principal, vault: VaultRoles): void {
  checkPermission(permissionFor(principal, vault), operations.registerVault.named);
}

export interface RequestedVault extends OpenVault {
  /** Whether edits of sockets may have been waiting for their flush when it was opened. */
  readonly hasWaitingEdits: boolean;
}

/** A vault that a request names. None of its data may reach the caller before `openVault` has checked their role. */
export type FoundVault = store.RequestedRow;

export function createAccess(deps: VaultDeps) {
  return {
    checkMayCreate,
    /** Checks the permission to register a vault, for answers that are replayed. */
    async checkMayAdopt(principal: Principal, vaultId: VaultId): Promise<void> {
      const [row] = await deps.db.allMany(store.findActiveOf, {}, [vaultId]);
      // Deleted since: the answer is as it was.
      if (row !== undefined) checkMayAdopt(principal, { ...row, owner_suspended_at: null });
    },
    findVault: findVault.bind(null, deps),
    openVault: openVault.bind(null, deps),
    rolesIn,
    /** Returns those of some vaults whose caller no longer has the stated role, read in one statement. */
    async changedRoles<Held extends Pick<OpenVault, 'id' | 'callerId' | 'role'>>(
      held: readonly Held[],
    ): Promise<Held[]> {
      const rows = await deps.db.allMany(store.findActiveOf, {}, [...new Set(held.map(({ id }) => id))]);
      const vaults = new Map(rows.map((row) => [row.id, row]));
      return held.filter(({ id, callerId, role }) => {
        const vault = vaults.get(id);
        return vault === undefined || roleOf({ userId: callerId }, vault) !== role;
      });
    },
    openAsSystem: openAsSystem.bind(null, deps),
  };
}

/** Opens the vault that an `X-Vault-ID` header or its absence selects. @param found of `findVault`, if called. */
async function openVault(
  deps: VaultDeps,
  principal: Principal,
  header: string | undefined,
  need: Need,
  found?: Promise<FoundVault | undefined>,
): Promise<RequestedVault> {
  const row = header === undefined ? await defaultVault(deps, principal) : await (found ?? findVault(deps, header));
  if (row === undefined) throw new NotevaultError(header === undefined ? 'no_vault' : 'vault_header_not_found');
  if (header !== undefined && roleOf(principal, row) === null) throw new NotevaultError('vault_header_not_found');
  const access = accessOf(principal, row);
  const { role, level: permission, suspended: isSuspended } = access;
  if (role === null || permission === 'none') throw new NotevaultError('vault_no_access');
  checkAccess(access, need);
  const key = await vaultKeyOf(deps, row.id);
  // The vault was purged since the row was read.
  if (key === null) throw new NotevaultError('vault_header_not_found');
  const hasWaitingEdits = row.has_waiting_edits === 1;
  return openedVault(deps, row, key, { role, permission, isSuspended, callerId: principal.userId, hasWaitingEdits });
}

/** Returns an account's roles in the active ones of some vaults; vaults without a role are left out. */
async function rolesIn(handle: ReadHandle, userId: UserId, ids: readonly VaultId[]) {
  const rows = await handle.allMany(store.findActiveOf, {}, ids);
  const roles = rows.map((row) => [row.id, roleOf({ userId }, row)] as const);
  return new Map(roles.filter((entry): entry is [VaultId, Role] => entry[1] !== null));
}

/** Opens an active vault for work of the server itself, with level write; null when it is deleted or purged. */
async function openAsSystem(deps: VaultDeps, vaultId: VaultId): Promise<OpenVault | null> {
  const row = await deps.db.get(store.findOpenableById, { id: vaultId });
  const key = row === undefined ? null : await vaultKeyOf(deps, row.id);
  if (row === undefined || key === null) return null;
  return openedVault(deps, row, key, { role: 'owner', permission: 'write', callerId: row.user_id });
}

/** Looks up the vault in an `X-Vault-ID` header, regardless of the caller, so that `openVault` need not wait for it. */
async function findVault({ db }: VaultDeps, header: string): Promise<FoundVault | undefined> {
  const id = parseUuid(header);
  return id === null ? undefined : db.get(store.findRequested, { id: id as VaultId });
}

/** One statement in every case. */
async function defaultVault({ db }: VaultDeps, principal: Principal): Promise<FoundVault | undefined> {
  const { userId } = principal;
  // A session can access every vault; if there is only one, it is the default one.
  if (principal.kind === 'session') return db.get(store.findDefaultOpenable, { userId });
  const rows = await db.all(store.findOpenables, { userId });
  const accessible = rows.filter((row) => permissionFor(principal, row) !== 'none');
  return accessible.length === 1
    ? accessible[0]
    : rows.find((row) => row.is_default === 1 && roleOf(principal, row) === 'owner');
}

function openedVault<Opener extends Pick<OpenVault, 'role' | 'permission' | 'isSuspended' | 'callerId'>>(
  { plans }: VaultDeps,
  { id, user_id: ownerId, feed_epoch: feedEpoch, rights_version: rightsVersion, tier, handed_over }: store.OpenableRow,
  key: SealingKey,
  opener: Opener,
): OpenVault & Opener {
  const row = { id, ownerId, isHandedOver: handed_over === 1, feedEpoch, tier, rightsVersion };
  return { ...opener, ...row, key, plan: planOf(plans, tier) };
}
