import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Member, MembersResponse } from '@notevault/protocol/members.ts';
import { operations, type Role } from '@notevault/protocol/operations.ts';
import { parseUuid, type UserId, type VaultId } from '@notevault/protocol/values/ids.ts';
import { isoTime } from '@notevault/protocol/values/time.ts';
import type { EventSink, PeopleChange } from '../../../events.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import type { Database, WriteHandle } from '../../../ports/database/database.ts';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import { includesRole, type Principal, roleOf } from '../../foundation/access/access.ts';
import type { AccountDeps, Accounts } from '../accounts/accounts.ts';
import type { ActivityLog, Actor, RecordedPeopleChange } from '../activity-log/activity-log.ts';
import type { SharedRow, Vaults } from '../vaults/vaults.ts';
import { Invitations } from './invitations.ts';
import * as store from './members.store.ts';

/** Effects of members in later domains; bound in app/. */
export interface MemberHooks {
  /**
   * Removes an account's access to a vault: the levels of its credentials, pending device links, tickets, and anything
   * else that would open it again.
   */
  membershipEnded(handle: WriteHandle, userId: UserId, vaultId: VaultId): Promise<void>;
}

export interface MemberDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly accounts: Pick<
    Accounts,
    'lockUser' | 'me' | 'findByEmail' | 'canonicalEmail' | 'inviteByMail' | 'requireProof'
  >;
  readonly vaults: Vaults;
  readonly activity: Pick<ActivityLog, 'append'>;
  readonly events: EventSink;
  readonly hooks: MemberHooks;
  /** Origin of the addresses of invitations. */
  readonly publicUrl: string;
  readonly registration: AccountDeps['registration'];
}

/** Changes of the owner between a look and its lock, after which a request is refused. */
const TRIES = 5;

/**
 * Manages the members of a vault. Every change locks the accounts concerned, including the owner’s, in the order of
 * their ids. The deletion of an account and counts over all vaults of an owner take the same locks.
 */
export class Members {
  readonly #deps: MemberDeps;
  readonly invitations: Invitations;

  constructor(deps: MemberDeps) {
    this.#deps = deps;
    this.invitations = new Invitations(deps, this);
  }

  /** Returns the owner and the members of a vault, the owner first. Throws `vault_not_found`. */
  async list(principal: Principal, vaultId: string): Promise<MembersResponse> {
    const { db, vaults, accounts } = this.#deps;
    const row = await vaults.findAllowed(db, principal, vaultId, operations.listMembers);
    const isOwner = roleOf(principal, row) === 'owner';
    const { id, displayName: display_name, email } = await accounts.me(row.user_id);
    const owner = { user_id: id, display_name, email, role: 'owner' as const, joined_at: row.created_at };
    const people = [owner, ...(await db.all(store.listMembers, { vaultId: row.id }))];
    const members = people.map(({ user_id: id, display_name, email, role, joined_at }) => {
      const address = isOwner || id === principal.userId ? { email } : {};
      return { user_id: id, display_name, ...address, role, since: isoTime(joined_at) };
    });
    return isOwner ? { members, invitations: await this.invitations.list(row) } : { members };
  }

  /** Changes the role of a member, or hands the vault over. Throws `member_not_found`, `owner_cannot_leave`, `step_up_required`. */
  async change(principal: Principal, vaultId: string, userId: string, role: Role): Promise<Member> {
    const { db, vaults, accounts } = this.#deps;
    const found = await vaults.findAllowed(db, principal, vaultId, operations.updateMember);
    const to = parseUuid(userId) as UserId | null;
    const current = to === null ? null : roleOf({ userId: to }, found);
    if (to === null || current === null) throw new NotevaultError('member_not_found');
    if (current === 'owner' && role !== 'owner') throw new NotevaultError('owner_cannot_leave');
    if (role === 'owner') {
      await accounts.requireProof(principal, 'all');
      if (current !== 'owner')
        await this.#handOver(found.id, to, actorOf(principal), (row) => this.#stillOwner(principal, row));
    } else {
      const author = { key: await vaults.openKey(found.id), actor: actorOf(principal) };
      await this.locked(found.id, [to], async (handle, row) => {
        this.#stillOwner(principal, row);
        const before = roleOf({ userId: to }, row);
        if (before === null) throw new NotevaultError('member_not_found');
        if (before === 'owner') throw new NotevaultError('owner_cannot_leave');
        await vaults.raiseVaultRights(handle, row.id);
        const member = { vaultId: row.id, userId: to };
        await handle.run(store.putMember, { ...member, role, now: this.#deps.clock.now() });
        if (!includesRole(role, before)) {
          // Or an invitation from before would give the role back.
          const removedAt = await this.invitations.afterAll(handle, row.id);
          await handle.run(store.putFormer, { ...member, name: null, removedAt });
        }
        await this.record(handle, author, { change: 'role_changed', vaultId: row.id, userId: to });
      });
    }
    const { members } = await this.list(principal, vaultId);
    const changed = members.find(({ user_id: id }) => id === to);
    if (changed === undefined) throw new NotevaultError('member_not_found');
    return changed;
  }

  /** Removes a member, who may be the caller. Throws `owner_required`, `member_not_found`, `owner_cannot_leave`. */
  async remove(principal: Principal, vaultId: string, userId: string): Promise<void> {
    const { db, vaults } = this.#deps;
    const found = await vaults.findAllowed(db, principal, vaultId, operations.removeMember);
    const member = parseUuid(userId) as UserId | null;
    const isSelf = member === principal.userId;
    if (!isSelf) this.#stillOwner(principal, found);
    if (member === null || roleOf({ userId: member }, found) === null) throw new NotevaultError('member_not_found');
    const key = await vaults.openKey(found.id);
    const people = await db.all(store.listMembers, { vaultId: found.id });
    const name = people.find(({ user_id: id }) => id === member)?.display_name ?? null;
    await this.locked(found.id, [member], async (handle, row) => {
      if (!isSelf) this.#stillOwner(principal, row);
      const role = roleOf({ userId: member }, row);
      if (role === 'owner') throw new NotevaultError('owner_cannot_leave');
      if (role === null) throw new NotevaultError('member_not_found');
      await vaults.raiseVaultRights(handle, row.id);
      await handle.run(store.deleteMember, { vault_id: row.id, user_id: member });
      await handle.run(store.putFormer, {
        vaultId: row.id,
        userId: member,
        name: name === null ? null : vaults.sealPersonName({ id: row.id, key }, member, name),
        removedAt: isSelf ? null : await this.invitations.afterAll(handle, row.id),
      });
      await this.#deps.hooks.membershipEnded(handle, member, row.id);
      const change = isSelf ? 'left' : 'removed';
      await this.record(handle, { key, actor: actorOf(principal) }, { change, vaultId: row.id, userId: member });
    });
  }

  /** Hands a vault over to a member for an admin. Throws `vault_not_found`, `account_not_found`, `member_not_found`. */
  async handOver(vaultId: string, email: string): Promise<void> {
    const { accounts, db, vaults } = this.#deps;
    const id = parseUuid(vaultId) as VaultId | null;
    const row = id === null ? undefined : await vaults.findActive(db, id);
    if (row === undefined) throw new NotevaultError('vault_not_found');
    const { id: to } = await accounts.findByEmail(email);
    const role = roleOf({ userId: to }, row);
    if (role === null) throw new NotevaultError('member_not_found');
    if (role !== 'owner') await this.#handOver(row.id, to, ADMIN, () => undefined);
  }

  async named(ids: readonly VaultId[]): Promise<{ readonly id: VaultId; readonly name: string }[]> {
    const { db, vaults } = this.#deps;
    const found = await Promise.all(ids.map((id) => vaults.findActive(db, id)));
    const rows = found.filter((row) => row !== undefined);
    return Promise.all(
      rows.map(async (row) => ({ id: row.id, name: vaults.nameOf(await vaults.openKey(row.id), row) })),
    );
  }

  /**
   * Runs a transaction under the locks on the accounts of a vault’s owner and of others, with the vault’s row under them.
   * Throws `vault_not_found` when the vault is gone, `member_not_found` when one of the accounts is.
   */
  async locked<Result>(
    vaultId: VaultId,
    others: readonly UserId[],
    work: (handle: WriteHandle, row: SharedRow, tiers: ReadonlyMap<UserId, string>) => Promise<Result>,
  ): Promise<Result> {
    const { db, vaults, accounts } = this.#deps;
    for (let tries = 0; tries < TRIES; tries++) {
      const seen = await vaults.findActive(db, vaultId);
      if (seen === undefined) throw new NotevaultError('vault_not_found');
      const outcome = await db.transact(async (handle) => {
        const tiers = new Map<UserId, string>();
        for (const id of [...new Set([seen.user_id, ...others])].sort()) {
          tiers.set(id, (await accounts.lockUser(handle, id).catch(asGone)).tier);
        }
        const row = await vaults.findActive(handle, vaultId);
        if (row === undefined) throw new NotevaultError('vault_not_found');
        // It was handed over meanwhile, to an account that is not locked.
        if (!tiers.has(row.user_id)) return null;
        return { result: await work(handle, row, tiers) };
      });
      if (outcome !== null) return outcome.result;
    }
    throw new NotevaultError('unavailable');
  }

  async #handOver(vaultId: VaultId, to: UserId, actor: Actor, check: (row: SharedRow) => void): Promise<void> {
    const { vaults } = this.#deps;
    const keys = await vaults.openHandOverKeys(vaultId, to);
    await this.locked(vaultId, [to], async (handle, row, tiers) => {
      check(row);
      if (roleOf({ userId: to }, row) === 'owner') return;
      await vaults.raiseVaultRights(handle, row.id);
      await vaults.changeOwner(handle, row, { userId: to, tier: tiers.get(to) ?? '' }, keys);
      this.#recheck(handle, row.user_id);
      const author = { key: keys.key, actor };
      await this.record(handle, author, { change: 'handed_over', vaultId: row.id, userId: to });
    });
  }

  #stillOwner(principal: Principal, row: SharedRow): void {
    if (roleOf(principal, row) !== 'owner') throw new NotevaultError('owner_required');
  }

  /** Records a change of the people as an activity, and announces it. */
  async record(
    handle: WriteHandle,
    { key, actor }: PeopleAuthor,
    change: PeopleChange & { readonly change: RecordedPeopleChange },
  ): Promise<void> {
    this.announce(handle, change);
    const people = { change: change.change, userId: change.userId };
    const write = { action: 'people' as const, actor, changes: [], people, count: 1 };
    await this.#deps.activity.append(handle, { id: change.vaultId, key }, [write]);
  }

  /** Announces a change of members after its commit; cached permissions are then checked again. */
  announce(handle: WriteHandle, change: PeopleChange): void {
    this.#recheck(handle, change.userId);
    handle.onCommit(() => this.#deps.events.emit('peopleChanged', change));
  }

  #recheck(handle: WriteHandle, userId: UserId): void {
    handle.onCommit(() => this.#deps.events.emit('credentialsChanged', { userId }));
  }
}

/** The author of a change of members, with the vault’s key. */
export interface PeopleAuthor {
  readonly key: SealingKey;
  readonly actor: Actor;
}

const ADMIN: Actor = { kind: 'admin', name: '' };

function actorOf({ kind, name, userId }: Pick<Principal, 'kind' | 'name' | 'userId'>): Actor {
  return { kind, name, userId };
}

/** An account that is being erased cannot be locked. */
function asGone(error: unknown): never {
  const isGone = error instanceof NotevaultError && error.code === 'unauthorized';
  throw isGone ? new NotevaultError('member_not_found') : error;
}
