import { NotevaultError } from '@notevault/protocol/errors.ts';
import { type Need, operations } from '@notevault/protocol/operations.ts';
import type { VaultsQuery } from '@notevault/protocol/vaults.ts';
import { checkPermission, type Principal, permissionFor } from '../access/access.ts';
import { vaultIdOf } from './access.ts';
import { openVaultKey, purgeDelayMs, type Vault, type VaultWithCounts, vaultOf } from './opened-vault.ts';
import * as store from './vaults.store.ts';
import type { DeviceLink, VaultDeps } from './vaults.ts';

interface ListedVault extends Vault {
  /** What the caller may do in it. */
  readonly access: Need;
}

export interface VaultList {
  readonly vaults: ListedVault[];
  /** Present when a code was looked up: what it suggests, or null when it cannot be claimed. */
  readonly link?: DeviceLink | null;
}

export interface VaultQueries {
  /** The vaults that the caller can access, oldest first: the active ones, or the deleted ones. */
  list(principal: Principal, which: { deleted: boolean }): Promise<ListedVault[]>;
  /** The list in the shape of the API. */
  overview(principal: Principal, query: VaultsQuery): Promise<VaultList>;
  /** Opens a vault, and announces `vaultOpened`. Throws `vault_not_found`. */
  get(principal: Principal, id: string): Promise<Vault>;
}

export function createQueries(deps: VaultDeps): VaultQueries {
  const { db, hooks, events } = deps;
  const purgeDelay = purgeDelayMs(deps);

  async function show(row: VaultWithCounts): Promise<Vault> {
    return vaultOf(row, await openVaultKey(deps, row.id), purgeDelay);
  }

  async function list(principal: Principal, { deleted }: { deleted: boolean }): Promise<ListedVault[]> {
    const { userId } = principal;
    const rows = deleted
      ? await db.all(store.listDeleted, { userId, after: restorableAfter(deps, purgeDelay) })
      : await db.all(store.listActive, { userId });
    const reached = rows.flatMap((row) => {
      const access = permissionFor(principal, row);
      return access === 'none' ? [] : [async () => ({ ...(await show(row)), access })];
    });
    if (!deleted) return Promise.all(reached.map((show) => show()));
    // A vault purged since its row was read is left out; an active vault without its key is an error.
    const shown = await Promise.all(reached.map((show) => show().catch(nullWhenGone)));
    return shown.filter((vault) => vault !== null);
  }

  return {
    list,
    async overview(principal, { deleted, user_code: code }) {
      const vaults = await list(principal, { deleted: deleted === 'true' });
      if (code === undefined || principal.kind !== 'session') return { vaults };
      return { vaults, link: await hooks.deviceLink(principal.userId, code) };
    },
    async get(principal, id) {
      const vault = await show(await findAllowed(deps, principal, id, operations.getVault.named));
      events.emit('vaultOpened', { userId: principal.userId, vaultId: vault.id });
      return vault;
    },
  };
}

/** The active vault with an id from a URL. Throws according to the caller's level there. */
export async function findAllowed({ db }: VaultDeps, principal: Principal, id: string, need: Need) {
  const row = await db.get(store.findActive, { id: vaultIdOf(id) });
  return allowed(principal, row, need);
}

/** A deleted vault counts as gone from the time its purge is due, whether or not the purge has run. */
export function restorableAfter({ clock }: VaultDeps, purgeDelay: number): number {
  return clock.now() - purgeDelay;
}

/** A vault that the caller cannot access does not exist for them. Throws `vault_not_found`, `insufficient_access`. */
export function allowed(principal: Principal, row: VaultWithCounts | undefined, need: Need): VaultWithCounts {
  const level = row === undefined ? 'none' : permissionFor(principal, row);
  if (row === undefined || level === 'none') throw new NotevaultError('vault_not_found');
  checkPermission(level, need);
  return row;
}

function nullWhenGone(error: unknown): null {
  if (error instanceof NotevaultError && error.code === 'vault_not_found') return null;
  throw error;
}
