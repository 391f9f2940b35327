import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { EntriesTables } from '../entries/entries.tables.ts';
import type { AttachmentsTables } from './attachments.tables.ts';

const { statement, listStatement, table } = statementsOver<AttachmentsTables & EntriesTables>();
const blobs = table('attachment_blobs');

export const insertPending = statement((db, p: { vault: VaultId; id: string; now: number }) =>
  db.insertInto('attachment_blobs').values({
    vault_id: p.vault,
    id: p.id,
    state: 'pending',
    since: p.now,
    hash_key: null,
    size_bytes: 0,
  }),
);

export const findByHash = blobs.find(['vault_id', 'hash_key'], ['id', 'size_bytes']);

/** Changes no row when the blob is no longer pending, because its upload took too long and was abandoned. */
export const commitBlob = statement(
  (db, p: { vault: VaultId; id: string; hashKey: Buffer; size: number; now: number }) =>
    db
      .updateTable('attachment_blobs')
      .set({ state: 'committed', since: p.now, hash_key: p.hashKey, size_bytes: p.size })
      .where('vault_id', '=', p.vault)
      .where('id', '=', p.id)
      .where('state', '=', 'pending'),
);

/** Releases blobs that no attachment has, live or deleted. Call it under the vault's lock. */
export const markUnusedDeleting = listStatement((db, p: { vault: VaultId; now: number }, ids: string[]) =>
  db
    .updateTable('attachment_blobs')
    .set({ state: 'deleting', since: p.now, hash_key: null })
    .where('vault_id', '=', p.vault)
    .where('id', 'in', ids)
    .where('state', '=', 'committed')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('entries')
            .select('entries.id')
            .whereRef('entries.vault_id', '=', 'attachment_blobs.vault_id')
            .whereRef('entries.blob_id', '=', 'attachment_blobs.id'),
        ),
      ),
    ),
);

/** Gives an attachment a blob, in the transaction that wrote its row. */
export const setBlob = statement((db, p: { vault: VaultId; id: string; blob: string }) =>
  db.updateTable('entries').set({ blob_id: p.blob }).where('vault_id', '=', p.vault).where('id', '=', p.id),
);

/** Abandons uploads: they can no longer be committed, and there is no reader to wait for. */
export const markDeleting = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db
    .updateTable('attachment_blobs')
    .set({ state: 'deleting', since: 0 })
    .where('vault_id', '=', p.vault)
    .where('id', 'in', ids)
    .where('state', '=', 'pending'),
);

/** Like markDeleting, for all uploads that began before a time. */
export const markStaleDeleting = statement((db, p: { before: number }) =>
  db
    .updateTable('attachment_blobs')
    .set({ state: 'deleting', since: 0 })
    .where('state', '=', 'pending')
    .where('hash_key', 'is', null)
    .where('since', '<', p.before),
);

export const findDeleting = statement((db, p: { before: number; limit: number }) =>
  db
    .selectFrom('attachment_blobs')
    .select(['vault_id', 'id'])
    .where('state', '=', 'deleting')
    .where('hash_key', 'is', null)
    .where('since', '<', p.before)
    .orderBy('since')
    .limit(p.limit),
);

export const deleteRows = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db
    .deleteFrom('attachment_blobs')
    .where('vault_id', '=', p.vault)
    .where('id', 'in', ids)
    .where('state', '=', 'deleting'),
);

export const findKnown = blobs.findMany(['vault_id'], 'id', ['id', 'state']);

export const purgeBlobRows = blobs.deleteSome(['vault_id'], 'id');
