import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import { type Kysely, sql } from 'kysely';
import { picked, statementsOver } from '../../../ports/database/statement.ts';
import type { VaultRoles } from '../../foundation/access/access.ts';
import type { AccountsTables } from '../accounts/accounts.tables.ts';
import type { VaultRow, VaultsTables } from './vaults.tables.ts';

type Tables = VaultsTables & Pick<AccountsTables, 'users'>;
const { statement, listStatement, table } = statementsOver<Tables>();

const vaultsWithFeeds = (db: Kysely<Tables>) =>
  db.selectFrom('vaults as v').innerJoin('vault_feeds as f', 'f.vault_id', 'v.id');

const SHOWN = [
  'v.id',
  'v.user_id',
  'v.is_default',
  'v.client_blind',
  'v.meta',
  'v.meta_version',
  'v.created_at',
  'v.deleted_at',
  'f.note_count',
  'f.attachment_count',
  'f.attachment_bytes',
] as const;

/** The roles of a vault, see `VaultRoles`. In its row, because a request must not take a statement more for a member. */
const members = sql<
  string | null
>`(select string_agg(m.user_id || ':' || m.role, ' ') from vault_members m where m.vault_id = v.id)`.as('members');

const shown = (db: Kysely<Tables>) =>
  vaultsWithFeeds(db)
    .innerJoin('users as u', 'u.id', 'v.user_id')
    .select(SHOWN)
    .select(['u.display_name as owner_name', 'u.suspended_at as owner_suspended_at', members]);

const opened = (db: Kysely<Tables>) =>
  vaultsWithFeeds(db)
    .innerJoin('users as u', 'u.id', 'v.user_id')
    .select([
      'v.id',
      'v.user_id',
      'v.is_default',
      'v.handed_over',
      'f.feed_epoch',
      'f.rights_version',
      'u.plan as tier',
    ])
    .select(['u.suspended_at as owner_suspended_at', members]);

/** The vaults of an account, and those that are shared with it. */
const ownOrShared = (db: Kysely<Tables>, userId: UserId) =>
  db
    .selectFrom('vaults')
    .select('id')
    .where('user_id', '=', userId)
    .unionAll(db.selectFrom('vault_members').select('vault_id as id').where('user_id', '=', userId));

/** Whether the log of socket edits has any of the vault; asked here, it costs no statement. */
const hasWaitingEdits = sql<number>`exists (select 1 from note_updates where note_updates.vault_id = v.id)`.as(
  'has_waiting_edits',
);
/** Assumes waiting edits, for requests that read many vaults to choose one. */
const mayHaveWaitingEdits = sql<number>`1`.as('has_waiting_edits');

// Selecting the vault of a request

/** An active vault of any user: who calls is checked meanwhile, and compared with its owner then. */
export const findRequested = statement((db, p: { id: VaultId }) =>
  opened(db).select(hasWaitingEdits).where('v.id', '=', p.id).where('v.deleted_at', 'is', null),
);

/** Like findRequested, for work of the server itself. */
export const findOpenableById = statement((db, p: { id: VaultId }) =>
  opened(db).where('v.id', '=', p.id).where('v.deleted_at', 'is', null),
);

/** The columns that opening a vault needs. */
export interface OpenableRow extends VaultRoles {
  readonly feed_epoch: number;
  readonly rights_version: number;
  readonly tier: string;
  readonly handed_over: number;
}

/** The columns that a request needs of its vault. */
export interface RequestedRow extends OpenableRow {
  readonly has_waiting_edits: number;
}

export const findDefaultOpenable = statement((db, p: { userId: UserId }) =>
  opened(db).select(hasWaitingEdits).where('v.user_id', '=', p.userId).where('v.is_default', '=', 1),
);

export const findOpenables = statement((db, p: { userId: UserId }) =>
  opened(db)
    .select(mayHaveWaitingEdits)
    .where('v.id', 'in', ownOrShared(db, p.userId))
    .where('v.deleted_at', 'is', null)
    .orderBy('v.created_at')
    .orderBy('v.id'),
);

// Reading vaults

export const listActive = statement((db, p: { userId: UserId }) =>
  shown(db)
    .where('v.id', 'in', ownOrShared(db, p.userId))
    .where('v.deleted_at', 'is', null)
    .orderBy('v.created_at')
    .orderBy('v.id'),
);

/** Deleted vaults that can still be restored. */
export const listDeleted = statement((db, p: { userId: UserId; after: number }) =>
  shown(db)
    .where('v.user_id', '=', p.userId)
    .where('v.deleted_at', '>', p.after)
    .where('v.purging_at', 'is', null)
    .orderBy('v.created_at')
    .orderBy('v.id'),
);

// Like findRequested, these find the vaults of all users: the caller's role is checked in the row.

export const findActive = statement((db, p: { id: VaultId }) =>
  shown(db).where('v.id', '=', p.id).where('v.deleted_at', 'is', null),
);

export const findDeleted = statement((db, p: { id: VaultId; after: number }) =>
  shown(db).where('v.id', '=', p.id).where('v.deleted_at', '>', p.after).where('v.purging_at', 'is', null),
);

/** The vault that a person registered under their id for it, also when they have handed it over since. */
export const findByClient = statement((db, p: { userId: UserId; clientBlind: Buffer }) =>
  shown(db)
    .where(
      'v.id',
      'in',
      db
        .selectFrom('vaults')
        .select('id')
        .where('user_id', '=', p.userId)
        .where('client_blind', '=', p.clientBlind)
        .unionAll(
          db
            .selectFrom('vault_members')
            .select('vault_id as id')
            .where('user_id', '=', p.userId)
            .where('client_blind', '=', p.clientBlind),
        ),
    )
    .where('v.deleted_at', 'is', null),
);

/** Returns those of the slugs that the user's other active vaults use. */
export const findSlugs = listStatement((db, p: { userId: UserId; except: VaultId }, blinds: Buffer[]) =>
  db
    .selectFrom('vaults')
    .select('slug_blind')
    .where('user_id', '=', p.userId)
    .where('slug_blind', 'in', blinds)
    .where('deleted_at', 'is', null)
    .where('id', '!=', p.except),
);

/** Totals over the active vaults of all accounts. */
const sums = (db: Kysely<Tables>) =>
  vaultsWithFeeds(db)
    .select((eb) => [
      eb.fn.countAll<number>().as('vaults'),
      eb.cast<number>(eb.fn.coalesce(eb.fn.sum('f.note_count'), eb.lit(0)), 'bigint').as('notes'),
      eb.cast<number>(eb.fn.coalesce(eb.fn.sum('f.attachment_count'), eb.lit(0)), 'bigint').as('attachments'),
      eb.cast<number>(eb.fn.coalesce(eb.fn.sum('f.attachment_bytes'), eb.lit(0)), 'bigint').as('bytes'),
    ])
    .where('v.deleted_at', 'is', null);

export const sumActive = statement((db, p: { userId: UserId }) => sums(db).where('v.user_id', '=', p.userId));

export const sumActiveOfAll = statement((db, _: Record<never, never>) => sums(db));

export const sumActiveOfUsers = statement((db, p: { first: UserId; last: UserId }) =>
  sums(db)
    .select('v.user_id as userId')
    .where('v.user_id', '>=', p.first)
    .where('v.user_id', '<=', p.last)
    .groupBy('v.user_id'),
);

export const findActiveIds = statement((db, p: { userId: UserId }) =>
  db.selectFrom('vaults').select('id').where('user_id', '=', p.userId).where('deleted_at', 'is', null),
);

export const findOldestActive = statement((db, p: { userId: UserId }) =>
  db
    .selectFrom('vaults')
    .select('id')
    .where('user_id', '=', p.userId)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1),
);

export const findDefault = statement((db, p: { userId: UserId }) =>
  db.selectFrom('vaults').select('id').where('user_id', '=', p.userId).where('is_default', '=', 1),
);

export const findActiveOf = listStatement((db, _p: object, ids: VaultId[]) =>
  db
    .selectFrom('vaults as v')
    .select(['v.id', 'v.user_id', members])
    .where('v.id', 'in', ids)
    .where('v.deleted_at', 'is', null),
);

/** Selects the names of people among these who are or were members of the vault. */
export const findPeople = listStatement((db, p: { vault: VaultId }, ids: UserId[]) =>
  db
    .selectFrom('users as u')
    .leftJoin('former_members as f', (join) => join.onRef('f.user_id', '=', 'u.id').on('f.vault_id', '=', p.vault))
    .innerJoin('vaults as v', (join) => join.on('v.id', '=', p.vault))
    .select(['u.id', 'u.display_name', 'v.user_id', members, 'f.name as former_name'])
    .where('u.id', 'in', ids)
    .where('u.deleting_at', 'is', null),
);

// Writing vaults, under the lock on the user's row

const META = ['slug_blind', 'meta', 'meta_version'] as const;
const OWN = ['user_id', 'is_default', 'client_blind', ...META] as const;
type Columns<Column extends keyof VaultRow> = Readonly<Pick<VaultRow, 'id' | Column>>;

export const insertVault = statement((db, p: Columns<(typeof OWN)[number] | 'created_at'>) =>
  db
    .insertInto('vaults')
    .values({ ...picked(p, ['id', 'created_at', ...OWN]), deleted_at: null, purging_at: null, handed_over: 0 }),
);

export const updateMeta = statement((db, p: Columns<(typeof META)[number]>) =>
  db.updateTable('vaults').set(picked(p, META)).where('id', '=', p.id),
);

export const clearDefault = statement((db, p: { userId: UserId }) =>
  db.updateTable('vaults').set({ is_default: 0 }).where('user_id', '=', p.userId).where('is_default', '=', 1),
);

export const setDefault = statement((db, p: { id: VaultId }) =>
  db.updateTable('vaults').set({ is_default: 1 }).where('id', '=', p.id),
);

export const markDeleted = statement((db, p: { id: VaultId; now: number }) =>
  db
    .updateTable('vaults')
    .set({ deleted_at: p.now, is_default: 0 })
    .where('id', '=', p.id)
    .where('deleted_at', 'is', null),
);

export const markRestored = statement((db, p: Columns<(typeof META)[number] | 'client_blind' | 'is_default'>) =>
  db
    .updateTable('vaults')
    .set({ deleted_at: null, ...picked(p, ['client_blind', 'is_default', ...META]) })
    .where('id', '=', p.id)
    .where('purging_at', 'is', null),
);

// Changes of members, under the locks on the rows of all concerned

/** Deletes a member who becomes the owner. */
export const takeMember = statement((db, p: { id: VaultId; userId: UserId }) =>
  db.deleteFrom('vault_members').where('vault_id', '=', p.id).where('user_id', '=', p.userId).returning('client_blind'),
);

export const setOwner = statement((db, p: Columns<(typeof OWN)[number]>) =>
  db
    .updateTable('vaults')
    .set({ ...picked(p, OWN), handed_over: 1 })
    .where('id', '=', p.id),
);

export const insertFormerOwner = statement(
  (db, p: { id: VaultId; userId: UserId; clientBlind: Buffer | null; now: number }) =>
    db.insertInto('vault_members').values({
      vault_id: p.id,
      user_id: p.userId,
      role: 'editor',
      client_blind: p.clientBlind,
      joined_at: p.now,
    }),
);

export const findOwnedWithMembers = statement((db, p: { userId: UserId }) =>
  db
    .selectFrom('vaults as v')
    .select('v.id')
    .where('v.user_id', '=', p.userId)
    .where('v.deleted_at', 'is', null)
    // A count looks into each of these vaults; exists would let a plan begin with the members of all.
    .where(
      (eb) => eb.selectFrom('vault_members as m').select(eb.fn.countAll().as('n')).whereRef('m.vault_id', '=', 'v.id'),
      '>',
      0,
    )
    .orderBy('v.created_at')
    .orderBy('v.id'),
);

// Purging

/** Begins the purge of a deleted vault; changes no row when it is active, unknown, or being purged already. */
export const markPurging = statement(
  (db, p: { id: VaultId; deletedUntil: number; deletedAfter: number; now: number }) =>
    db
      .updateTable('vaults')
      .set({ purging_at: p.now })
      .where('id', '=', p.id)
      .where('deleted_at', '<=', p.deletedUntil)
      .where('deleted_at', '>', p.deletedAfter)
      .where('purging_at', 'is', null),
);

export const markAllPurging = statement((db, p: { userId: UserId; now: number }) =>
  db
    .updateTable('vaults')
    .set((eb) => ({
      is_default: 0,
      deleted_at: eb.fn.coalesce('deleted_at', eb.val(p.now)),
      purging_at: eb.fn.coalesce('purging_at', eb.val(p.now)),
    }))
    .where('user_id', '=', p.userId)
    .returning('id'),
);

/** The ids of all vaults that an account owns, deleted ones too. */
export const listOwnedIds = statement((db, p: { userId: UserId }) =>
  db.selectFrom('vaults').select('id').where('user_id', '=', p.userId).orderBy('id'),
);

/** Vaults of all users, deleted ones too, in the order of their ids. */
export const listIds = statement((db, p: { after: VaultId; limit: number }) =>
  db.selectFrom('vaults').select(['id', 'deleted_at']).where('id', '>', p.after).orderBy('id').limit(p.limit),
);

/** Vaults whose purge is due or interrupted, ordered by id. */
export const findDue = statement((db, p: { deletedUntil: number; after: VaultId; limit: number }) =>
  db
    .selectFrom('vaults')
    .select(['id', 'purging_at'])
    .where('deleted_at', 'is not', null)
    .where((eb) => eb.or([eb('deleted_at', '<=', p.deletedUntil), eb('purging_at', 'is not', null)]))
    .where('id', '>', p.after)
    .orderBy('id')
    .limit(p.limit),
);

export const deleteVault = table('vaults').delete('id');
