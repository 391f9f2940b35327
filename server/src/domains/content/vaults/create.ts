import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Role } from '@notevault/protocol/operations.ts';
import { requiredName } from '@notevault/protocol/values/clean-text.ts';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { NewVaultBody } from '@notevault/protocol/vaults.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import { type Principal, roleOf } from '../../foundation/access/access.ts';
import { type InTransaction, skipInTransaction } from '../../foundation/idempotency/idempotency.ts';
import { capExceeded, capOf, planOf } from '../../foundation/plans/plans.ts';
import { checkMayAdopt, checkMayCreate } from './access.ts';
import { openUserKey, openVaultKey, purgeDelayMs, type Vault, type VaultWithCounts, vaultOf } from './opened-vault.ts';
import { cleanDescription, clientBlindOf, freeSlug, sealMeta, slugBlindOf } from './sealed-vault.ts';
import * as feeds from './vault-feeds.store.ts';
import * as store from './vaults.store.ts';
import type { VaultDeps } from './vaults.ts';

interface RegisterResult {
  readonly vault: Vault;
  readonly status: 'created' | 'existing';
}

/** A vault that a client names by its own id, unchecked. */
interface RegistrationInput {
  readonly client_id?: unknown;
  readonly name?: unknown;
}

/** The user whose row is locked, with their plan under that lock. */
export interface Owner {
  readonly userId: UserId;
  readonly tier: string;
  /** The caller's role: only the owner is told about the owner's plan. */
  readonly role?: Role;
}

interface CleanInput {
  readonly name: string;
  readonly description: string | null;
  readonly wantsDefault: boolean;
  readonly clientBlind: Buffer | null;
}

/** Throws `validation`, `limit_exceeded`, `insufficient_access`. */
export async function create(
  deps: VaultDeps,
  principal: Principal,
  sent: NewVaultBody,
  inTransaction: InTransaction<Vault> = skipInTransaction,
): Promise<Vault> {
  const { db, accounts } = deps;
  checkMayCreate(principal);
  const { userId } = principal;
  const plain = {
    name: requiredName(sent.name),
    description: cleanDescription(sent.description ?? null),
    wantsDefault: sent.is_default ?? false,
    clientBlind: null,
  };
  const userKey = await openUserKey(deps, userId);
  return db.transact(async (handle) => {
    const { tier } = await accounts.lockUser(handle, userId);
    const vault = await insert(handle, deps, { userId, tier }, userKey, plain);
    await inTransaction(handle, vault);
    return vault;
  });
}

/** Returns or creates the vault of a client id. Throws `register_params`, `limit_exceeded`, `insufficient_access`. */
export async function register(
  deps: VaultDeps,
  principal: Principal,
  sent: RegistrationInput,
  inTransaction: InTransaction<RegisterResult> = skipInTransaction,
): Promise<RegisterResult> {
  const { db, accounts } = deps;
  const { clientId, name } = readRegistration(sent);
  const { userId } = principal;
  const userKey = await openUserKey(deps, userId);
  const clientBlind = clientBlindOf(userKey, clientId);
  const known = await db.get(store.findByClient, { userId, clientBlind });
  if (known !== undefined) return adopt(deps, principal, known, inTransaction);
  checkMayCreate(principal);
  const made = await db.transact(async (handle) => {
    const { tier } = await accounts.lockUser(handle, userId);
    // A concurrent call with this id may have been first.
    const other = await handle.get(store.findByClient, { userId, clientBlind });
    if (other !== undefined) return { other };
    const plain = { name, description: null, wantsDefault: false, clientBlind };
    const vault = await insert(handle, deps, { userId, tier }, userKey, plain);
    const created = { vault, status: 'created' } as const;
    await inTransaction(handle, created);
    return created;
  });
  return 'other' in made ? adopt(deps, principal, made.other, inTransaction) : made;
}

/** Decides everything about the user's vaults as a whole, under the lock on the user's row. */
async function insert(
  handle: WriteHandle,
  deps: VaultDeps,
  owner: Owner,
  userKey: SealingKey,
  { name, description, wantsDefault, clientBlind }: CleanInput,
): Promise<Vault> {
  const { keys, clock } = deps;
  const { userId } = owner;
  await checkVaultsCap(handle, deps, owner, nothing);
  const id = clock.uuid() as VaultId;
  const now = clock.now();
  const slug = await freeSlug(handle, userKey, { userId, vaultId: id, name });
  const isDefault = wantsDefault || (await handle.get(store.findDefault, { userId })) === undefined;
  if (isDefault) await handle.run(store.clearDefault, { userId });
  const key = await keys.create(handle, { kind: 'vault', id });
  const row = {
    id,
    user_id: userId,
    is_default: Number(isDefault),
    client_blind: clientBlind,
    slug_blind: slugBlindOf(userKey, slug),
    meta: sealMeta(key, id, 1, { name, slug, description }),
    meta_version: 1,
    created_at: now,
  };
  await handle.run(store.insertVault, row);
  await handle.run(feeds.insertFeed, { vaultId: id });
  const counts = { noteCount: 0, attachmentCount: 0 };
  return { id, name, slug, description, isDefault, ...counts, createdAt: now, deletedAt: null, purgeAt: null };
}

async function adopt(
  deps: VaultDeps,
  principal: Principal,
  row: VaultWithCounts,
  inTransaction: InTransaction<RegisterResult>,
): Promise<RegisterResult> {
  checkMayAdopt(principal, row);
  const key = await openVaultKey(deps, row.id);
  const role = roleOf(principal, row) ?? 'viewer';
  const adopted = { vault: vaultOf(row, key, purgeDelayMs(deps), role), status: 'existing' } as const;
  await deps.db.transact((handle) => inTransaction(handle, adopted));
  return adopted;
}

function readRegistration({ client_id, name }: RegistrationInput) {
  const sent = typeof client_id === 'string' && typeof name === 'string';
  if (!sent || client_id.trim() === '' || name.trim() === '') throw new NotevaultError('register_params');
  return { clientId: client_id.toWellFormed(), name: requiredName(name) };
}

/** The counts of a vault that its owner's plan limits. */
interface StoredCounts {
  readonly notes: number;
  /** Bytes of its attachments. */
  readonly bytes: number;
}

const nothing: StoredCounts = { notes: 0, bytes: 0 };

/** Checks that one more active vault, with its contents, fits the plan. Call it under the lock on the user's row. */
export async function checkVaultsCap(
  handle: WriteHandle,
  { plans }: VaultDeps,
  { userId, tier, role }: Owner,
  held: StoredCounts,
): Promise<void> {
  const plan = planOf(plans, tier);
  const { vaults = 0, notes = 0, bytes = 0 } = (await handle.get(store.sumActive, { userId })) ?? {};
  const growth = [
    ['vaults_cap', vaults, 1],
    ['notes_cap', notes, held.notes],
    ['attachment_bytes_cap', bytes, held.bytes],
  ] as const;
  for (const [cap, used, added] of growth) {
    if (added > 0 && used + added > capOf(plan, cap))
      throw capExceeded(cap, { tier, plan, ...(role && { role }) }, used);
  }
}
