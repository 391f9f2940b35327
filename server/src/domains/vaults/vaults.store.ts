import type { UserId, VaultId } from '@notevault/protocol/ids.ts';
import { statementsOver } from '../../ports/database/statement.ts';
import type { AccountsTables } from '../accounts/accounts.tables.ts';
import type { VaultsTables } from './vaults.tables.ts';

const { statement, listStatement } = statementsOver<VaultsTables & Pick<AccountsTables, 'users'>>();

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

const OPENED = ['v.id', 'v.user_id', 'v.is_default', 'f.feed_epoch', 'u.plan as tier'] as const;

// Selecting the vault of a request

export const findOpenable = statement((db, p: { id: VaultId; userId: UserId }) =>
  db
    .selectFrom('vaults as v')
    .innerJoin('vault_feeds as f', 'f.vault_id', 'v.id')
    .innerJoin('users as u', 'u.id', 'v.user_id')
    .select(OPENED)
    .where('v.id', '=', p.id)
    .where('v.user_id', '=', p.userId)
    .where('v.deleted_at', 'is', null),
);

/** Like findOpenable, for a vault of any user. */
export const findOpenableById = statement((db, p: { id: VaultId }) =>
  db
    .selectFrom('vaults as v')
    .innerJoin('vault_feeds as f', 'f.vault_id', 'v.id')
    .innerJoin('users as u', 'u.id', 'v.user_id')
    .select(OPENED)
    .where('v.id', '=', p.id)
    .where('v.deleted_at', 'is', null),
);

/** The columns that opening a vault needs. */
export interface OpenableRow {
  readonly id: VaultId;
  readonly user_id: UserId;
  readonly feed_epoch: number;
  readonly tier: string;
}

export const findDefaultOpenable = statement((db, p: { userId: UserId }) =>
  db
    .selectFrom('vaults as v')
    .innerJoin('vault_feeds as f', 'f.vault_id', 'v.id')
    .innerJoin('users as u', 'u.id', 'v.user_id')
    .select(OPENED)
    .where('v.user_id', '=', p.userId)
    .where('v.is_default', '=', 1),
);

export const findOpenables = statement((db, p: { userId: UserId }) =>
  db
    .selectFrom('vaults as v')
    .innerJoin('vault_feeds as f', 'f.vault_id', 'v.id')
    .innerJoin('users as u', 'u.id', 'v.user_id')
    .select(OPENED)
    .where('v.user_id', '=', p.userId)
    .where('v.deleted_at', 'is', null)
    .orderBy('v.created_at')
    .orderBy('v.id'),
);

// Reading vaults

export const listActive = statement((db, p: { userId: UserId }) =>
  db
    .selectFrom('vaults as v')
    .innerJoin('vault_feeds as f', 'f.vault_id', 'v.id')
    .select(SHOWN)
    .where('v.user_id', '=', p.userId)
    .where('v.deleted_at', 'is', null)
    .orderBy('v.created_at')
    .orderBy('v.id'),
);

/** Deleted vaults that can still be restored. */
export const listDeleted = statement((db, p: { userId: UserId; after: number }) =>
  db
    .selectFrom('vaults as v')
    .innerJoin('vault_feeds as f', 'f.vault_id', 'v.id')
    .select(SHOWN)
    .where('v.user_id', '=', p.userId)
    .where('v.deleted_at', '>', p.after)
    .where('v.purging_at', 'is', null)
    .orderBy('v.created_at')
    .orderBy('v.id'),
);

export const findActive = statement((db, p: { id: VaultId; userId: UserId }) =>
  db
    .selectFrom('vaults as v')
    .innerJoin('vault_feeds as f', 'f.vault_id', 'v.id')
    .select(SHOWN)
    .where('v.id', '=', p.id)
    .where('v.user_id', '=', p.userId)
    .where('v.deleted_at', 'is', null),
);

export const findDeleted = statement((db, p: { id: VaultId; userId: UserId; after: number }) =>
  db
    .selectFrom('vaults as v')
    .innerJoin('vault_feeds as f', 'f.vault_id', 'v.id')
    .select(SHOWN)
    .where('v.id', '=', p.id)
    .where('v.user_id', '=', p.userId)
    .where('v.deleted_at', '>', p.after)
    .where('v.purging_at', 'is', null),
);

export const findByClient = statement((db, p: { userId: UserId; clientBlind: Buffer }) =>
  db
    .selectFrom('vaults as v')
    .innerJoin('vault_feeds as f', 'f.vault_id', 'v.id')
    .select(SHOWN)
    .where('v.user_id', '=', p.userId)
    .where('v.client_blind', '=', p.clientBlind)
    .where('v.deleted_at', 'is', null),
);

/** Which of these slugs the user's other active vaults use. */
export const findSlugs = listStatement((db, p: { userId: UserId; except: VaultId }, blinds: Buffer[]) =>
  db
    .selectFrom('vaults')
    .select('slug_blind')
    .where('user_id', '=', p.userId)
    .where('slug_blind', 'in', blinds)
    .where('deleted_at', 'is', null)
    .where('id', '!=', p.except),
);

/** The user's totals over their active vaults. */
export const sumActive = statement((db, p: { userId: UserId }) =>
  db
    .selectFrom('vaults as v')
    .innerJoin('vault_feeds as f', 'f.vault_id', 'v.id')
    .select((eb) => [
      eb.fn.countAll<number>().as('vaults'),
      eb.cast<number>(eb.fn.coalesce(eb.fn.sum('f.note_count'), eb.lit(0)), 'bigint').as('notes'),
      eb.cast<number>(eb.fn.coalesce(eb.fn.sum('f.attachment_count'), eb.lit(0)), 'bigint').as('attachments'),
      eb.cast<number>(eb.fn.coalesce(eb.fn.sum('f.attachment_bytes'), eb.lit(0)), 'bigint').as('attachmentBytes'),
    ])
    .where('v.user_id', '=', p.userId)
    .where('v.deleted_at', 'is', null),
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

// Writing vaults, under the lock on the user's row

export const insertVault = statement(
  (
    db,
    p: { id: VaultId; userId: UserId; isDefault: number; clientBlind: Buffer | null; slugBlind: Buffer } & {
      meta: Buffer;
      now: number;
    },
  ) =>
    db.insertInto('vaults').values({
      id: p.id,
      user_id: p.userId,
      is_default: p.isDefault,
      client_blind: p.clientBlind,
      slug_blind: p.slugBlind,
      meta: p.meta,
      meta_version: 1,
      created_at: p.now,
      deleted_at: null,
      purging_at: null,
    }),
);

export const insertFeed = statement((db, p: { vaultId: VaultId }) =>
  db.insertInto('vault_feeds').values({
    vault_id: p.vaultId,
    change_seq: 0,
    feed_epoch: 1,
    note_count: 0,
    attachment_count: 0,
    floor_seq: 0,
    attachment_bytes: 0,
    trash_notes: 0,
    trash_text_bytes: 0,
    trash_attachment_bytes: 0,
    writable: 1,
  }),
);

export const beginEpochs = statement((db, p: { epoch: number }) =>
  db.updateTable('vault_feeds').set((eb) => ({
    feed_epoch: eb
      .case()
      .when('feed_epoch', '<', p.epoch)
      .then(p.epoch)
      .else(eb('feed_epoch', '+', 1))
      .end(),
  })),
);

export const updateMeta = statement((db, p: { id: VaultId; slugBlind: Buffer; meta: Buffer; metaVersion: number }) =>
  db
    .updateTable('vaults')
    .set({ slug_blind: p.slugBlind, meta: p.meta, meta_version: p.metaVersion })
    .where('id', '=', p.id),
);

export const clearDefault = statement((db, p: { userId: UserId }) =>
  db.updateTable('vaults').set({ is_default: 0 }).where('user_id', '=', p.userId).where('is_default', '=', 1),
);

export const setDefault = statement((db, p: { id: VaultId }) =>
  db.updateTable('vaults').set({ is_default: 1 }).where('id', '=', p.id),
);

export const markDeleted = statement((db, p: { id: VaultId; userId: UserId; now: number }) =>
  db
    .updateTable('vaults')
    .set({ deleted_at: p.now, is_default: 0 })
    .where('id', '=', p.id)
    .where('user_id', '=', p.userId)
    .where('deleted_at', 'is', null),
);

/** Makes a vault active again, with the client's id if it is still free. */
export const markRestored = statement(
  (
    db,
    p: { id: VaultId; clientBlind: Buffer | null; slugBlind: Buffer; meta: Buffer } & {
      metaVersion: number;
      isDefault: number;
    },
  ) =>
    db
      .updateTable('vaults')
      .set({
        deleted_at: null,
        client_blind: p.clientBlind,
        slug_blind: p.slugBlind,
        meta: p.meta,
        meta_version: p.metaVersion,
        is_default: p.isDefault,
      })
      .where('id', '=', p.id)
      .where('purging_at', 'is', null),
);

export const setWritable = statement((db, p: { vaultId: VaultId; writable: number }) =>
  db.updateTable('vault_feeds').set({ writable: p.writable }).where('vault_id', '=', p.vaultId),
);

export const findFeed = statement((db, p: { vaultId: VaultId }) =>
  db.selectFrom('vault_feeds').select(['change_seq', 'floor_seq']).where('vault_id', '=', p.vaultId),
);

export const findFeeds = listStatement((db, _p: object, ids: VaultId[]) =>
  db.selectFrom('vault_feeds').select(['vault_id', 'change_seq']).where('vault_id', 'in', ids),
);

/** Changes of a vault's counts. */
interface CountChanges {
  readonly vaultId: VaultId;
  readonly seqs: number;
  readonly notes: number;
  readonly attachments: number;
  readonly attachmentBytes: number;
  readonly trashNotes: number;
  readonly trashTextBytes: number;
  readonly trashAttachmentBytes: number;
}

/**
 * Takes seqs and updates the counts; the row stays locked until the end of the transaction. No row when the vault is
 * not active.
 */
export const advanceFeed = statement((db, p: CountChanges) =>
  db
    .updateTable('vault_feeds')
    .set((eb) => ({
      change_seq: eb('change_seq', '+', p.seqs),
      note_count: eb('note_count', '+', p.notes),
      attachment_count: eb('attachment_count', '+', p.attachments),
      attachment_bytes: eb('attachment_bytes', '+', p.attachmentBytes),
      trash_notes: eb('trash_notes', '+', p.trashNotes),
      trash_text_bytes: eb('trash_text_bytes', '+', p.trashTextBytes),
      trash_attachment_bytes: eb('trash_attachment_bytes', '+', p.trashAttachmentBytes),
    }))
    .where('vault_id', '=', p.vaultId)
    .where('writable', '=', 1)
    .returning('change_seq'),
);

/** Locks the row until the end of the transaction; changes no row when the vault does not exist any more. */
export const lockFeed = statement((db, p: { vaultId: VaultId }) =>
  db
    .updateTable('vault_feeds')
    .set((eb) => ({ floor_seq: eb.ref('floor_seq') }))
    .where('vault_id', '=', p.vaultId),
);

export const raiseFloor = statement((db, p: { vaultId: VaultId; seq: number }) =>
  db
    .updateTable('vault_feeds')
    .set({ floor_seq: p.seq })
    .where('vault_id', '=', p.vaultId)
    .where('floor_seq', '<', p.seq),
);

// The trash

/** Updates the counts of the trash, of any vault that exists. */
export const countTrash = statement(
  (db, p: { vaultId: VaultId; notes: number; textBytes: number; attachmentBytes: number }) =>
    db
      .updateTable('vault_feeds')
      .set((eb) => ({
        trash_notes: eb('trash_notes', '+', p.notes),
        trash_text_bytes: eb('trash_text_bytes', '+', p.textBytes),
        trash_attachment_bytes: eb('trash_attachment_bytes', '+', p.attachmentBytes),
      }))
      .where('vault_id', '=', p.vaultId),
);

export const findTrash = statement((db, p: { vaultId: VaultId }) =>
  db
    .selectFrom('vault_feeds')
    .select(['trash_notes', 'trash_text_bytes', 'trash_attachment_bytes'])
    .where('vault_id', '=', p.vaultId),
);

/** What the trash of active vaults has, ordered by vault, after a given one. */
export const findTrashes = statement((db, p: { after: VaultId; limit: number }) =>
  db
    .selectFrom('vault_feeds as f')
    .innerJoin('vaults as v', 'v.id', 'f.vault_id')
    .innerJoin('users as u', 'u.id', 'v.user_id')
    .select(['f.vault_id', 'f.trash_notes', 'f.trash_text_bytes', 'f.trash_attachment_bytes', 'u.plan as tier'])
    .where('f.vault_id', '>', p.after)
    .where('f.writable', '=', 1)
    .orderBy('f.vault_id')
    .limit(p.limit),
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

/** Begins the purge of every vault of a user. */
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

export const deleteVault = statement((db, p: { id: VaultId }) => db.deleteFrom('vaults').where('id', '=', p.id));
