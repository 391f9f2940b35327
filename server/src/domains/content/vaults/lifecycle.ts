import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { operations, type Rule } from '@notevault/protocol/operations.ts';
import { requiredName } from '@notevault/protocol/values/clean-text.ts';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { UpdateVaultBody } from '@notevault/protocol/vaults.ts';
import type { ReadHandle, WriteHandle } from '../../../ports/database/database.ts';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import type { Principal } from '../../foundation/access/access.ts';
import { type InTransaction, skipInTransaction } from '../../foundation/idempotency/idempotency.ts';
import { vaultIdOf } from './access.ts';
import { checkVaultsCap, type Owner } from './create.ts';
import {
  metaOf,
  type OpenKeys,
  openKeys,
  openVaultKey,
  purgeDelayMs,
  type Vault,
  type VaultWithCounts,
  vaultOf,
} from './opened-vault.ts';
import { allowed, findAllowed, restorableAfter } from './queries.ts';
import { raiseVaultRights } from './rights.ts';
import { cleanDescription, freeSlug, sealMeta, slugBlindOf, type VaultMeta } from './sealed-vault.ts';
import * as feeds from './vault-feeds.store.ts';
import * as store from './vaults.store.ts';
import type { VaultDeps } from './vaults.ts';

// Operations on a vault by id throw `vault_not_found` when the caller has no access to it.

/** Throws `validation`, `insufficient_access`. */
export async function update(deps: VaultDeps, principal: Principal, id: string, sent: UpdateVaultBody): Promise<Vault> {
  const { db, accounts } = deps;
  const change = cleanChange(sent);
  const rule = operations.updateVault;
  const found = await findAllowed(deps, principal, id, rule);
  const { userId } = principal;
  const keys = await openKeys(deps, found.id, userId);
  const row = await db.transact(async (handle) => {
    await accounts.lockUser(handle, userId);
    const held = allowed(principal, await handle.get(store.findActive, { id: found.id }), rule);
    if (change.is_default !== undefined) await moveDefault(handle, held, change.is_default);
    await rewriteMeta(handle, held, keys, change);
    return allowed(principal, await handle.get(store.findActive, { id: found.id }), rule);
  });
  return vaultOf(row, keys.key, purgeDelayMs(deps));
}

/** Deletes softly. Throws `insufficient_access`. */
export async function remove(deps: VaultDeps, principal: Principal, id: string): Promise<VaultId> {
  const { db, clock, accounts, events } = deps;
  const rule = operations.deleteVault;
  const { id: vaultId } = await findAllowed(deps, principal, id, rule);
  const { userId } = principal;
  await db.transact(async (handle) => {
    await accounts.lockUser(handle, userId);
    allowed(principal, await handle.get(store.findActive, { id: vaultId }), rule);
    await raiseVaultRights(handle, vaultId);
    await handle.run(store.markDeleted, { id: vaultId, now: clock.now() });
    await handle.run(feeds.setWritable, { vaultId, writable: 0 });
    await promoteOldest(handle, userId);
    handle.onCommit(() => events.emit('vaultClosed', { vaultId }));
  });
  return vaultId;
}

/** Throws `limit_exceeded`. */
export async function restore(
  deps: VaultDeps,
  principal: Principal,
  id: string,
  inTransaction: InTransaction<Vault> = skipInTransaction,
): Promise<Vault> {
  const { db, accounts } = deps;
  const { userId } = principal;
  const purgeDelay = purgeDelayMs(deps);
  const rule = operations.restoreVault;
  const wanted = { id: vaultIdOf(id), after: restorableAfter(deps, purgeDelay) };
  const found = allowed(principal, await db.get(store.findDeleted, wanted), rule);
  const keys = await openKeys(deps, found.id, userId);
  return db.transact(async (handle) => {
    const { tier } = await accounts.lockUser(handle, userId);
    const held = allowed(principal, await handle.get(store.findDeleted, wanted), rule);
    await checkVaultsCap(handle, deps, { userId, tier }, { notes: held.note_count, bytes: held.attachment_bytes });
    await reactivate(handle, held, keys);
    const row = allowed(principal, await handle.get(store.findActive, { id: found.id }), rule);
    const vault = vaultOf(row, keys.key, purgeDelay);
    await inTransaction(handle, vault);
    return vault;
  });
}

function cleanChange({ name, description, is_default }: UpdateVaultBody): UpdateVaultBody {
  return {
    ...(name === undefined ? {} : { name: requiredName(name) }),
    ...(description === undefined ? {} : { description: cleanDescription(description) }),
    ...(is_default === undefined ? {} : { is_default }),
  };
}

/** Moves the default to another vault. There is always one default vault, so it is never just removed. */
async function moveDefault(handle: WriteHandle, row: VaultWithCounts, wanted: boolean): Promise<void> {
  const isDefault = row.is_default === 1;
  if (wanted === isDefault) return;
  if (isDefault) throw invalid({ is_default: ['make another vault the default instead'] });
  await handle.run(store.clearDefault, { userId: row.user_id });
  await handle.run(store.setDefault, { id: row.id });
}

async function rewriteMeta(handle: WriteHandle, row: VaultWithCounts, keys: OpenKeys, change: UpdateVaultBody) {
  const old = metaOf(keys.key, row);
  const name = change.name ?? old.name;
  const description = change.description === undefined ? old.description : change.description;
  if (name === old.name && description === old.description) return;
  const slug = name === old.name ? old.slug : await slugFor(handle, keys.userKey, row, name);
  await handle.run(store.updateMeta, { id: row.id, ...sealedMeta(row, keys, { name, slug, description }) });
}

/** Restores the slug, or a new one if another vault uses it meanwhile, and the client's id if it is still free. */
async function reactivate(handle: WriteHandle, row: VaultWithCounts, keys: OpenKeys): Promise<void> {
  const { id, user_id: userId, client_blind: clientBlind } = row;
  const old = metaOf(keys.key, row);
  const taken = await handle.allMany(store.findSlugs, { userId, except: id }, [slugBlindOf(keys.userKey, old.slug)]);
  const slug = taken.length === 0 ? old.slug : await slugFor(handle, keys.userKey, row, old.name);
  const claimed = clientBlind === null ? undefined : await handle.get(store.findByClient, { userId, clientBlind });
  const isDefault = (await handle.get(store.findDefault, { userId })) === undefined;
  const restored = await handle.run(store.markRestored, {
    id,
    client_blind: claimed === undefined ? clientBlind : null,
    is_default: Number(isDefault),
    ...sealedMeta(row, keys, { ...old, slug }),
  });
  if (restored === 0) throw new NotevaultError('vault_not_found');
  await handle.run(feeds.setWritable, { vaultId: id, writable: 1 });
}

function slugFor(handle: ReadHandle, userKey: SealingKey, row: VaultWithCounts, name: string): Promise<string> {
  return freeSlug(handle, userKey, { userId: row.user_id, vaultId: row.id, name });
}

export function sealedMeta(row: VaultWithCounts, { key, userKey }: OpenKeys, meta: VaultMeta) {
  const version = row.meta_version + 1;
  const sealed = sealMeta(key, row.id, version, meta);
  return { meta: sealed, meta_version: version, slug_blind: slugBlindOf(userKey, meta.slug) };
}

/** Makes the oldest vault of an account its default, if it has none. */
export async function promoteOldest(handle: WriteHandle, userId: UserId): Promise<void> {
  if ((await handle.get(store.findDefault, { userId })) !== undefined) return;
  const oldest = await handle.get(store.findOldestActive, { userId });
  if (oldest !== undefined) await handle.run(store.setDefault, { id: oldest.id });
}

/** The row of a vault, for decisions about its members. */
export type SharedRow = VaultWithCounts;

/** Creates the operations of vaults that the members domain uses. */
export function createSharing(deps: VaultDeps) {
  return {
    /** Returns an active vault on which a rule allows the operation. Throws like `get`, and `owner_required`. */
    findAllowed: async (handle: ReadHandle, principal: Principal, id: string, rule: Rule): Promise<SharedRow> =>
      allowed(principal, await handle.get(store.findActive, { id: vaultIdOf(id) }), rule),
    /** Returns an active vault, regardless of the caller. */
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
    /** Returns the ids of all vaults that an account owns, deleted ones too. */
    async ownedBy(userId: UserId): Promise<VaultId[]> {
      return (await deps.db.all(store.listOwnedIds, { userId })).map(({ id }) => id);
    },
    async ownedWithMembers(handle: ReadHandle, userId: UserId): Promise<VaultId[]> {
      return (await handle.all(store.findOwnedWithMembers, { userId })).map(({ id }) => id);
    },
  };
}
