import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { Kysely } from 'kysely';
import { type ListStatement, type Statement, statementsOver } from '../../../ports/database/statement.ts';
import type { AccountsTables } from '../accounts/accounts.tables.ts';
import type { VaultsTables } from './vaults.tables.ts';

type Tables = VaultsTables & Pick<AccountsTables, 'users'>;
const { statement, listStatement } = statementsOver<Tables>();

/** The vaults of an account, and those that are shared with it. */
const vaultsOf = (db: Kysely<Tables>, userId: UserId) =>
  db
    .selectFrom('vaults')
    .select('id')
    .where('user_id', '=', userId)
    .unionAll(db.selectFrom('vault_members').select('vault_id as id').where('user_id', '=', userId));

/** SQLite has one writer, so its transactions need no locks on rows, and it has no words for them. */
function locking<Params extends object, Row>(
  plain: Statement<Params, Row>,
  locked: Statement<Params, Row>,
): Statement<Params, Row> {
  return { compiled: (engine) => (engine === 'postgres' ? locked : plain).compiled(engine) };
}

function lockingList<Params extends object, Item, Row>(
  plain: ListStatement<Params, Item, Row>,
  locked: ListStatement<Params, Item, Row>,
): ListStatement<Params, Item, Row> {
  return { compiled: (engine, size) => (engine === 'postgres' ? locked : plain).compiled(engine, size) };
}

const account = (db: Kysely<Tables>, p: { userId: UserId }) =>
  db.selectFrom('users').select('rights_version').where('id', '=', p.userId).where('deleting_at', 'is', null);

const vault = (db: Kysely<Tables>, p: { vaultId: VaultId }) =>
  db.selectFrom('vault_feeds').select('rights_version').where('vault_id', '=', p.vaultId);

/** Both versions; no row for an account that does not exist or is suspended. */
export const findRights = statement((db, p: { userId: UserId; vaultId: VaultId }) =>
  db
    .selectFrom('users as u')
    .leftJoin('vault_feeds as f', (join) => join.on('f.vault_id', '=', p.vaultId))
    .select(['u.rights_version as account', 'f.rights_version as vault'])
    .where('u.id', '=', p.userId)
    .where('u.suspended_at', 'is', null)
    .where('u.deleting_at', 'is', null),
);

export const findSuspended = statement((db, p: { userId: UserId }) =>
  db.selectFrom('users').select('suspended_at').where('id', '=', p.userId).where('suspended_at', 'is not', null),
);

// A lock on the key alone waits for nothing but a version that is being raised.

export const holdAccount = locking(
  statement(account),
  statement((db, p: { userId: UserId }) => account(db, p).forKeyShare()),
);

/** A caller and a vault; with more of them, each caller is found with each vault. */
interface CallerInVault {
  readonly vaultId: VaultId;
  readonly userId: UserId;
}

const rightsIn = (db: Kysely<Tables>, _p: object, items: CallerInVault[]) => {
  const [vaultIds, userIds] = [items.map(({ vaultId }) => vaultId), items.map(({ userId }) => userId)];
  return db
    .selectFrom('vault_feeds as f')
    .innerJoin('users as u', (join) => join.onTrue())
    .select(['f.vault_id', 'u.id as user_id', 'u.rights_version as account', 'f.rights_version as vault'])
    .where('f.vault_id', 'in', vaultIds)
    .where('u.id', 'in', userIds)
    .where('u.deleting_at', 'is', null);
};

export const holdRightsIn = lockingList(
  listStatement(rightsIn),
  listStatement((db, p: object, items: CallerInVault[]) => rightsIn(db, p, items).forKeyShare('f')),
);

// Before a version is raised, transactions that hold it must end: an update alone would not wait for them.

export const claimAccount = locking(
  statement(account),
  statement((db, p: { userId: UserId }) => account(db, p).forUpdate()),
);

export const claimVault = locking(
  statement(vault),
  statement((db, p: { vaultId: VaultId }) => vault(db, p).forUpdate()),
);

const feedsOf = (db: Kysely<Tables>, p: { userId: UserId }) =>
  db
    .selectFrom('vault_feeds')
    .select('vault_id')
    .where('vault_id', 'in', vaultsOf(db, p.userId))
    // In one order, so that two who share vaults do not wait for each other.
    .orderBy('vault_id');

export const claimVaultsOf = locking(
  statement(feedsOf),
  statement((db, p: { userId: UserId }) => feedsOf(db, p).forUpdate()),
);

export const raiseAccount = statement((db, p: { userId: UserId }) =>
  db
    .updateTable('users')
    .set((eb) => ({ rights_version: eb('rights_version', '+', 1) }))
    .where('id', '=', p.userId),
);

export const raiseVault = statement((db, p: { vaultId: VaultId }) =>
  db
    .updateTable('vault_feeds')
    .set((eb) => ({ rights_version: eb('rights_version', '+', 1) }))
    .where('vault_id', '=', p.vaultId),
);

export const raiseVaultsOf = statement((db, p: { userId: UserId }) =>
  db
    .updateTable('vault_feeds')
    .set((eb) => ({ rights_version: eb('rights_version', '+', 1) }))
    .where('vault_id', 'in', vaultsOf(db, p.userId)),
);
