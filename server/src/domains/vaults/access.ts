import { NotevaultError } from '@notevault/protocol/errors.ts';
import { parseUuid, type VaultId } from '@notevault/protocol/ids.ts';
import { type OpenVault, type Principal, permissionOf } from '../access/access.ts';
import { planOf } from '../plans/plans.ts';
import { vaultKeyOf } from './opened-vault.ts';
import type { VaultDeps } from './vaults.deps.ts';
import * as store from './vaults.store.ts';

/** Throws `insufficient_access` unless the caller may write to vaults created later. */
export function checkMayCreate(principal: Principal): void {
  if (principal.kind === 'session' || principal.scope?.elsewhere === 'write') return;
  throw new NotevaultError('insufficient_access', { required: 'write' });
}

/**
 * Checks access to a vault by id. Throws like an operation on it: a vault that the caller cannot access does not exist
 * for them.
 */
export function checkPermission(principal: Principal, vaultId: VaultId, need: 'read' | 'write'): void {
  const permission = permissionOf(principal, vaultId);
  if (permission === 'none') throw new NotevaultError('vault_not_found');
  if (need === 'write' && permission !== 'write')
    throw new NotevaultError('insufficient_access', { required: 'write' });
}

/** Parses the id in a URL; throws `vault_not_found` when it is malformed. */
export function vaultIdOf(text: string): VaultId {
  const id = parseUuid(text);
  if (id === null) throw new NotevaultError('vault_not_found');
  return id as VaultId;
}

/** Throws `insufficient_access` for a vault that belongs to the user, but that the credential cannot access. */
export function checkMayAdopt(principal: Principal, vaultId: VaultId): void {
  if (permissionOf(principal, vaultId) === 'none')
    throw new NotevaultError('insufficient_access', { required: 'read' });
}

/** A vault opened for a request. */
export interface RequestedVault extends OpenVault {
  /** Whether edits of sockets may have been waiting for their flush when it was opened. */
  readonly hasWaitingEdits: boolean;
}

export interface Access {
  /** Checks the permission to create and register vaults, for answers that are replayed. */
  checkMayCreate(principal: Principal): void;
  checkMayAdopt(principal: Principal, vaultId: VaultId): void;
  /** Opens the vault that an `X-Vault-ID` header (or its absence) selects for the caller, at the needed level. */
  openVault(principal: Principal, header: string | undefined, need: 'read' | 'write'): Promise<RequestedVault>;
  /** Opens an active vault for work of the server itself, with level write; null when it is deleted or purged. */
  openAsSystem(vaultId: VaultId): Promise<OpenVault | null>;
}

export function createAccess(deps: VaultDeps): Access {
  return {
    checkMayCreate,
    checkMayAdopt,
    openVault: (principal, header, need) => openVault(deps, principal, header, need),
    openAsSystem: (vaultId) => openAsSystem(deps, vaultId),
  };
}

async function openVault(
  deps: VaultDeps,
  principal: Principal,
  header: string | undefined,
  need: 'read' | 'write',
): Promise<RequestedVault> {
  const row = await chooseVault(deps, principal, header);
  if (row === undefined) throw new NotevaultError('no_vault');
  const permission = permissionOf(principal, row.id);
  if (permission === 'none') throw new NotevaultError('vault_no_access');
  if (need === 'write' && permission !== 'write') throw new NotevaultError('insufficient_access', { required: need });
  const vault = await openRow(deps, row, permission);
  // The vault was purged since the row was read.
  if (vault === null) throw new NotevaultError('vault_header_not_found');
  return { ...vault, hasWaitingEdits: row.has_waiting_edits === 1 };
}

async function openAsSystem(deps: VaultDeps, vaultId: VaultId): Promise<OpenVault | null> {
  const row = await deps.db.get(store.findOpenableById, { id: vaultId });
  return row === undefined ? null : openRow(deps, row, 'write');
}

/** One statement in every case. */
async function chooseVault({ db }: VaultDeps, principal: Principal, header: string | undefined) {
  const { userId } = principal;
  if (header !== undefined) {
    const id = parseUuid(header);
    const row = id === null ? undefined : await db.get(store.findOpenable, { id: id as VaultId, userId });
    if (row === undefined) throw new NotevaultError('vault_header_not_found');
    return row;
  }
  // A session can access every vault; if there is only one, it is the default one.
  if (principal.kind === 'session') return db.get(store.findDefaultOpenable, { userId });
  const rows = await db.all(store.findOpenables, { userId });
  const accessible = rows.filter((row) => permissionOf(principal, row.id) !== 'none');
  return accessible.length === 1 ? accessible[0] : rows.find((row) => row.is_default === 1);
}

/** Null when the vault's key was destroyed. */
async function openRow(
  deps: VaultDeps,
  row: store.OpenableRow,
  permission: 'read' | 'write',
): Promise<OpenVault | null> {
  const key = await vaultKeyOf(deps, row.id);
  if (key === null) return null;
  const plan = planOf(deps.plans, row.tier);
  return { id: row.id, userId: row.user_id, permission, key, feedEpoch: row.feed_epoch, plan, tier: row.tier };
}
