import { NotevaultError } from '@notevault/protocol/errors.ts';
import { type Need, operations, type Rule } from '@notevault/protocol/operations.ts';
import type { Vault as VaultBody, VaultsQuery } from '@notevault/protocol/vaults.ts';
import {
  accessOf,
  checkAccess,
  checkRole,
  type Principal,
  permissionFor,
  roleOf,
} from '../../foundation/access/access.ts';
import { vaultIdOf } from './access.ts';
import {
  openVaultKey,
  purgeDelayMs,
  type Sharing,
  sharingOf,
  type Vault,
  type VaultWithCounts,
  vaultOf,
} from './opened-vault.ts';
import { sharedVaultView } from './vaults.mapper.ts';
import * as store from './vaults.store.ts';
import type { DeviceLink, VaultDeps } from './vaults.ts';

export interface SharedVault extends Vault, Sharing {}

interface ListedVault extends SharedVault {
  /** The caller's access level in it. */
  readonly access: Need;
}

export interface VaultList {
  readonly vaults: ListedVault[];
  /** Present when a code was looked up: what it suggests, or null when it cannot be claimed. */
  readonly link?: DeviceLink | null;
}

export function createQueries(deps: VaultDeps) {
  const { db, hooks, events } = deps;
  const purgeDelay = purgeDelayMs(deps);

  async function show(principal: Principal, row: VaultWithCounts): Promise<SharedVault> {
    const role = roleOf(principal, row);
    if (role === null) throw new NotevaultError('vault_not_found');
    const vault = vaultOf(row, await openVaultKey(deps, row.id), purgeDelay, role);
    return { ...vault, ...sharingOf(row, role) };
  }

  /** The vaults that the caller can access, oldest first: the active ones, or the deleted ones. */
  async function list(principal: Principal, { deleted }: { deleted: boolean }): Promise<ListedVault[]> {
    const { userId } = principal;
    const rows = deleted
      ? await db.all(store.listDeleted, { userId, after: restorableAfter(deps, purgeDelay) })
      : await db.all(store.listActive, { userId });
    const reached = rows.flatMap((row) => {
      const access = permissionFor(principal, row);
      return access === 'none' ? [] : [async () => ({ ...(await show(principal, row)), access })];
    });
    if (!deleted) return Promise.all(reached.map((show) => show()));
    // A vault purged since its row was read is left out; an active vault without its key is an error.
    const shown = await Promise.all(reached.map((show) => show().catch(nullWhenGone)));
    return shown.filter((vault) => vault !== null);
  }

  /** Announces `vaultOpened`. Throws `vault_not_found`. */
  async function get(principal: Principal, id: string): Promise<SharedVault> {
    const vault = await show(principal, await findAllowed(deps, principal, id, operations.getVault));
    events.emit('vaultOpened', { userId: principal.userId, vaultId: vault.id });
    return vault;
  }

  return {
    list,
    /** The list in the shape of the API. */
    async overview(principal: Principal, { deleted, user_code: code }: VaultsQuery): Promise<VaultList> {
      const vaults = await list(principal, { deleted: deleted === 'true' });
      if (code === undefined || principal.kind !== 'session') return { vaults };
      return { vaults, link: await hooks.deviceLink(principal.userId, code) };
    },
    get,
    /** Like `get`, in the shape of the API. */
    describe: async (principal: Principal, id: string): Promise<VaultBody> => sharedVaultView(await get(principal, id)),
  };
}

/** The active vault with an id from a URL. Throws like `allowed`. */
export async function findAllowed({ db }: VaultDeps, principal: Principal, id: string, rule: Rule) {
  const row = await db.get(store.findActive, { id: vaultIdOf(id) });
  return allowed(principal, row, rule);
}

/** A deleted vault counts as gone from the time its purge is due, whether or not the purge has run. */
export function restorableAfter({ clock }: VaultDeps, purgeDelay: number): number {
  return clock.now() - purgeDelay;
}

/** Throws `vault_not_found`, also without access, `owner_required`, `insufficient_access`, `owner_suspended`. */
export function allowed(
  principal: Principal,
  row: VaultWithCounts | undefined,
  { named = 'read', ...rule }: Rule,
): VaultWithCounts {
  if (row === undefined) throw new NotevaultError('vault_not_found');
  const access = accessOf(principal, row);
  if (access.level === 'none') throw new NotevaultError('vault_not_found');
  checkRole(access.role, rule);
  checkAccess(access, named);
  return row;
}

function nullWhenGone(error: unknown): null {
  if (error instanceof NotevaultError && error.code === 'vault_not_found') return null;
  throw error;
}
