import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { AccountsTables } from '../accounts/accounts.tables.ts';
import type { VaultsTables } from '../vaults/vaults.tables.ts';
import type { MembersTables } from './members.tables.ts';

const { statement, table, deletion } = statementsOver<
  MembersTables & Pick<AccountsTables, 'users'> & Pick<VaultsTables, 'vault_members' | 'former_members'>
>();
const invitations = table('invitations');

// Members

interface MemberKey {
  readonly vaultId: VaultId;
  readonly userId: UserId;
}

/**
 * The members of a vault beside its owner, who joined first first. Each account is looked up by itself: a join may be
 * planned from all accounts.
 */
export const listMembers = statement((db, p: { vaultId: VaultId }) =>
  db
    .selectFrom('vault_members as m')
    .select(['m.user_id', 'm.role', 'm.joined_at'])
    .select((eb) => {
      const account = eb.selectFrom('users as u').whereRef('u.id', '=', 'm.user_id');
      return [
        account.select('u.display_name').as('display_name'),
        account.select('u.email').$asScalar().$notNull().as('email'),
      ];
    })
    .where('m.vault_id', '=', p.vaultId)
    .where((eb) => eb.selectFrom('users as u').select('u.deleting_at').whereRef('u.id', '=', 'm.user_id'), 'is', null)
    .orderBy('m.joined_at')
    .orderBy('m.user_id'),
);

export const countMembers = statement((db, p: { vaultId: VaultId }) =>
  db
    .selectFrom('vault_members')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('vault_id', '=', p.vaultId),
);

export const putMember = statement((db, p: MemberKey & { role: 'viewer' | 'editor'; now: number }) =>
  db
    .insertInto('vault_members')
    .values({ vault_id: p.vaultId, user_id: p.userId, role: p.role, client_blind: null, joined_at: p.now })
    .onConflict((conflict) => conflict.columns(['vault_id', 'user_id']).doUpdateSet({ role: p.role })),
);

export const deleteMember = table('vault_members').delete('vault_id', 'user_id');

// Those who have left

export const putFormer = statement((db, p: MemberKey & { name: Buffer | null; removedAt: number | null }) =>
  db
    .insertInto('former_members')
    .values({ vault_id: p.vaultId, user_id: p.userId, name: p.name, removed_at: p.removedAt })
    .onConflict((conflict) =>
      conflict.columns(['vault_id', 'user_id']).doUpdateSet((eb) => ({
        name: p.name,
        removed_at: eb.fn.coalesce(eb.val(p.removedAt), eb.ref('former_members.removed_at')),
      })),
    ),
);

export const findFormer = table('former_members').find(['vault_id', 'user_id'], ['removed_at']);

/** When the owner last removed a member, or lowered a role. */
export const findLatestRemoval = statement((db, p: { vaultId: VaultId }) =>
  db
    .selectFrom('former_members')
    .select((eb) => eb.fn.max('removed_at').as('at'))
    .where('vault_id', '=', p.vaultId),
);

// Invitations

export const findLatestInvitation = statement((db, p: { vaultId: VaultId }) =>
  db
    .selectFrom('invitations')
    .select((eb) => eb.fn.max('created_at').as('at'))
    .where('vault_id', '=', p.vaultId),
);

export const insertInvitation = invitations.insert(
  ...(['id', 'vault_id', 'token_hash', 'role', 'email', 'created_by'] as const),
  ...(['created_at', 'expires_at', 'uses_left'] as const),
);

export const listInvitations = statement((db, p: { vaultId: VaultId; now: number; limit: number }) =>
  db
    .selectFrom('invitations')
    .select(['id', 'vault_id', 'role', 'email', 'created_at', 'expires_at', 'uses_left'])
    .where('vault_id', '=', p.vaultId)
    .where('expires_at', '>', p.now)
    .where('uses_left', '>', 0)
    .orderBy('created_at')
    .orderBy('id')
    .limit(p.limit),
);

/** An invitation that has not expired, also one that is used up. */
export const findInvitation = statement((db, p: { hash: Buffer; now: number }) =>
  db
    .selectFrom('invitations as i')
    .leftJoin('users as u', 'u.id', 'i.created_by')
    .select(['i.id', 'i.vault_id', 'i.role', 'i.email', 'i.created_at', 'i.expires_at', 'i.uses_left'])
    .select(['u.display_name as invited_by', 'u.role as inviter_role', 'u.suspended_at as inviter_suspended_at'])
    .where('i.token_hash', '=', p.hash)
    .where('i.expires_at', '>', p.now),
);

/** Changes no row when it is used up or withdrawn. */
export const useInvitation = statement((db, p: { id: string }) =>
  db
    .updateTable('invitations')
    .set((eb) => ({ uses_left: eb('uses_left', '-', 1) }))
    .where('id', '=', p.id)
    .where('uses_left', '>', 0),
);

export const findUse = table('invitation_uses').find(['invitation_id', 'user_id'], ['user_id']);

export const insertUse = statement((db, p: { id: string; userId: UserId }) =>
  db
    .insertInto('invitation_uses')
    .values({ invitation_id: p.id, user_id: p.userId })
    .onConflict((conflict) => conflict.columns(['invitation_id', 'user_id']).doNothing()),
);

export const deleteInvitation = invitations.delete('id', 'vault_id');

export const deleteExpired = deletion('invitations', 'id', 'expires_at');
