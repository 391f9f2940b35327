import { LINKS_VERSION } from '@notevault/note-text/links/parsed-link.ts';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { AccountsTables } from '../accounts/accounts.tables.ts';
import type { VaultsTables } from './vaults.tables.ts';

const { statement, listStatement } = statementsOver<VaultsTables & Pick<AccountsTables, 'users'>>();

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
    rights_version: 0,
    links_version: LINKS_VERSION,
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

export const findLatestEpoch = statement((db, _: Record<never, never>) =>
  db.selectFrom('vault_feeds').select(({ fn }) => fn.max('feed_epoch').as('epoch')),
);

export const setWritable = statement((db, p: { vaultId: VaultId; writable: number }) =>
  db.updateTable('vault_feeds').set({ writable: p.writable }).where('vault_id', '=', p.vaultId),
);

export const findFeed = statement((db, p: { vaultId: VaultId }) =>
  db.selectFrom('vault_feeds').select(['change_seq', 'floor_seq', 'note_count']).where('vault_id', '=', p.vaultId),
);

export const findFeeds = listStatement((db, _p: object, ids: VaultId[]) =>
  db.selectFrom('vault_feeds').select(['vault_id', 'change_seq']).where('vault_id', 'in', ids),
);

interface CountChanges {
  readonly vaultId: VaultId;
  /** The caller whose rights version is read too. */
  readonly callerId: UserId;
  readonly seqs: number;
  readonly notes: number;
  readonly attachments: number;
  readonly attachmentBytes: number;
  readonly trashNotes: number;
  readonly trashTextBytes: number;
  readonly trashAttachmentBytes: number;
}

/** The row stays locked until the end of the transaction. No row when the vault is not active. */
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
    .returning((eb) => [
      'change_seq',
      'rights_version',
      eb
        .selectFrom('users')
        .select('users.rights_version')
        .where('users.id', '=', p.callerId)
        .where('users.deleting_at', 'is', null)
        .as('caller_rights_version'),
    ]),
);

export const findLinksVersion = statement((db, p: { vaultId: VaultId }) =>
  db.selectFrom('vault_feeds').select('links_version').where('vault_id', '=', p.vaultId),
);

export const setLinksVersion = statement((db, p: { vaultId: VaultId; version: number }) =>
  db.updateTable('vault_feeds').set({ links_version: p.version }).where('vault_id', '=', p.vaultId),
);

export const findBehindInLinks = statement((db, p: { version: number; after: string; limit: number }) =>
  db
    .selectFrom('vault_feeds')
    .select('vault_id')
    .where('links_version', '<', p.version)
    .where('writable', '=', 1)
    .where('vault_id', '>', p.after as VaultId)
    .orderBy('vault_id')
    .limit(p.limit),
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
