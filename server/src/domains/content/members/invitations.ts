import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import type { Invitation, InvitationMade, InvitationShown, NewInvitation } from '@notevault/protocol/members.ts';
import { INVITATION_SECONDS, MEMBERS_MAX } from '@notevault/protocol/members.ts';
import { operations } from '@notevault/protocol/operations.ts';
import { NIL_UUID, parseUuid, type UserId, type VaultId } from '@notevault/protocol/values/ids.ts';
import { isoTime } from '@notevault/protocol/values/time.ts';
import type { Vault } from '@notevault/protocol/vaults.ts';
import { deleteUntil, type WriteHandle } from '../../../ports/database/database.ts';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import { includesRole, type Principal, roleOf } from '../../foundation/access/access.ts';
import { hashOf, newToken } from '../../foundation/tokens/tokens.ts';
import type { JoinStep } from '../accounts/accounts.ts';
import type { SharedRow } from '../vaults/vaults.ts';
import * as store from './members.store.ts';
import type { InvitationRow } from './members.tables.ts';
import type { MemberDeps, Members } from './members.ts';

const PREFIX = 'nv_vin_';
/** Invitations of a vault that wait at once. */
const WAITING_MAX = 1000;

/** Invitations to a vault. Of their tokens only hashes are stored. */
export class Invitations {
  readonly #deps: MemberDeps;
  readonly #members: Pick<Members, 'locked' | 'announce' | 'record'>;

  constructor(deps: MemberDeps, members: Pick<Members, 'locked' | 'announce' | 'record'>) {
    this.#deps = deps;
    this.#members = members;
  }

  /** Throws `owner_required`, `validation`, `too_many_members`. */
  async create(
    principal: Principal,
    vaultId: string,
    { role, email: sent, expires_in: seconds = INVITATION_SECONDS.usual, uses = 1 }: NewInvitation,
  ): Promise<InvitationMade> {
    const { db, vaults, accounts, clock, publicUrl } = this.#deps;
    const found = await vaults.findAllowed(db, principal, vaultId, operations.createInvitation);
    const email = sent == null ? null : accounts.canonicalEmail(sent);
    if (sent != null && email === null) throw invalid({ email: ['is not an e-mail'] });
    if (email !== null && uses !== 1) throw invalid({ uses: ['must be 1 with an email'] });
    const key = await vaults.openKey(found.id);
    const token = newToken(clock.random, PREFIX);
    const now = clock.now();
    const id = clock.uuid();
    const url = `${publicUrl}/invite#${token.raw}`;
    const mail =
      email === null
        ? null
        : await accounts.inviteByMail(principal.userId, { to: email, link: url, ms: seconds * 1000 });
    const row = await this.#members.locked(found.id, [principal.userId], async (handle, vault) => {
      if (roleOf(principal, vault) !== 'owner') throw new NotevaultError('owner_required');
      const waiting = await handle.all(store.listInvitations, { vaultId: vault.id, now, limit: WAITING_MAX });
      const members = (await handle.get(store.countMembers, { vaultId: vault.id }))?.count ?? 0;
      if (members >= MEMBERS_MAX || waiting.length >= WAITING_MAX) throw new NotevaultError('too_many_members');
      // A member removed in this same instant is invited again by it.
      const removal = (await handle.get(store.findLatestRemoval, { vaultId: vault.id }))?.at ?? 0;
      const invitation = {
        id,
        vault_id: vault.id,
        token_hash: token.hash,
        role,
        email: email === null ? null : sealEmail(key, id, email),
        created_by: principal.userId,
        created_at: Math.max(now, removal + 1),
        expires_at: now + seconds * 1000,
        uses_left: uses,
      };
      await handle.run(store.insertInvitation, invitation);
      await mail?.write(handle);
      this.#members.announce(handle, { change: 'invited', vaultId: vault.id, userId: principal.userId });
      return invitation;
    });
    return { invitation: invitationView(row, email), url };
  }

  /** The invitations of a vault that can be used, oldest first. */
  async list({ id }: SharedRow): Promise<Invitation[]> {
    const { db, vaults, clock } = this.#deps;
    const rows = await db.all(store.listInvitations, { vaultId: id, now: clock.now(), limit: WAITING_MAX });
    if (rows.length === 0) return [];
    const key = await vaults.openKey(id);
    return rows.map((row) => invitationView(row, openEmail(key, row)));
  }

  /** Throws `owner_required`, `invitation_not_found`. */
  async withdraw(principal: Principal, vaultId: string, invitationId: string): Promise<void> {
    const { db, vaults } = this.#deps;
    const found = await vaults.findAllowed(db, principal, vaultId, operations.deleteInvitation);
    const id = parseUuid(invitationId);
    const deleted =
      id === null
        ? 0
        : await this.#members.locked(found.id, [principal.userId], async (handle, row) => {
            if (roleOf(principal, row) !== 'owner') throw new NotevaultError('owner_required');
            const changed = await handle.run(store.deleteInvitation, { id, vault_id: row.id });
            const change = { change: 'invitation_withdrawn', vaultId: row.id, userId: principal.userId } as const;
            if (changed > 0) this.#members.announce(handle, change);
            return changed;
          });
    if (deleted === 0) throw new NotevaultError('invitation_not_found');
  }

  /** Returns what an invitation offers, without using it up. Throws `invitation_invalid`. */
  async preview(token: string): Promise<InvitationShown> {
    const { vaults, registration } = this.#deps;
    const { row, invitation, key } = await this.#find(token, null);
    return {
      vault_name: vaults.nameOf(key, row),
      invited_by: invitation.invited_by,
      role: invitation.role,
      expires_at: isoTime(invitation.expires_at),
      registers: registration === 'open' || (registration === 'invite_only' && isOfAdmin(invitation)),
    };
  }

  /**
   * Returns the step by which a registration joins the invited vault; null if the token is no invitation to a vault.
   * Only an admin’s invitation lets anybody register. Throws `invite_invalid`.
   */
  async joining(token: string, email: string): Promise<JoinStep | null> {
    if (!token.startsWith(PREFIX)) return null;
    const { invitation, row, key } = await this.#find(token, null).catch(asNotInvited);
    const only = openEmail(key, invitation);
    if (!isOfAdmin(invitation) || (only !== null && only !== email)) throw new NotevaultError('invite_invalid');
    return (handle, userId) => this.#joinNew(handle, token, row, { key, userId }).catch(asNotInvited);
  }

  /** Adds the new account as a member. Nobody else knows it yet, so only the owner’s account is locked. */
  async #joinNew(handle: WriteHandle, token: string, seen: SharedRow, { key, userId }: Joiner): Promise<void> {
    const { accounts, vaults, clock } = this.#deps;
    await accounts.lockUser(handle, seen.user_id);
    const now = clock.now();
    const row = await vaults.findActive(handle, seen.id);
    const invitation = await handle.get(store.findInvitation, { hash: hashOf(token), now });
    // It may have been handed over meanwhile, to an account that is not locked.
    const isLocked = row !== undefined && roleOf({ userId: seen.user_id }, row) === 'owner';
    const isOffered = isLocked && row.owner_suspended_at === null;
    if (!isOffered || invitation === undefined || !isOfAdmin(invitation))
      throw new NotevaultError('invitation_invalid');
    await this.#use(handle, invitation, { key, userId, now });
  }

  /** Uses an invitation up for one account. Throws `invitation_invalid`, `too_many_members`. */
  async #use(
    handle: WriteHandle,
    { id, vault_id: vaultId, role }: Pick<InvitationRow, 'id' | 'vault_id' | 'role'>,
    { key, userId, now, isMember = false }: Joiner & { readonly now: number; readonly isMember?: boolean },
  ): Promise<void> {
    if ((await handle.run(store.useInvitation, { id })) === 0) throw new NotevaultError('invitation_invalid');
    const members = (await handle.get(store.countMembers, { vaultId }))?.count ?? 0;
    if (!isMember && members >= MEMBERS_MAX) throw new NotevaultError('too_many_members');
    await handle.run(store.insertUse, { id, userId });
    await handle.run(store.putMember, { vaultId, userId, role, now });
    const author = { key, actor: { kind: 'session', name: '', userId } };
    await this.#members.record(handle, author, { change: isMember ? 'role_changed' : 'joined', vaultId, userId });
  }

  /**
   * Makes the caller a member. A member who has an equal or higher role, or used this invitation before, keeps their
   * role without using it up. An invitation has no effect for a person whom the owner has removed or given a lower role
   * since it was made. Throws `invitation_invalid`, `invitation_for_another`, `too_many_members`.
   */
  async accept(principal: Principal, token: string): Promise<Vault> {
    const { vaults, accounts, clock } = this.#deps;
    const { userId } = principal;
    const { invitation, key } = await this.#find(token, userId);
    const email = openEmail(key, invitation);
    const account = await accounts.me(userId);
    if (email !== null && email !== account.email) throw new NotevaultError('invitation_for_another');
    const { id, role, vault_id: vaultId, created_at: createdAt } = invitation;
    await this.#members
      .locked(vaultId, [userId], async (handle, row) => {
        const now = clock.now();
        const current = await handle.get(store.findInvitation, { hash: hashOf(token), now });
        const isOffered = row.owner_suspended_at === null;
        if (current === undefined || !isOffered) throw new NotevaultError('invitation_invalid');
        const held = roleOf({ userId }, row);
        const used = (await handle.get(store.findUse, { invitation_id: id, user_id: userId })) !== undefined;
        if (held !== null && (used || includesRole(held, role))) {
          if (!used && current.uses_left === 0) throw new NotevaultError('invitation_invalid');
          return;
        }
        // By its time this refusal can be told from that of a dead one. So can the preview, by anybody with the token.
        const former = await handle.get(store.findFormer, { vault_id: vaultId, user_id: userId });
        if ((former?.removed_at ?? 0) >= createdAt) throw new NotevaultError('invitation_invalid');
        await this.#use(handle, invitation, { key, userId, now, isMember: held !== null });
      })
      .catch(asInvalid);
    return vaults.describe(principal, vaultId);
  }

  /** The time of a removal now, after all invitations of the vault, also those of this instant. */
  async afterAll(handle: WriteHandle, vaultId: VaultId): Promise<number> {
    const latest = (await handle.get(store.findLatestInvitation, { vaultId }))?.at ?? 0;
    return Math.max(this.#deps.clock.now(), latest);
  }

  async sweep(): Promise<void> {
    const { db, clock } = this.#deps;
    await deleteUntil(db, store.deleteExpired, clock.now());
  }

  /**
   * Returns an invitation that can be used, or was used by this account. Before any refusal the same rows are read, so
   * that timing reveals nothing. Throws `invitation_invalid`.
   */
  async #find(token: string, userId: UserId | null) {
    const { db, vaults, clock } = this.#deps;
    const invitation = await db.get(store.findInvitation, { hash: hashOf(token), now: clock.now() });
    const row = await vaults.findActive(db, invitation?.vault_id ?? (NIL_UUID as VaultId));
    const use = { invitation_id: invitation?.id ?? NIL_UUID, user_id: userId ?? (NIL_UUID as UserId) };
    const used = await db.get(store.findUse, use);
    const isUsedUp = invitation?.uses_left === 0 && used === undefined;
    // Invitations of a suspended owner do not work.
    if (invitation === undefined || row === undefined || row.owner_suspended_at !== null || isUsedUp) {
      throw new NotevaultError('invitation_invalid');
    }
    return { invitation, row, key: await vaults.openKey(row.id).catch(asInvalid) };
  }
}

function invitationView(
  {
    id,
    role,
    created_at,
    expires_at,
    uses_left,
  }: Pick<InvitationRow, 'id' | 'role' | 'created_at' | 'expires_at' | 'uses_left'>,
  email: string | null,
): Invitation {
  return { id, email, role, created_at: isoTime(created_at), expires_at: isoTime(expires_at), uses_left };
}

/** The vault, or its owner, went meanwhile. */
function asInvalid(error: unknown): never {
  const isGone = error instanceof NotevaultError && /^(?:vault|member)_not_found$/.test(error.code);
  throw isGone ? new NotevaultError('invitation_invalid') : error;
}

/** Replaces every refusal by one error, so that the reason is not revealed; failures are rethrown. */
function asNotInvited(error: unknown): never {
  throw error instanceof NotevaultError && error.code !== 'unavailable' ? new NotevaultError('invite_invalid') : error;
}

const isOfAdmin = (invitation: {
  readonly inviter_role: string | null;
  readonly inviter_suspended_at: number | null;
}) => invitation.inviter_role === 'admin' && invitation.inviter_suspended_at === null;

/** The account that joins a vault, with the vault’s key. */
interface Joiner {
  readonly key: SealingKey;
  readonly userId: UserId;
}

const contextOf = (id: string) => ({ kind: 'invitations.email', row: id, version: 0 });

function sealEmail(key: SealingKey, id: string, email: string): Buffer {
  return key.seal(contextOf(id), Buffer.from(email));
}

function openEmail(key: SealingKey, { id, email }: { readonly id: string; readonly email: Buffer | null }) {
  return email === null ? null : key.open(contextOf(id), email).toString();
}
