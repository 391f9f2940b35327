import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { INVITATION_SECONDS, MEMBERS_MAX, type NewInvitation } from '@notevault/protocol/members.ts';
import { operations } from '@notevault/protocol/operations.ts';
import { parseUuid } from '@notevault/protocol/values/ids.ts';
import type { Vault } from '@notevault/protocol/vaults.ts';
import type { SealingKey } from '../../ports/keyring/keyring.ts';
import { includesRole, type Principal, roleOf } from '../access/access.ts';
import { hashOf, newToken } from '../tokens/tokens.ts';
import type { SharedRow } from '../vaults/vaults.ts';
import * as store from './members.store.ts';
import type { MemberDeps, Members } from './members.ts';

const PREFIX = 'nv_vin_';
/** Invitations of a vault that wait at once. */
const WAITING_MAX = 1000;
const SWEEP_BATCH = 500;

export interface OpenInvitation {
  readonly id: string;
  readonly email: string | null;
  readonly role: 'viewer' | 'editor';
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly usesLeft: number;
}

/** What an invitation says to whoever has its address. */
export interface InvitationPreview {
  readonly vaultName: string;
  readonly invitedBy: string | null;
  readonly role: 'viewer' | 'editor';
  readonly expiresAt: number;
}

/** Invitations to a vault. Of their tokens only hashes are stored. */
export class Invitations {
  readonly #deps: MemberDeps;
  readonly #members: Pick<Members, 'locked'>;

  constructor(deps: MemberDeps, members: Pick<Members, 'locked'>) {
    this.#deps = deps;
    this.#members = members;
  }

  /** Throws `owner_required`, `validation`, `too_many_members`. */
  async create(
    principal: Principal,
    vaultId: string,
    { role, email: sent, expires_in: seconds = INVITATION_SECONDS.usual, uses = 1 }: NewInvitation,
  ): Promise<{ readonly invitation: OpenInvitation; readonly url: string }> {
    const { db, vaults, accounts, clock, publicUrl } = this.#deps;
    const rule = operations.createInvitation;
    const found = await vaults.findAllowed(db, principal, vaultId, rule);
    const email = sent == null ? null : accounts.canonicalEmail(sent);
    if (sent != null && email === null) throw invalid({ email: ['is not an e-mail'] });
    if (email !== null && uses !== 1) throw invalid({ uses: ['must be 1 with an email'] });
    const key = await vaults.openKey(found.id);
    const token = newToken(clock.random, PREFIX);
    const now = clock.now();
    const [id, expiresAt] = [clock.uuid(), now + seconds * 1000];
    await this.#members.locked(found.id, [principal.userId], async (handle, row) => {
      if (roleOf(principal, row) !== 'owner') throw new NotevaultError('owner_required');
      const waiting = await handle.all(store.listInvitations, { vaultId: row.id, now, limit: WAITING_MAX });
      const members = (await handle.get(store.countMembers, { vaultId: row.id }))?.count ?? 0;
      if (members >= MEMBERS_MAX || waiting.length >= WAITING_MAX) throw new NotevaultError('too_many_members');
      await handle.run(store.insertInvitation, {
        id,
        vault_id: row.id,
        token_hash: token.hash,
        role,
        email: email === null ? null : sealEmail(key, id, email),
        created_by: principal.userId,
        created_at: now,
        expires_at: expiresAt,
        uses_left: uses,
      });
    });
    const invitation = { id, email, role, createdAt: now, expiresAt, usesLeft: uses };
    return { invitation, url: `${publicUrl}/invite#${token.raw}` };
  }

  /** The invitations of a vault that can be used, oldest first. */
  async list({ id }: SharedRow): Promise<OpenInvitation[]> {
    const { db, vaults, clock } = this.#deps;
    const rows = await db.all(store.listInvitations, { vaultId: id, now: clock.now(), limit: WAITING_MAX });
    if (rows.length === 0) return [];
    const key = await vaults.openKey(id);
    return rows.map((row) => ({
      id: row.id,
      email: openEmail(key, row),
      role: row.role,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      usesLeft: row.uses_left,
    }));
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
            return handle.run(store.deleteInvitation, { id, vaultId: row.id });
          });
    if (deleted === 0) throw new NotevaultError('invitation_not_found');
  }

  /** What an invitation is for; looking at it uses nothing up. Throws `invitation_invalid`. */
  async preview(token: string): Promise<InvitationPreview> {
    const { row, invitation, key } = await this.#find(token);
    if (invitation.uses_left === 0) throw new NotevaultError('invitation_invalid');
    return {
      vaultName: this.#deps.vaults.nameOf(key, row),
      invitedBy: invitation.invited_by,
      role: invitation.role,
      expiresAt: invitation.expires_at,
    };
  }

  /**
   * Makes the caller a member; one who has the vault already keeps their role if it is higher or came from this
   * invitation, and uses nothing up then. Whom the owner removed or lowered since it was made gets nothing from it. Throws `invitation_invalid`, `invitation_for_another`, `too_many_members`.
   */
  async accept(principal: Principal, token: string): Promise<Vault> {
    const { vaults, accounts, clock, events } = this.#deps;
    const { userId } = principal;
    const { invitation, key } = await this.#find(token);
    const email = openEmail(key, invitation);
    const account = await accounts.me(userId);
    if (email !== null && email !== account.email) throw new NotevaultError('invitation_for_another');
    const { id, role, vault_id: vaultId, created_at: createdAt } = invitation;
    await this.#members
      .locked(vaultId, [userId], async (handle, row) => {
        const now = clock.now();
        const current = await handle.get(store.findInvitation, { hash: hashOf(token), now });
        if (current === undefined) throw new NotevaultError('invitation_invalid');
        const held = roleOf({ userId }, row);
        const used = (await handle.get(store.findUse, { id, userId })) !== undefined;
        if (held !== null && (used || includesRole(held, role))) {
          if (!used && current.uses_left === 0) throw new NotevaultError('invitation_invalid');
          return;
        }
        const former = await handle.get(store.findFormer, { vaultId, userId });
        const removedSince = (former?.removed_at ?? 0) >= createdAt;
        if (removedSince || (await handle.run(store.useInvitation, { id })) === 0) {
          throw new NotevaultError('invitation_invalid');
        }
        const members = (await handle.get(store.countMembers, { vaultId }))?.count ?? 0;
        if (held === null && members >= MEMBERS_MAX) throw new NotevaultError('too_many_members');
        await handle.run(store.insertUse, { id, userId });
        await handle.run(store.putMember, { vaultId, userId, role, now });
        handle.onCommit(() => events.emit('credentialsChanged', { userId }));
      })
      .catch(asInvalid);
    return vaults.describe(principal, vaultId);
  }

  /** Deletes expired invitations. */
  async sweep(): Promise<void> {
    const { db, clock } = this.#deps;
    const expired = { now: clock.now(), limit: SWEEP_BATCH };
    while ((await db.transact((handle) => handle.run(store.deleteExpired, expired))) === SWEEP_BATCH);
  }

  async #find(token: string) {
    const { db, vaults, clock } = this.#deps;
    const invitation = await db.get(store.findInvitation, { hash: hashOf(token), now: clock.now() });
    const row = invitation === undefined ? undefined : await vaults.findActive(db, invitation.vault_id);
    // What a suspended owner has offered is not on offer.
    if (invitation === undefined || row === undefined || row.owner_suspended_at !== null) {
      throw new NotevaultError('invitation_invalid');
    }
    return { invitation, row, key: await vaults.openKey(row.id).catch(asInvalid) };
  }
}

/** The vault, or its owner, went meanwhile. */
function asInvalid(error: unknown): never {
  const isGone = error instanceof NotevaultError && /^(?:vault|member)_not_found$/.test(error.code);
  throw isGone ? new NotevaultError('invitation_invalid') : error;
}

const contextOf = (id: string) => ({ kind: 'invitations.email', row: id, version: 0 });

function sealEmail(key: SealingKey, id: string, email: string): Buffer {
  return key.seal(contextOf(id), Buffer.from(email));
}

function openEmail(key: SealingKey, { id, email }: { readonly id: string; readonly email: Buffer | null }) {
  return email === null ? null : key.open(contextOf(id), email).toString();
}
